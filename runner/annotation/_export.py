"""Exports a sample of the replies of a run as a sheet, with a guide beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import NamedTuple

from runner.annotation._questions import Ask, asks, guide
from runner.annotation._sample import Candidate, sample
from runner.annotation._sheet import lines, table
from runner.cases import case_hash
from runner.errors import InputError, Place, did_you_mean
from runner.labels import Item, Replies, item
from runner.model import Measure, Record
from runner.pipeline import Plan, plan
from runner.results import folder_of, read_report, read_results
from runner.scores import Scope, Scorer
from runner.units import count

RESPONSES = "responses.jsonl"
_SHEETS = (".csv", ".jsonl")


class FinishedRun(NamedTuple):
    """A run that has ended: its plan, its results folder, and its recorded replies."""

    plan: Plan
    folder: Path
    replies: Path


def finished_run(
    results: Path,
    spec: Path | None,
    root: Path,
    environ: Mapping[str, str],
    today: date,
) -> FinishedRun:
    """Give the run of a results folder; nobody is asked, and no secret is needed.

    Args:
        results: The folder, or its ``results.json``.
        spec: Where its spec is now; where the results say it is when left out.
        root: The workspace.
        environ: What the spec's variables may be.
        today: In UTC.

    Raises:
        InputError: The results or the spec are not there, or are wrong.
    """
    folder = folder_of(results)
    if spec is None:
        told = read_report(folder, folder.as_posix()).spec
        spec = root / told
        if not spec.exists():
            what = f"the spec of these results, {told}, is not in {root.as_posix()}"
            hint = "say where it is now: --spec FILE"
            raise InputError(what, where=Place(folder.as_posix()), hint=hint)
    planned = plan(spec, root, environ, today=today, asking=False)
    return FinishedRun(planned, folder, folder / RESPONSES)


class Export(NamedTuple):
    """The files to write, and what to print."""

    files: Mapping[str, str]
    """By name: the sheet, and how to fill it in."""
    summary: tuple[str, ...]
    """Lines to print."""


def measures(run: FinishedRun, names: Sequence[str]) -> list[Measure]:
    """Give the judged measures of a spec; those of some names, where any is given.

    Raises:
        InputError: The spec measures nothing by a judge, or nothing of a name.
    """
    plan = run.plan
    judged = {m.label: m for m in plan.spec.measures if m.metric.judged}
    where = plan.place("metrics")
    if not judged:
        what = "nothing is measured by a judge"
        raise InputError(what, where=where, hint="add a metric such as faithfulness")
    for name in names:
        if name not in judged:
            hint = did_you_mean(name, judged) or f"there are {', '.join(judged)}"
            what = f"--metric {name}: no judged metric of the spec"
            raise InputError(what, hint=hint)
    return [judged[name] for name in names or judged]


def candidates_of(run: FinishedRun, wanted: Sequence[Measure]) -> Iterator[Candidate]:
    """Give what a judge would be asked about the replies of a run.

    Raises:
        InputError: The results are not there, or are not of these cases.
    """
    plan, folder, recorded = run
    found = read_results(folder, folder.as_posix())
    scorer = Scorer(wanted, Scope.of(plan.spec.endpoint))
    seen: set[str] = set()  # where a question stands twice, its reply may be the same
    if not recorded.exists():
        hint = "give the file that the run replayed: --replay FILE"
        what = "the replies of the run are not there"
        raise InputError(what, where=Place(recorded.as_posix()), hint=hint)
    with closing(Replies(plan, recorded)) as replies:
        for case in plan.cases:
            record, known = found.records.get(case.id), replies.look_up(case.id)
            if record is None or known is None:
                continue
            if record.hash != case_hash(case):
                what = f"{case.id} asked something else in these results"
                raise InputError(what, where=case.place, hint="run again")
            row = scorer.row(scorer.asked(*known))
            for measure in map(wanted.__getitem__, scorer.unjudged(row)):
                which = item(measure.label, *known)
                if which.key not in seen:
                    seen.add(which.key)
                    yield Candidate(which, record.outcome, _score(record, measure))


def _score(record: Record, measure: Measure) -> float | None:
    """Give the score of the run's judge, scaled to 0 to 1."""
    score = record.scores.get(measure.label)
    low, high = measure.metric.bounds
    if score is None or low is None or high is None:
        return None
    return (score - low) / (high - low)


def export(
    run: FinishedRun,
    sheet: Path,
    names: Sequence[str] = (),
    *,
    size: int,
    seed: int,
) -> Export:
    """Give the sheet of a sample of a run's replies, and how to fill it in.

    Args:
        run: Whose replies they are.
        sheet: Where it will be; its ending says in what format.
        names: Judged metrics of the spec; all of them where none is named.
        size: The most items of each metric.
        seed: Of the sample.

    Raises:
        InputError: There is nothing to label, or the ending is none of the known.
    """
    if sheet.suffix.lower() not in _SHEETS:
        what = f"a sheet ends in {' or '.join(_SHEETS)}"
        raise InputError(what, where=Place(sheet.as_posix()))
    wanted = measures(run, names)
    candidates = list(candidates_of(run, wanted))
    chosen = sample(candidates, size, seed)
    if not chosen:
        what = "no reply that a judge would be asked about"
        hint = "no case was answered, or none has what the metrics read"
        raise InputError(what, where=Place(run.folder.as_posix()), hint=hint)
    asked = {measure.label: asks(measure.metric) for measure in wanted}
    write = lines if sheet.suffix.lower() == ".jsonl" else _with_mark
    text = write(chosen, asked)
    beside = f"{sheet.stem}.guide.md"
    return Export(
        {sheet.name: text, beside: guide(sheet.name)},
        tuple(_summary_lines(chosen, candidates, wanted)),
    )


def _with_mark(chosen: Sequence[Item], asked: Mapping[str, Ask]) -> str:
    """Give CSV that spreadsheets read as UTF-8."""
    return "\ufeff" + table(chosen, asked)


def _summary_lines(
    chosen: Sequence[Item], candidates: Sequence[Candidate], wanted: Sequence[Measure]
) -> Iterator[str]:
    for measure in wanted:
        label = measure.label
        ours = [each for each in chosen if each.metric == label]
        of = sum(each.item.metric == label for each in candidates)
        languages = sorted({each.language for each in ours})
        by = (
            count(sum(each.language == one for each in ours), f"in {one}", f"in {one}")
            for one in languages
        )
        yield f"  {label}: {len(ours)} of {count(of, 'reply', 'replies')}" + (
            f", {', '.join(by)}" if ours else ""
        )

"""What needs no endpoint: validate, compare, render, baseline and metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from runner import baseline, files, pipeline, worked_examples
from runner.cases import health
from runner.comparison import compare, failing
from runner.endpoints import check
from runner.errors import InputError, Place, masking
from runner.judge_setup import forecast, with_judge
from runner.metrics import registry
from runner.model import LAYERS, RUN_LEVEL_SUMMARIES, STATISTICS, split_statistic
from runner.publish.artifacts import ResultsFolder
from runner.redact import Redactor
from runner.report import Report
from runner.results import folder_of, read_report, read_results, renderings
from runner.spec import Spec, warnings
from runner.units import count


def validate(
    path: Path,
    root: Path,
    environ: Mapping[str, str],
    today: date,
    templates: Path,
) -> list[str]:
    """Check a spec and its cases without a request; give the lines to print.

    Args:
        path: The spec.
        root: The workspace.
        environ: What its variables may be.
        today: In UTC: which quarantines have ended.
        templates: The folder of all templates.

    Raises:
        InputError: With every mistake at once.
    """
    plan = pipeline.plan(path, root, environ, today=today)
    spec = plan.spec
    with masking(Redactor(spec.secrets).text):
        check(spec.endpoint, spec.variables, plan.cases, plan.place)
        judge = list(forecast(plan, templates))
        plan = with_judge(plan, root, templates)
        if spec.rival:
            check(spec.rival, spec.variables, plan.cases, plan.beside)
    spec = plan.spec  # in which what is judged decides as far as it may
    gates = len(spec.limits) + len(spec.red_lines)
    limited = {split_statistic(limit.name)[0] for limit in spec.limits}
    lines = (
        *health(
            plan.cases,
            [measure for measure in spec.measures if measure.label in limited],
            [measure for measure in spec.measures if measure.label in spec.marks],
            answers=spec.endpoint.response.answer is not None,
            match=spec.endpoint.match,
        ),
        *_calls(spec, len(plan.cases)),
        *warnings(spec, plan.place, talks=any(case.turns for case in plan.cases)),
        *judge,
        *plan.of_files,
        *plan.notices,
    )
    head = (
        f"{spec.file}: ok, {count(len(plan.cases), 'case')}, "
        f"{count(len(spec.measures), 'metric')}, {gates} thresholds and red lines"
    )
    return [head, *(f"  {line}" for line in lines)]


def _calls(spec: Spec, cases: int) -> Iterator[str]:
    """Say how many calls a run makes, where a case takes more than one."""
    times, sides = spec.trials.times, 2 if spec.rival else 1
    if times * sides == 1:
        return
    of = [count(cases, "case")]
    of += [f"{times} trials of each"] if times > 1 else []
    of += ["asked of two endpoints"] if spec.rival else []
    yield f"a run makes {count(cases * times * sides, 'call')}: {', '.join(of)}"


def compare_results(old: Path, new: Path) -> Report:
    """Compare two results, with the older as baseline of the newer.

    A limit on a drop that had no baseline in that run has none here either, and is left
    out; the others stand as that run has held them.

    Raises:
        InputError: One of the folders holds no results, or damaged ones.
    """
    old, new = folder_of(old), folder_of(new)
    after = read_results(new, new.as_posix(), failing)
    # What was retrieved is told of cases that are worse, and those fail now.
    fails = {record.id for record in after.records.values() if failing(record)}
    before = read_results(old, old.as_posix(), lambda record: record.id in fails)
    found = read_report(new, new.as_posix())
    parts = {name for summary in found.summaries.values() for name in summary.slices}
    held = [gate for gate in found.gates if gate.outcome != "no_baseline"]
    notices = list(found.notices)
    if before.filters:
        notices.append(f"{old.as_posix()} covers only {' '.join(before.filters)}")
    return found.model_copy(
        update={
            "comparison": compare(after, before, slices=sorted(parts)),
            "gates": tuple(held),
            "notices": tuple(notices),
        }
    )


def render_results(results: Path, to: str, templates: Path) -> str:
    """Render the results of an earlier run again.

    Raises:
        InputError: The folder holds no results, or damaged ones.
    """
    results = folder_of(results)
    found = read_report(results, results.as_posix())
    names = {
        name.partition(".")[0]: make
        for name, make in renderings(templates, results).items()
    }
    return {**names, "html": names["report"]}[to](found)


def save_baseline(results: Path, to: Path, workspace: Path) -> list[str]:
    """Write the baseline of a results folder; give the lines to print.

    Raises:
        InputError: The results are damaged, or do not cover every case.
    """
    results = folder_of(results)
    if os.path.realpath(to) == os.path.realpath(results):
        raise InputError(
            "the baseline would take the place of the results",
            where=Place(to.as_posix()),
            hint="name another folder with --to",
        )
    kept = baseline.stripped(read_report(results, results.as_posix()))
    records = read_results(results, results.as_posix()).records.values()
    with ResultsFolder(to, root=Path("/"), redactor=Redactor(())) as folder:
        for position, record in enumerate(records):
            folder.case(position, baseline.stripped_record(record))
        folder.finish(kept, {})
    there = count(len(records), "case")
    return [
        f"{there} kept in {to}; commit it, and name it in the spec:",
        f"  baseline: {{path: {_in_a_spec(to, workspace)}}}",
    ]


def _in_a_spec(path: Path, root: Path) -> str:
    """Give a path as any spec of a workspace may write it: from the top of it."""
    top, real = (Path(os.path.realpath(each)) for each in (root, path))
    is_inside = real.is_relative_to(top)
    return f"/{real.relative_to(top).as_posix()}" if is_inside else path.as_posix()


def metric_lines() -> list[str]:
    """Give a line for each name that a threshold may have: metrics in layer order."""
    listed = sorted(registry.values(), key=lambda m: (LAYERS.index(m.layer), m.name))
    counted = ", ".join(metric.name for metric in listed if metric.unit)
    endings = ", ".join(f"_{ending}" for ending in STATISTICS)
    rows = [
        *((m.layer, m.name, m.summary + " By a judge." * m.judged) for m in listed),
        *(("run", name, said) for name, said in RUN_LEVEL_SUMMARIES.items()),
        ("run", "latency_p95", f"Over all cases; so {endings} of {counted}."),
    ]
    width = max(len(name) for _, name, _ in rows)
    return [
        f"{layer:<10} {name:<{width}} {said.replace('``', '`')}"
        for layer, name, said in rows
    ]


def check_examples(path: Path) -> tuple[list[str], bool]:
    """Give a line for each hand-worked example, and whether all agree.

    Raises:
        InputError: The file or an example in it is malformed.
    """
    found = worked_examples.check(files.read_rows(path, file=path.as_posix()), registry)
    return [str(example) for example in found], all(e.agrees for e in found)

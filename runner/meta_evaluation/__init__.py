"""Meta-evaluation of the judge (``rag-eval calibrate``): how far it agrees with people.

The judged metrics score replies that people labelled good or bad, as a run would. The
result is the ``Calibration`` (see ``calibration``) that lets the judge block in a run.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from runner import __version__, files, pipeline
from runner.calibration import Calibration, Labels, TaskFingerprint
from runner.errors import InputError, Unavailable, masking
from runner.judges.chat import Chance
from runner.judges.estimate import describe, of_replies
from runner.judges.fingerprints import fingerprints
from runner.judges.judging import Judging
from runner.judges.opening import Context, open_judge
from runner.labels import Label, Replies, annotator_pairs, no_replies, read
from runner.meta_evaluation._lines import lines
from runner.meta_evaluation._measures import LabelledMeasure, labelled_measures
from runner.meta_evaluation._rating import Rater
from runner.meta_evaluation._result import MeasureResult, rated_measure
from runner.model import Failed, JudgeAccount
from runner.pipeline import Plan, with_weights
from runner.redact import Redactor
from runner.scores import Scope
from runner.session import World
from runner.spec import JudgeSpec
from runner.units import count

__all__ = ["Request", "Result", "Study", "carry_out", "prepare"]

_LIMIT = 256 * 2**20  # bytes of a file of labels


class Request(NamedTuple):
    """What the user asked for."""

    spec: Path
    labels: Path
    replies: Path | None = None
    """A ``responses.jsonl`` with the replies to labels that give a case id alone."""
    good: Mapping[str, float] = {}
    """By measure, the score from which on a reply is good; replaces the pass mark."""
    copies: int = 40
    """Items of each measure of which perturbed copies are rated too."""
    seed: int = 1


class Study(NamedTuple):
    """A meta-evaluation before the judge is asked anything."""

    request: Request
    plan: Plan
    judge: JudgeSpec
    labels: Sequence[Label]
    measures: Sequence[LabelledMeasure]

    def describe(self, templates: Path) -> Iterator[str]:
        """Say how many items are rated and about what that costs.

        Args:
            templates: The folder of all templates, for the size of the prompts.
        """
        copies = self.request.copies
        for one in self.measures:
            copied = min(copies, len(one.items)) * len(one.perturbations())
            more = f", and {count(copied, 'changed copy', 'changed copies')}"
            items = count(len(one.items), "item")
            yield f"{one.measure.label}: {items}{more if copied else ''}"
        if self.judge.recorded is None:
            rated = [rating for one in self.measures for rating in one.ratings(copies)]
            found = of_replies(self.judge, rated, templates)
            yield from describe(found, self.judge, "")

    @property
    def total(self) -> int:
        """The most items and perturbed copies that are rated."""
        return sum(one.total(self.request.copies) for one in self.measures)

    def out(self, root: Path) -> Path:
        """Give the default path of the calibration: ``judge.calibration`` of the spec.

        Args:
            root: The workspace.

        Raises:
            InputError: It is out of the workspace.
        """
        written = self.judge.calibration
        if written is None:
            return Path("calibration.json")
        where = self.plan.place("judge", "calibration")
        return files.named(written, spec=self.plan.spec.file, root=root, where=where)

    def naming(self, path: Path, root: Path) -> Iterator[str]:
        """Say how the spec names the calibration that was written, unless it does.

        Args:
            path: What was written.
            root: The workspace.
        """
        top, real = (Path(os.path.realpath(each)) for each in (root, path))
        if self.judge.calibration is None and real.is_relative_to(top):
            place = real.relative_to(top).as_posix()
            yield f"name it in the spec, under judge: calibration: /{place}"


class Result(NamedTuple):
    """The calibration, and the lines that tell people of it."""

    calibration: Calibration
    summary: Sequence[str]

    @property
    def text(self) -> str:
        """The content of ``calibration.json``."""
        return self.calibration.model_dump_json(indent=2) + "\n"


def prepare(request: Request, world: World, today: date) -> Study:
    """Read the spec and the labels; nothing is sent yet.

    Raises:
        InputError: The spec or the labels are wrong, or the spec has no judge.
    """
    plan = pipeline.plan(request.spec, world.root, world.environ, today=today)
    judge = plan.spec.judge
    if judge is None:
        hint = "write judge: {url: ..., model: ...}"
        raise InputError("the spec has no judge", where=plan.place(), hint=hint)
    labels = _labels(request, plan)
    measures = labelled_measures(plan, labels, request.good)
    return Study(request, plan, judge, labels, measures)


def _labels(request: Request, plan: Plan) -> list[Label]:
    file, mapping = request.labels.as_posix(), plan.spec.endpoint.response
    rows = files.read_rows(request.labels, file=file)
    if request.replies is None:
        return read(rows, no_replies, shown=mapping)
    with closing(Replies(plan, request.replies)) as replies:
        return read(rows, replies.look_up, shown=mapping)


def carry_out(
    study: Study, world: World, today: date, tick: Callable[[], object] = lambda: None
) -> Result:
    """Ask the judge about every item, and give how far it agrees with people.

    Args:
        study: What is rated.
        world: Where files are, and how a run is stopped.
        today: In UTC; the date of the calibration.
        tick: Called for each item that was rated.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
        Unavailable: No item of some measure got a score.
        Cancelled: The user stopped it.
    """
    plan, hide = study.plan, Redactor(study.plan.spec.secrets).text
    tasks = [task for one in study.measures for task in one.measure.metric.tasks]
    known = fingerprints(tasks, world.templates)
    with masking(hide):
        around = Context(
            world.root,
            world.templates,
            plan.spec.file,
            plan.place,
            plan.spec.secrets,
        )
        chance = Chance(random.uniform)
        with closing(open_judge(study.judge, around, chance)) as judging:
            rater = _rater(study, world, judging, tick)
            found = _rated_measures(study, rater, known)
            account, notices = judging.account(), judging.notices()
    calibration = Calibration(
        made=today,
        judge=study.judge.identity,
        labels=_source(study),
        metrics={one.of.measure.label: one.entry for one in found},
        version=__version__,
    )
    report = _report_lines(study, found, calibration, known)
    shown = [*report, _cost(account), *notices]
    return Result(calibration, list(map(hide, shown)))


def _rater(
    study: Study, world: World, judging: Judging, tick: Callable[[], object]
) -> Rater:
    scope, threads = Scope.of(study.plan.spec.endpoint), study.judge.concurrency
    return Rater(scope, judging.judge(), threads, world.interruptible, tick)


def _rated_measures(
    study: Study, rater: Rater, known: Mapping[str, TaskFingerprint]
) -> list[MeasureResult]:
    """Rate every item; the perturbed copies last, so that a useless judge ends early.

    Raises:
        Unavailable: No item of some measure got a score.
    """
    found = [rated_measure(one, rater, known) for one in study.measures]
    for one in found:
        _check_rated(one, study)
    copies, seed = study.request.copies, study.request.seed
    return [one.with_flips(rater, copies, seed) for one in found]


def _check_rated(found: MeasureResult, study: Study) -> None:
    failed = [row.score for row in found.rows if isinstance(row.score, Failed)]
    if failed and not found.entry.whole.table.total:
        items = count(len(failed), "item")
        what = f"no score of {found.of.measure.label} on any of {items}"
        raise Unavailable(
            f"{what}: {failed[0].reason}", where=study.plan.place("judge")
        )


def _source(study: Study) -> Labels:
    path = study.request.labels
    content = files.read_bytes(path, file=path.as_posix(), limit=_LIMIT)
    return Labels(
        file=path.name,
        sha256=sha256(content).hexdigest(),
        annotators=len({label.annotator for label in study.labels}),
        disputed=sum(one.disputed for one in study.measures),
    )


def _report_lines(
    study: Study,
    found: Sequence[MeasureResult],
    calibration: Calibration,
    known: Mapping[str, TaskFingerprint],
) -> Iterator[str]:
    spec = study.plan.spec
    judged = {one.of.measure.label: one for one in found}
    rated = tuple(measure for measure in spec.measures if measure.label in judged)
    plan = study.plan._replace(spec=spec._replace(measures=rated))
    weights = with_weights(plan, calibration, known).weights
    pairs = list(annotator_pairs(study.labels))
    for label, one in judged.items():
        weight = weights[label]
        may = "it may block" if weight.calibrated else "it only advises"
        ours = [pair for pair in pairs if pair.metric == label]
        yield from lines(one, ours, f"{may}: {weight.why}")
        yield ""
    for measure in spec.measures:
        if measure.metric.judged and measure.label not in judged:
            yield f"{measure.label}: no label"


def _cost(account: JudgeAccount) -> str:
    tokens = account.input_tokens + account.output_tokens
    usd = "" if account.usd is None else f", {account.usd:.4f} USD"
    said = f"{count(account.calls, 'request')}, {count(tokens, 'token')}{usd}"
    return f"{said}; {account.stored:,} of {account.rated:,} ratings were stored"

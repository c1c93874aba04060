"""A judge is held against people: labels in, how far it agrees out.

The metrics run as in a run, on the replies that people labelled; what comes of it is a
``Calibration``, by which a run decides whether its judge may.
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
from runner.calibrate._held import Held, held
from runner.calibrate._rating import Rater
from runner.calibrate._shown import shown
from runner.calibrate._wanted import Wanted, wanted
from runner.calibration import Calibration, Labels
from runner.errors import InputError, Unavailable, masking
from runner.judges.chat import Chance
from runner.judges.estimate import of_replies, told
from runner.judges.judging import Judging
from runner.judges.opening import Around, opened
from runner.judges.prints import prints
from runner.labels import Label, Replies, between, nobody, read
from runner.model import Failed, JudgeAccount
from runner.pipeline import Plan, weighed
from runner.redact import Redactor
from runner.scores import Scope
from runner.session import World
from runner.spec import JudgeSpec
from runner.units import count

__all__ = ["Asked", "Found", "Order", "carried_out", "ready"]


class Order(NamedTuple):
    """What the user asked for."""

    spec: Path
    labels: Path
    replies: Path | None = None
    """A recording that holds what labels name by an id alone."""
    good: Mapping[str, float] = {}
    """By measure, from which score on it is good, in the place of the pass mark."""
    copies: int = 40
    """Of how many items of each measure changed copies are rated too."""
    seed: int = 1


class Asked(NamedTuple):
    """Everything that is known before the judge is asked."""

    order: Order
    plan: Plan
    judge: JudgeSpec
    labels: Sequence[Label]
    wanted: Sequence[Wanted]

    def told(self, templates: Path) -> Iterator[str]:
        """Say what it will take, by the prompts in the folder of all templates."""
        for one in self.wanted:
            copies = min(self.order.copies, len(one.items))
            kinds = len(one.changes()) if copies else 0
            more = f", and {count(copies * kinds, 'changed copy', 'changed copies')}"
            items = count(len(one.items), "item")
            yield f"{one.measure.label}: {items}{more if kinds else ''}"
        if self.judge.recorded is None:
            rated = [
                rating
                for one in self.wanted
                for rating in one.ratings(self.order.copies)
            ]
            yield from told(of_replies(self.judge, rated, templates), self.judge, "")

    @property
    def total(self) -> int:
        """How many items and changed copies are rated at most."""
        return sum(one.total(self.order.copies) for one in self.wanted)

    def out(self, root: Path) -> Path:
        """Give where the calibration goes when nobody says: where the spec has it.

        Raises:
            InputError: That is out of the workspace.
        """
        written = self.judge.calibration
        if written is None:
            return Path("calibration.json")
        where = self.plan.place("judge", "calibration")
        return files.named(written, spec=self.plan.spec.file, root=root, where=where)

    def naming(self, path: Path, root: Path) -> Iterator[str]:
        """Say how the spec names what was written, where it does not yet.

        Args:
            path: What was written.
            root: The workspace.
        """
        top, real = (Path(os.path.realpath(each)) for each in (root, path))
        if self.judge.calibration is None and real.is_relative_to(top):
            place = real.relative_to(top).as_posix()
            yield f"name it in the spec, under judge: calibration: /{place}"


class Found(NamedTuple):
    """A judge beside people."""

    calibration: Calibration
    told: Sequence[str]

    @property
    def text(self) -> str:
        """What ``calibration.json`` holds."""
        return self.calibration.model_dump_json(indent=2) + "\n"


def ready(order: Order, world: World, today: date) -> Asked:
    """Give what is to be done, before anything is sent.

    Raises:
        InputError: The spec or the labels are wrong, or the spec has no judge.
    """
    plan = pipeline.plan(order.spec, world.root, world.environ, today=today)
    judge = plan.spec.judge
    if judge is None:
        hint = "write judge: {url: ..., model: ...}"
        raise InputError("the spec has no judge", where=plan.place(), hint=hint)
    labels = _labels(order, plan)
    return Asked(order, plan, judge, labels, wanted(plan, labels, order.good))


def _labels(order: Order, plan: Plan) -> list[Label]:
    file, shown_ = order.labels.as_posix(), plan.spec.endpoint.response
    rows = files.read_rows(order.labels, file=file)
    if order.replies is None:
        return read(rows, nobody, shown=shown_)
    with closing(Replies(plan, order.replies)) as replies:
        return read(rows, replies.look_up, shown=shown_)


def carried_out(
    asked: Asked, world: World, today: date, tick: Callable[[], object] = lambda: None
) -> Found:
    """Ask the judge, and give how far it agrees with people.

    ``tick`` is called for each item that was rated.

    Raises:
        InputError: A host may not be asked, or a file cannot be read or written.
        Unavailable: Of some measure no item got a score.
        Cancelled: Somebody said stop.
    """
    plan = asked.plan
    secrets = plan.spec.secrets
    with masking(Redactor(secrets).text):
        around = Around(
            world.root, world.templates, plan.spec.file, plan.place, secrets
        )
        with closing(opened(asked.judge, around, Chance(random.uniform))) as judging:
            found = _held(asked, world, judging, tick)
            account, notices = judging.account(), judging.notices()
    calibration = Calibration(
        made=today,
        judge=asked.judge.identity,
        labels=_source(asked),
        metrics={one.wanted.measure.label: one.entry for one in found},
        version=__version__,
    )
    lines = [*_told(asked, world, found, calibration), _spent(account), *notices]
    return Found(calibration, [Redactor(secrets).text(line) for line in lines])


def _held(
    asked: Asked, world: World, judging: Judging, tick: Callable[[], object]
) -> list[Held]:
    """Give each measure beside people; what changed copies take comes last."""
    order, scope = asked.order, Scope.of(asked.plan.spec.endpoint)
    threads, stoppable = asked.judge.concurrency, world.interruptible
    rater = Rater(scope, judging.judge(), threads, stoppable, tick)
    known = prints(
        [task for one in asked.wanted for task in one.measure.metric.tasks],
        world.templates,
    )
    found = [held(one, rater, known) for one in asked.wanted]
    for one in found:
        _check_rated(one, asked)
    return [one.with_flips(rater, order.copies, order.seed) for one in found]


def _check_rated(found: Held, asked: Asked) -> None:
    """See that the judge gave something at all."""
    failed = [row.score for row in found.rows if isinstance(row.score, Failed)]
    if failed and not found.entry.whole.table.total:
        items = count(len(failed), "item")
        what = f"no score of {found.wanted.measure.label} on any of {items}"
        raise Unavailable(
            f"{what}: {failed[0].reason}", where=asked.plan.place("judge")
        )


def _source(asked: Asked) -> Labels:
    path = asked.order.labels
    content = files.read_bytes(path, file=path.as_posix(), limit=_LIMIT)
    return Labels(
        file=path.name,
        sha256=sha256(content).hexdigest(),
        annotators=len({label.annotator for label in asked.labels}),
        disputed=sum(one.disputed for one in asked.wanted),
    )


_LIMIT = 256 * 2**20  # bytes of a file of labels


def _told(
    asked: Asked, world: World, found: Sequence[Held], calibration: Calibration
) -> Iterator[str]:
    tasks = [task for one in found for task in one.wanted.measure.metric.tasks]
    known = prints(tasks, world.templates)
    judged = {one.wanted.measure.label for one in found}
    kept = [m for m in asked.plan.spec.measures if m.label in judged]
    spec = asked.plan.spec._replace(measures=tuple(kept))
    weights = weighed(asked.plan._replace(spec=spec), calibration, known).weights
    pairs = list(between(asked.labels))
    for one in found:
        label = one.wanted.measure.label
        weight = weights[label]
        may = "it may block" if weight.calibrated else "it only advises"
        ours = [pair for pair in pairs if pair.metric == label]
        yield from shown(one, ours, f"{may}: {weight.why}")
        yield ""
    for measure in asked.plan.spec.measures:
        if measure.metric.judged and measure.label not in judged:
            yield f"{measure.label}: no label"


def _spent(account: JudgeAccount) -> str:
    tokens = account.input_tokens + account.output_tokens
    usd = "" if account.usd is None else f", {account.usd:.4f} USD"
    said = f"{count(account.calls, 'request')}, {count(tokens, 'token')}{usd}"
    return f"{said}; {account.stored:,} of {account.rated:,} ratings were stored"

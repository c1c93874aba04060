"""Judged metrics: rated while others are asked, handed on in the order they came."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple

from runner.diagnosis import Examiner
from runner.errors import Cancelled, Unavailable
from runner.ledger import Entry
from runner.model import (
    LAYERS,
    Case,
    Drift,
    Failed,
    Finding,
    Judge,
    JudgeAccount,
    Measure,
    Score,
    Unscored,
)
from runner.pipeline._pool import Pool
from runner.scores import Asked, Scorer

Interruptible = Callable[[Iterable[Any]], Iterator[Any]]

_WINDOW = 8  # cases a thread that may wait for those before them
APART = 0.1
"""From here on two scores of one item are not the same."""

_STOPPED = Failed("the run was stopped before the judge had answered")
_SHARES = 2**32


class Rating(NamedTuple):
    """The judge of a run, as far as the line knows it."""

    judge: Callable[..., Judge]
    """Given a trial; ``fresh=True`` gives one that asks past all that is remembered."""
    account: Callable[[], JudgeAccount]
    close: Callable[[], object]
    """Ends every call in flight."""
    notices: Callable[[], Iterable[str]] = tuple
    """What the reader should know about where ratings came from."""
    concurrency: int = 8
    always: bool = False
    """Whether it is asked where a layer above has collapsed, too."""
    drift: float = 0.0
    """Share of the scores that are asked for again."""


class Half(NamedTuple):
    """A reply that was scored and diagnosed without a judge."""

    entry: Entry
    asked: Asked | None = None
    """None where there is no usable reply."""


class Stage:
    """Rates what is left of replies; keeps their order, a bounded number at a time.

    Args:
        rating: The judge.
        scorer: Knows what needs one.
        examiner: Diagnoses again, where what is judged decides.
        interruptible: Lets a wait be given up.
    """

    def __init__(
        self,
        rating: Rating,
        scorer: Scorer,
        examiner: Examiner,
        interruptible: Interruptible = iter,
    ) -> None:
        self._rating = rating
        self._scorer = scorer
        self._examiner = examiner
        self._interruptible = interruptible
        self._lock = Lock()
        self._items = 0
        self._flips = 0

    def account(self) -> JudgeAccount:
        """Give what judging took, and what came of asking again."""
        with self._lock:
            drift = Drift(items=self._items, flips=self._flips)
        return self._rating.account().model_copy(update={"drift": drift})

    def entries(self, halves: Iterable[Half]) -> Iterator[Entry]:
        """Give every reply with its judged scores.

        Where the source of replies gives up, what is being rated is waited for first;
        where somebody says stop, it is given up.

        Raises:
            Unavailable: The source raised it.
            Cancelled: Somebody said stop.
        """
        waiting: deque[_Open] = deque()
        stopped: Unavailable | Cancelled | None = None
        pool = Pool(self._rating.concurrency)
        try:
            try:
                yield from self._while_asking(halves, waiting, pool)
            except (Unavailable, Cancelled) as error:
                stopped = error
            yield from self._rest(waiting, stopped, pool)
        finally:
            pool.end()

    def _while_asking(
        self, halves: Iterable[Half], waiting: deque[_Open], pool: Pool
    ) -> Iterator[Entry]:
        most = _WINDOW * self._rating.concurrency
        for half in halves:
            waiting.append(self._opened(half, pool))
            while waiting and (waiting[0].is_done or len(waiting) > most):
                self._wait(waiting[0])
                yield self._closed(waiting.popleft())

    def _rest(
        self,
        waiting: Iterable[_Open],
        stopped: Unavailable | Cancelled | None,
        pool: Pool,
    ) -> Iterator[Entry]:
        """Give what is left when all was asked; raise what ended the asking."""
        for reply in waiting:
            try:
                if not isinstance(stopped, Cancelled):
                    self._wait(reply)
            except Cancelled as error:
                stopped = error
            if isinstance(stopped, Cancelled):
                self._rating.close()
                pool.end()
            yield self._closed(reply)
        if stopped:
            raise stopped

    def _opened(self, half: Half, pool: Pool) -> _Open:
        """Have what a reply lacks rated."""
        if half.asked is None:
            return _Open(half, [])
        scores = list(half.entry.scores)
        jobs = []
        for position in self._scorer.unjudged(scores):
            if why := self._skipped(half.entry.finding, position):
                scores[position] = why
            else:
                job = pool.submit(partial(self._rated, half, half.asked, position))
                jobs.append((position, job))
        entry = half.entry._replace(scores=scores)
        return _Open(half._replace(entry=entry), jobs)

    def _skipped(self, finding: Finding, position: int) -> Unscored | None:
        """Say why a judge is not asked: the layers above have shown what is wrong."""
        collapsed, layer = finding.layer, self._scorer.measures[position].layer
        if self._rating.always or finding.outcome != "failed" or collapsed is None:
            return None
        if LAYERS.index(collapsed) >= LAYERS.index(layer):
            return None
        return Unscored(f"not judged, as {collapsed} failed before it")

    def _rated(self, half: Half, asked: Asked, position: int) -> Score:
        trial = half.entry.exchange.trial
        score = self._scorer.rate(asked, position, self._rating.judge(trial))
        measure = self._scorer.measures[position]
        if trial == 1 and _is_watched(asked.case, measure, self._rating.drift):
            again = self._rating.judge(trial, fresh=True)
            self._compare(score, self._scorer.rate(asked, position, again))
        return score

    def _compare(self, score: Score, again: Score) -> None:
        if isinstance(score, Failed) or isinstance(again, Failed):
            return
        with self._lock:
            self._items += 1
            self._flips += not _are_alike(score, again)

    def _wait(self, reply: _Open) -> None:
        if not reply.is_done:
            for _ in self._interruptible(reply.done()):
                pass

    def _closed(self, reply: _Open) -> Entry:
        """Give the entry with what was rated; what was not is failed."""
        entry, asked = reply.half
        if asked is None or not reply.jobs:
            return entry
        scores = list(entry.scores)
        for position, job in reply.jobs:
            ended = job.done() and not job.cancelled()
            scores[position] = job.result() if ended else _STOPPED
        finding = entry.finding
        if self._examiner.decides_by(position for position, _ in reply.jobs):
            finding = self._examiner.diagnose(asked, scores)
        return entry._replace(scores=scores, finding=finding)


class _Open(NamedTuple):
    """A reply of which some scores are being rated."""

    half: Half
    jobs: Sequence[tuple[int, Future[Score]]]
    """Position in the row, and its score to come."""

    @property
    def is_done(self) -> bool:
        return all(job.done() for _, job in self.jobs)

    def done(self) -> Iterator[bool]:
        """Give one thing, when all is rated."""
        wait([job for _, job in self.jobs])
        yield True


def _is_watched(case: Case, measure: Measure, share: float) -> bool:
    """Whether a score is one of those asked for again, the same in each run."""
    name = f"{case.question}\0{case.tenant}\0{measure.label}"
    digest = blake2b(name.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * _SHARES


def _are_alike(one: Score, other: Score) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return round(abs(one - other), 9) < APART
    return isinstance(one, float) == isinstance(other, float)

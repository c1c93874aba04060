"""Rates replies by the judged metrics, in threads, while further cases are asked."""

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

_WINDOW = 8  # replies for each thread that may wait for earlier ones
UNEQUAL = 0.1
"""From this difference on two scores of one item count as different."""

_STOPPED = Failed("the run was stopped before the judge had answered")
_HASHES = 2**32  # values of four bytes


class Rating(NamedTuple):
    """The judge of a run, as the pipeline uses it."""

    judge: Callable[..., Judge]
    """Gives the judge of a trial; with ``fresh=True`` one that reads no cache."""
    account: Callable[[], JudgeAccount]
    close: Callable[[], object]
    """Ends every call in flight."""
    notices: Callable[[], Iterable[str]] = tuple
    """What the reader should know about where ratings came from."""
    concurrency: int = 8
    always: bool = False
    """Whether it is asked also where an earlier layer has failed."""
    drift: float = 0.0
    """Share of the scores that are asked for twice, to see whether they agree."""


class PartlyScored(NamedTuple):
    """A reply scored and diagnosed by every metric that needs no judge."""

    entry: Entry
    asked: Asked | None = None
    """None where there is no usable reply."""


class Rater:
    """Adds the judged scores to replies, and gives them in the order they came.

    A bounded number of replies is held at a time.

    Args:
        rating: The judge.
        scorer: Tells which scores need one, and has it rate them.
        examiner: Diagnoses a reply again where a judged score decides.
        interruptible: Lets a signal end a wait.
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
        """Give the account of the judge, with its drift."""
        with self._lock:
            drift = Drift(items=self._items, flips=self._flips)
        return self._rating.account().model_copy(update={"drift": drift})

    def entries(self, replies: Iterable[PartlyScored]) -> Iterator[Entry]:
        """Give the entry of every reply, judged scores included.

        Where the source of replies fails, ratings in progress are waited for; where the
        run is cancelled, they are dropped and their scores are failed.

        Raises:
            Unavailable: The source raised it.
            Cancelled: The run was stopped.
        """
        waiting: deque[_BeingRated] = deque()
        stopped: Unavailable | Cancelled | None = None
        pool = Pool(self._rating.concurrency)
        try:
            try:
                yield from self._while_asking(replies, waiting, pool)
            except (Unavailable, Cancelled) as error:
                stopped = error
            yield from self._remaining(waiting, stopped, pool)
        finally:
            pool.end()

    def _while_asking(
        self, replies: Iterable[PartlyScored], waiting: deque[_BeingRated], pool: Pool
    ) -> Iterator[Entry]:
        most = _WINDOW * self._rating.concurrency
        for reply in replies:
            waiting.append(self._submit(reply, pool))
            while waiting and (waiting[0].is_done or len(waiting) > most):
                self._wait(waiting[0])
                yield self._completed(waiting.popleft())

    def _remaining(
        self,
        waiting: Iterable[_BeingRated],
        stopped: Unavailable | Cancelled | None,
        pool: Pool,
    ) -> Iterator[Entry]:
        """Give what is left when all was asked; raise ``stopped`` after it."""
        for rated in waiting:
            try:
                if not isinstance(stopped, Cancelled):
                    self._wait(rated)
            except Cancelled as error:
                stopped = error
            if isinstance(stopped, Cancelled):
                self._rating.close()
                pool.end()
            yield self._completed(rated)
        if stopped:
            raise stopped

    def _submit(self, reply: PartlyScored, pool: Pool) -> _BeingRated:
        """Have the judged scores of a reply rated in the pool."""
        if reply.asked is None:
            return _BeingRated(reply, [])
        scores = list(reply.entry.scores)
        jobs = []
        for position in self._scorer.unjudged(scores):
            if why := self._skipped(reply.entry.finding, position):
                scores[position] = why
            else:
                job = pool.submit(partial(self._rated, reply, reply.asked, position))
                jobs.append((position, job))
        entry = reply.entry._replace(scores=scores)
        return _BeingRated(reply._replace(entry=entry), jobs)

    def _skipped(self, finding: Finding, position: int) -> Unscored | None:
        """Give why the judge is not asked: an earlier layer has failed; else None."""
        collapsed, layer = finding.layer, self._scorer.measures[position].layer
        if self._rating.always or finding.outcome != "failed" or collapsed is None:
            return None
        if LAYERS.index(collapsed) >= LAYERS.index(layer):
            return None
        return Unscored(f"not judged, as {collapsed} failed before it")

    def _rated(self, reply: PartlyScored, asked: Asked, position: int) -> Score:
        trial = reply.entry.exchange.trial
        score = self._scorer.rate(asked, position, self._rating.judge(trial))
        measure = self._scorer.measures[position]
        if trial == 1 and _is_repeated(asked.case, measure, self._rating.drift):
            again = self._rating.judge(trial, fresh=True)
            self._compare(score, self._scorer.rate(asked, position, again))
        return score

    def _compare(self, score: Score, again: Score) -> None:
        if isinstance(score, Failed) or isinstance(again, Failed):
            return
        with self._lock:
            self._items += 1
            self._flips += not _are_alike(score, again)

    def _wait(self, rated: _BeingRated) -> None:
        if not rated.is_done:
            for _ in self._interruptible(rated.done()):
                pass

    def _completed(self, rated: _BeingRated) -> Entry:
        """Give the entry with its judged scores; one that did not come is failed."""
        entry, asked = rated.reply
        if asked is None or not rated.jobs:
            return entry
        scores = list(entry.scores)
        for position, job in rated.jobs:
            ended = job.done() and not job.cancelled()
            scores[position] = job.result() if ended else _STOPPED
        finding = entry.finding
        if self._examiner.decides_by(position for position, _ in rated.jobs):
            finding = self._examiner.diagnose(asked, scores)
        return entry._replace(scores=scores, finding=finding)


class _BeingRated(NamedTuple):
    """A reply whose judged scores are on their way."""

    reply: PartlyScored
    jobs: Sequence[tuple[int, Future[Score]]]
    """Position of each in the row, and the future of its score."""

    @property
    def is_done(self) -> bool:
        return all(job.done() for _, job in self.jobs)

    def done(self) -> Iterator[bool]:
        """Give one item, once all are rated: an iterator can be interrupted."""
        wait([job for _, job in self.jobs])
        yield True


def _is_repeated(case: Case, measure: Measure, share: float) -> bool:
    """Whether a score is one of those asked for twice, the same in each run."""
    name = f"{case.question}\0{case.tenant}\0{measure.label}"
    digest = blake2b(name.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * _HASHES


def _are_alike(one: Score, other: Score) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return round(abs(one - other), 9) < UNEQUAL
    return isinstance(one, float) == isinstance(other, float)

"""Asks the judge about items, several at a time, and keeps what it gave in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from runner.labels import Item
from runner.meta_evaluation._perturbations import PERTURBATIONS
from runner.model import Judge, Measure, Response, Score, Unscored
from runner.scores import Scope, Scorer


class Ask(NamedTuple):
    """One item, as it is or perturbed, and the judge that rates it."""

    item: Item
    response: Response
    judge: Judge


class Rater:
    """Scores items by a measure, as a run would.

    Args:
        scope: How replies are read; it names no judge.
        judge: Whom to ask.
        threads: How many may be asked about at once.
        interruptible: Lets a wait be given up.
        tick: Called for each item that was rated.
    """

    def __init__(
        self,
        scope: Scope,
        judge: Judge,
        threads: int,
        interruptible: Callable[[Iterable[Score]], Iterator[Score]] = iter,
        tick: Callable[[], object] = lambda: None,
    ) -> None:
        self._scope = scope
        self._judge = judge
        self._threads = threads
        self._interruptible = interruptible
        self._tick = tick

    def scores(self, measure: Measure, items: Iterable[Item]) -> list[Score]:
        """Give the score of each item."""
        asks = [Ask(item, item.response, self._judge) for item in items]
        return self._rate(measure, asks)

    def perturbed(
        self, measure: Measure, items: Sequence[Item], name: str, seed: int
    ) -> list[Score]:
        """Give the score of each perturbed copy; unscored where there is none."""
        perturbation = PERTURBATIONS[name]
        judge = perturbation.judge(self._judge)
        copies = [perturbation.response(item, seed) for item in items]
        asks = [
            Ask(item, copy, judge)
            for item, copy in zip(items, copies, strict=True)
            if copy is not None
        ]
        rated = iter(self._rate(measure, asks))
        return [_UNCHANGED if copy is None else next(rated) for copy in copies]

    def _rate(self, measure: Measure, asks: Sequence[Ask]) -> list[Score]:
        score = self._scorer(measure)
        pool = ThreadPoolExecutor(self._threads, thread_name_prefix="judge")
        try:
            return list(self._counted(self._interruptible(pool.map(score, asks))))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _counted(self, scores: Iterable[Score]) -> Iterator[Score]:
        for score in scores:
            self._tick()
            yield score

    def _scorer(self, measure: Measure) -> Callable[[Ask], Score]:
        def score(ask: Ask) -> Score:
            scorer = Scorer([measure], self._scope._replace(judge=ask.judge))
            return scorer.row(scorer.asked(ask.item.case, ask.response))[0]

        return score


_UNCHANGED = Unscored("there is nothing to change")

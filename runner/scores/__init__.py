"""Applies each metric to each response; the only place that catches its exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runner.cases import ANSWERABLE_ONLY
from runner.metrics import NO_PASSAGES
from runner.model import Case, Judge, Layer, Measure, Response, Score, Unscored
from runner.scores._column import Column
from runner.scores._groups import grouped
from runner.scores._inputs import (
    NO_JUDGE,
    ONLY_CITED,
    SHOULD_DECLINE,
    Asked,
    Scope,
    declined,
    ranking,
    read,
    walls,
)

__all__ = [
    "NO_JUDGE",
    "NO_PASSAGES",
    "NO_REPLY",
    "Asked",
    "Column",
    "Scope",
    "Scorer",
    "declined",
    "walls",
]

NO_REPLY = Unscored("no usable reply came")


def _inapplicable(asked: Asked) -> Mapping[Layer, Unscored]:
    """Give the layers that do not apply to a case, each with why."""
    if asked.case.expect_refusal:
        return _REFUSAL_CASE
    return _DECLINES if asked.declined else _ALL_APPLY


def _not_judged(asked: Asked, layer: Layer) -> Unscored | None:
    """Give why a judge is not asked about a reply: no answer, or no ranking to rate."""
    if layer == "answer":
        should = SHOULD_DECLINE if asked.case.expect_refusal else None
        return should or (_DECLINED if asked.declined else None)
    ranked = layer in ("retrieval", "context")
    return ONLY_CITED if ranked and asked.scope.only_cited else None


_ALL_APPLY: Mapping[Layer, Unscored] = {}
_DECLINED = Unscored("the reply declined")
_DECLINES: Mapping[Layer, Unscored] = {"grounding": _DECLINED}
_REFUSAL_CASE: Mapping[Layer, Unscored] = dict.fromkeys(ANSWERABLE_ONLY, SHOULD_DECLINE)
_READ_DECLINED: frozenset[Layer] = frozenset({"refusal", "grounding", "answer"})
"""Layers that are scored differently where a reply declined."""


class Scorer:
    """Scores replies by a fixed list of measures, in its order."""

    def __init__(self, measures: Sequence[Measure], scope: Scope | None = None) -> None:
        self.measures = tuple(measures)
        self._scope = scope or Scope()
        self._groups = tuple(grouped(self.measures))
        self._judged = {
            position: next(iter(grouped([measure])))
            for position, measure in enumerate(self.measures)
            if measure.metric.judged
        }
        positions = [each for group in self._groups for each in group.positions]
        # Of each measure, which of the scores that the groups give is its own.
        self._order = sorted(range(len(positions)), key=positions.__getitem__)
        self._inputs = {name for group in self._groups for name in group.inputs}
        self._reads_declined = "declined" in self._inputs or any(
            group.layer in _READ_DECLINED for group in self._groups
        )

    def asked(self, case: Case, response: Response) -> Asked:
        """Give a case and its reply with what metrics and diagnosis read of them."""
        decided = declined(case, response) if self._reads_declined else None
        ranked = ranking(case, response, self._scope)
        return Asked(case, response, self._scope, decided, ranked)

    def row(self, asked: Asked) -> tuple[Score, ...]:
        """Give one score per measure: a number, or why there is none."""
        values = read(self._inputs, asked)
        inapplicable = _inapplicable(asked)
        scores: list[Score] = []
        for group in self._groups:
            why = inapplicable.get(group.layer)
            if group.judged and why is None:
                why = _not_judged(asked, group.layer)
            scores += group.scores(values, why)
        return tuple(map(scores.__getitem__, self._order))

    def unjudged(self, row: Sequence[Score]) -> list[int]:
        """Give the positions in a row that have no score only for want of a judge."""
        return [position for position in self._judged if row[position] is NO_JUDGE]

    def rate(self, asked: Asked, position: int, judge: Judge) -> Score:
        """Give the score of one judged measure; threads may call it at once."""
        group = self._judged[position]
        values = {**read(group.inputs, asked), "judge": judge}
        return group.scores(values, _inapplicable(asked).get(group.layer))[0]

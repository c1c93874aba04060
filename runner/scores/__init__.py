"""Applies each metric to each response; the only place that catches its exceptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress, count, product
from typing import Any, NamedTuple

from runner.cases import ANSWERABLE_ONLY
from runner.metrics import NO_PASSAGES, Walls, rank
from runner.model import (
    Absent,
    Case,
    Judge,
    Layer,
    Match,
    Measure,
    Ranking,
    Response,
    Score,
    Unscored,
)
from runner.scores._column import Column
from runner.scores._groups import grouped
from runner.spec import EndpointSpec
from runner.text import declines, states

__all__ = [
    "NO_JUDGE",
    "NO_PASSAGES",
    "NO_REPLY",
    "Asked",
    "Column",
    "Scope",
    "Scorer",
    "walls",
]

NO_REPLY = Unscored("no usable reply came")
NO_JUDGE = Unscored("no judge was asked")


class Scope(NamedTuple):
    """What of the spec decides how replies are read."""

    match: Match = "chunk"
    shared_tenants: tuple[str, ...] = ()
    only_cited: bool = False
    """The system shows only what it cited, so its ranking is unknown."""
    judge: Judge | None = None
    """The model that rates for judged metrics, where there is one."""

    @classmethod
    def of(cls, endpoint: EndpointSpec) -> Scope:
        """Give that of an endpoint's replies, without a judge."""
        only_cited = endpoint.response.scope == "cited"
        return cls(endpoint.match, endpoint.shared_tenants, only_cited=only_cited)


class Asked(NamedTuple):
    """One case with its reply: what every input of a metric is read from."""

    case: Case
    response: Response
    scope: Scope
    declined: bool | None
    ranking: Ranking | Unscored

    @property
    def has_hit(self) -> bool | None:
        """Whether a relevant passage came; None where case or reply cannot say."""
        ranked = self.ranking
        return any(ranked.gains) if isinstance(ranked, Ranking) else None

    @property
    def shown(self) -> frozenset[Layer]:
        """The layers that this reply shows enough of, whether or not it is measured.

        Of those alone that no default mark measures in every reply.
        """
        passages = self.response.passages or ()
        answers = self.declined is False and not self.case.expect_refusal
        read = answers and passages and None not in [each.text for each in passages]
        ranked = isinstance(self.ranking, Ranking)
        return _SHOWN[ranked, bool(ranked and passages), bool(read)]

    @property
    def hits(self) -> tuple[int, ...] | None:
        """The ranks of relevant passages; None where case or reply cannot say."""
        ranked = self.ranking
        if not isinstance(ranked, Ranking):
            return None
        return tuple(compress(count(1), ranked.hits))


_SHOWN: Mapping[tuple[bool, ...], frozenset[Layer]] = {
    flags: frozenset(compress(("retrieval", "context", "grounding"), flags))
    for flags in product((False, True), repeat=3)
}


def declined(case: Case, response: Response) -> bool | None:
    """Give whether a reply declined: by its flag, or by what its text says.

    A reply that declines and still states a key point counts as answered, unless it
    should decline, or the point is an echo of the question. None where there is
    neither a flag nor an answer.
    """
    answer = response.answer
    if answer is None:
        return response.refused
    if not (response.refused or declines(answer, case.refusal_phrases)):
        return False
    return case.expect_refusal or not any(
        states(answer, spelling) and not states(case.said, spelling)
        for point in case.key_points
        for spelling in point
    )


def walls(case: Case, shared_tenants: tuple[str, ...] = ()) -> Walls | None:
    """Give what must not cross to a case, or None where it names nothing."""
    if not case.has_walls:
        return None
    return Walls(
        case.tenant,
        case.forbidden_doc_ids,
        case.canaries,
        shared_tenants,
        case.said,
    )


def _ranking(case: Case, response: Response, scope: Scope) -> Ranking | Unscored:
    if case.expect_refusal:
        return _SHOULD_DECLINE
    if scope.only_cited:
        return _ONLY_CITED
    if not case.relevant:  # which is why, whatever the reply shows
        return _UNLABELLED
    if response.passages is None:
        return NO_PASSAGES
    return rank(response.passages, case.qrels, scope.match)


_SHOULD_DECLINE = Unscored("the right behaviour is to decline")
_ONLY_CITED = Unscored("the system shows only the passages it cited")
_UNLABELLED = Unscored("the case has no relevant ids")


class _Input(NamedTuple):
    """How one input of the vocabulary is read, and what its absence is called."""

    read: Callable[[Asked], Any]
    absent: Unscored = Unscored("")


_INPUTS: Mapping[str, _Input] = {
    "question": _Input(lambda asked: asked.case.said),
    "answer": _Input(
        lambda asked: asked.response.answer, Absent("the reply has no answer")
    ),
    "sent": _Input(
        lambda asked: asked.response.sent, Absent("the reply has no answer")
    ),
    "reference": _Input(
        lambda asked: asked.case.reference, Unscored("the case has no reference")
    ),
    "passages": _Input(
        lambda asked: asked.response.passages,
        NO_PASSAGES,
    ),
    "ranking": _Input(lambda asked: asked.ranking),
    "citations": _Input(
        lambda asked: asked.response.citations,
        Absent("the reply does not show citations"),
    ),
    "marks": _Input(lambda asked: asked.response.marks),
    "declined": _Input(
        lambda asked: asked.declined, Absent("the reply has no answer and no flag")
    ),
    "expect_refusal": _Input(lambda asked: asked.case.expect_refusal),
    "key_points": _Input(
        lambda asked: asked.case.key_points or None,
        Unscored("the case has no key points"),
    ),
    "forbidden": _Input(
        lambda asked: asked.case.must_not_include or None,
        Unscored("the case forbids no text"),
    ),
    "anchors": _Input(
        lambda asked: asked.case.anchors or None, Unscored("the case has no anchors")
    ),
    "intents": _Input(
        lambda asked: asked.case.intents or None, Unscored("the case has no intents")
    ),
    "walls": _Input(
        lambda asked: walls(asked.case, asked.scope.shared_tenants),
        Unscored("the case has no tenant, forbidden ids or canaries"),
    ),
    "usage": _Input(
        lambda asked: asked.response.usage, Absent("the reply states no usage")
    ),
    "latency": _Input(
        lambda asked: asked.response.latency, Absent("no latency was recorded")
    ),
    "time_to_first_token": _Input(
        lambda asked: asked.response.time_to_first_token,
        Absent("the reply did not stream"),
    ),
    "judge": _Input(lambda asked: asked.scope.judge, NO_JUDGE),
}


def _silenced(asked: Asked) -> Mapping[Layer, Unscored]:
    """Give the layers that do not apply to a case, each with why."""
    if asked.case.expect_refusal:
        return _REFUSAL_CASE
    return _DECLINES if asked.declined else _ALL_APPLY


def _spared(asked: Asked, layer: Layer) -> Unscored | None:
    """Give why a judge is not asked about a reply: no answer, or no ranking to rate."""
    if layer == "answer":
        should = _SHOULD_DECLINE if asked.case.expect_refusal else None
        return should or (_DECLINED if asked.declined else None)
    ranked = layer in ("retrieval", "context")
    return _ONLY_CITED if ranked and asked.scope.only_cited else None


_ALL_APPLY: Mapping[Layer, Unscored] = {}
_DECLINED = Unscored("the reply declined")
_DECLINES: Mapping[Layer, Unscored] = {"grounding": _DECLINED}
_REFUSAL_CASE: Mapping[Layer, Unscored] = dict.fromkeys(
    ANSWERABLE_ONLY, _SHOULD_DECLINE
)
_JUDGES_DECLINING: frozenset[Layer] = frozenset({"refusal", "grounding", "answer"})


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
        names = {name for group in self._groups for name in group.inputs}
        self._inputs = tuple((name, *_INPUTS[name]) for name in sorted(names))
        self._asks_declined = bool(names & {"declined"}) or any(
            group.layer in _JUDGES_DECLINING for group in self._groups
        )

    def asked(self, case: Case, response: Response) -> Asked:
        """Give the pair with what both metrics and diagnosis read from it."""
        decided = declined(case, response) if self._asks_declined else None
        ranking = _ranking(case, response, self._scope)
        return Asked(case, response, self._scope, decided, ranking)

    def row(self, asked: Asked) -> tuple[Score, ...]:
        """Give one score per measure: a number, or why there is none."""
        values = {}
        for name, read, absent in self._inputs:
            value = read(asked)
            values[name] = absent if value is None else value
        silenced = _silenced(asked)
        scores: list[Score] = []
        for group in self._groups:
            why = silenced.get(group.layer)
            if group.judged and why is None:
                why = _spared(asked, group.layer)
            scores += group.scores(values, why)
        return tuple(map(scores.__getitem__, self._order))

    def unjudged(self, row: Sequence[Score]) -> list[int]:
        """Give the positions in a row that lack nothing but a judge."""
        return [position for position in self._judged if row[position] is NO_JUDGE]

    def rated(self, asked: Asked, position: int, judge: Judge) -> Score:
        """Give the score of one judged measure; threads may call it at once."""
        group = self._judged[position]
        values: dict[str, Any] = {"judge": judge}
        for name in group.inputs:
            if name != "judge":
                read, absent = _INPUTS[name]
                value = read(asked)
                values[name] = absent if value is None else value
        return group.scores(values, _silenced(asked).get(group.layer))[0]

"""What metrics read from a case and its reply, by the names of their inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import compress, count
from typing import Any, NamedTuple

from runner.cases import LABELS
from runner.metrics import NO_PASSAGES, Walls, rank
from runner.model import (
    Absent,
    Case,
    Judge,
    Layer,
    Match,
    Ranking,
    Response,
    Unscored,
)
from runner.spec import EndpointSpec
from runner.text import declines, states

NO_JUDGE = Unscored("no judge was asked")


class Scope(NamedTuple):
    """The parts of a spec that decide how its metrics read replies."""

    match: Match = "chunk"
    shared_tenants: tuple[str, ...] = ()
    only_cited: bool = False
    """The system shows only what it cited, so its ranking is unknown."""
    judge: Judge | None = None
    """The model that rates for judged metrics, where there is one."""

    @classmethod
    def of(cls, endpoint: EndpointSpec) -> Scope:
        """Give the scope for the replies of an endpoint, without a judge."""
        only_cited = endpoint.response.scope == "cited"
        return cls(endpoint.match, endpoint.shared_tenants, only_cited=only_cited)


class Asked(NamedTuple):
    """One case with its reply: what every input of a metric is read from."""

    case: Case
    response: Response
    scope: Scope
    declined: bool | None
    """None where it cannot be told, and where no metric of the spec asks for it."""
    ranking: Ranking | Unscored

    @property
    def has_hit(self) -> bool | None:
        """Whether a relevant passage came; None where case or reply cannot say."""
        ranked = self.ranking
        return any(ranked.gains) if isinstance(ranked, Ranking) else None

    @property
    def layers_shown(self) -> frozenset[Layer]:
        """The layers that this reply holds evidence of, measured or not.

        Only those are named that no default mark measures in every reply.
        """
        passages = self.response.passages
        shown: set[Layer] = set()
        if isinstance(self.ranking, Ranking):
            shown.add("retrieval")
            if passages:
                shown.add("context")
        answers = self.declined is False and not self.case.expect_refusal
        if answers and passages and None not in [each.text for each in passages]:
            shown.add("grounding")
        return frozenset(shown)

    @property
    def hits(self) -> tuple[int, ...] | None:
        """The ranks of relevant passages; None where case or reply cannot say."""
        ranked = self.ranking
        if not isinstance(ranked, Ranking):
            return None
        return tuple(compress(count(1), ranked.hits))


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
        states(answer, spelling) and not states(case.user_text, spelling)
        for point in case.key_points
        for spelling in point
    )


def walls(case: Case, shared_tenants: tuple[str, ...] = ()) -> Walls | None:
    """Give what must not reach the asker of a case; None where it names nothing."""
    if not case.has_walls:
        return None
    return Walls(
        case.tenant,
        case.forbidden_doc_ids,
        case.canaries,
        shared_tenants,
        case.user_text,
    )


def ranking(case: Case, response: Response, scope: Scope) -> Ranking | Unscored:
    """Give the relevance of what was retrieved, or why it is unknown."""
    if case.expect_refusal:
        return SHOULD_DECLINE
    if scope.only_cited:
        return ONLY_CITED
    if not case.relevant:  # which is why, whatever the reply shows
        return _UNLABELLED
    if response.passages is None:
        return NO_PASSAGES
    return rank(response.passages, case.qrels, scope.match)


SHOULD_DECLINE = Unscored("the right behaviour is to decline")
ONLY_CITED = Unscored("the system shows only the passages it cited")
_UNLABELLED = Unscored(LABELS["ranking"].absent)


class _Input(NamedTuple):
    """How one input of the vocabulary is read; its value is None where it is absent."""

    read: Callable[[Asked], Any]
    absent: Unscored = Unscored("")
    """Why a metric that needs it has no score then."""


def _label(name: str) -> _Input:
    """Give how a label of the case is read."""
    label = LABELS[name]
    return _Input(lambda asked: label.value(asked.case) or None, Unscored(label.absent))


_INPUTS: Mapping[str, _Input] = {
    "question": _Input(lambda asked: asked.case.user_text),
    "answer": _Input(
        lambda asked: asked.response.answer, Absent("the reply has no answer")
    ),
    "sent": _Input(
        lambda asked: asked.response.sent, Absent("the reply has no answer")
    ),
    "reference": _label("reference"),
    "passages": _Input(lambda asked: asked.response.passages, NO_PASSAGES),
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
    "key_points": _label("key_points"),
    "forbidden": _label("forbidden"),
    "anchors": _label("anchors"),
    "intents": _label("intents"),
    "walls": _Input(
        lambda asked: walls(asked.case, asked.scope.shared_tenants),
        Unscored(LABELS["walls"].absent),
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


def read(names: Iterable[str], asked: Asked) -> dict[str, Any]:
    """Give the value of each input, or why it is absent, by its name."""
    values = {}
    for name in names:
        get, absent = _INPUTS[name]
        value = get(asked)
        values[name] = absent if value is None else value
    return values

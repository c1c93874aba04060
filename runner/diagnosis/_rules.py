"""The rules in causal order: what shows that a layer collapsed for one reply.

Each gives evidence where its test fails, nothing where it holds, and ``UNKNOWN`` where
the evidence to tell is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple, cast

from runner.diagnosis._origin import (
    DRAWN,
    Origin,
    SplitTexts,
    origin,
    others_are_off_topic,
    own_words,
    split_texts,
)
from runner.metrics import content, document_of, evidence, leaks, watched
from runner.metrics.citation_support import mismatched
from runner.metrics.citation_validity import fabricated
from runner.metrics.forbidden_content import found as forbidden
from runner.metrics.key_point_grounding import ungrounded, unretrieved
from runner.metrics.key_points import missing
from runner.metrics.lexical_grounding import lexical_grounding
from runner.metrics.number_support import unsupported
from runner.model import Layer, Passage, Ranking, Unscored
from runner.scores import Asked, walls
from runner.spec import DiagnosisMarks
from runner.units import listed

_FEW = 3  # ids that a piece of evidence names before it only counts


class Unknown:
    """The evidence to tell is absent."""


UNKNOWN: Final = Unknown()
Evidence = str | None | Unknown
"""What shows that a test failed; None: it holds."""


class ReplyFacts:
    """What the rules read of one reply; values that several need are computed once."""

    def __init__(self, asked: Asked, marks: DiagnosisMarks) -> None:
        self.asked = asked
        self.marks = marks

    @property
    def ranking(self) -> Ranking | None:
        """The ranking, where it is known."""
        found = self.asked.ranking
        return found if isinstance(found, Ranking) else None

    @property
    def answers(self) -> bool:
        """Whether there is an answer that should be one: its content can be judged."""
        asked = self.asked
        return not (
            asked.case.expect_refusal or asked.declined or asked.response.answer is None
        )

    @cached_property
    def best(self) -> int | None:
        """The rank of the best relevant passage, from 1."""
        gains = self.ranking.gains if self.ranking else ()
        return next((rank for rank, gain in enumerate(gains, 1) if gain), None)

    @cached_property
    def texts(self) -> SplitTexts | None:
        """The texts of the passages by relevance, where both are known."""
        passages, ranking = self.asked.response.passages, self.ranking
        return split_texts(passages, ranking) if passages and ranking else None

    @cached_property
    def origin(self) -> Origin:
        """Which passages the answer was drawn from."""
        case, response, _, declined, _ = self.asked
        if self.texts is None or response.answer is None or declined:
            return "unknown"
        return origin(response.answer, case.user_text, self.texts)


class Rule(NamedTuple):
    """One cause and its test."""

    cause: str
    test: Callable[[ReplyFacts], Evidence]

    @property
    def layer(self) -> Layer:
        """The layer it speaks of, the first word of the cause."""
        return cast("Layer", self.cause.partition(".")[0])


def _wanted(facts: ReplyFacts) -> str:
    wanted = facts.asked.case.relevant
    return wanted[0] if len(wanted) == 1 else f"none of {listed(wanted, _FEW)}"


def _leak(where: str) -> Callable[[ReplyFacts], Evidence]:
    def test(facts: ReplyFacts) -> Evidence:
        case, response, scope, *_ = facts.asked
        around = walls(case, scope.shared_tenants)
        if around is None:
            return UNKNOWN
        shown = (response.passages, response.sent, response.citations, around)
        crossed = (leak.what for leak in leaks(*shown) if leak.where == where)
        return next(crossed, None if watched(*shown) else UNKNOWN)

    return test


def _empty(facts: ReplyFacts) -> Evidence:
    passages = facts.asked.response.passages
    if passages is None or facts.asked.case.expect_refusal:
        return UNKNOWN
    return None if passages else "no passage came"


def _sibling(facts: ReplyFacts) -> Evidence:
    if facts.ranking is None:
        return UNKNOWN
    if facts.best:
        return None
    wanted = {name.rpartition("#")[0] for name in facts.asked.case.relevant}
    passages = facts.asked.response.passages or ()
    near = [p.id for p in passages if document_of(p) in wanted - {""}]
    return f"{near[0]} came, {_wanted(facts)} did not" if near else None


def _missed(facts: ReplyFacts) -> Evidence:
    if facts.ranking is None:
        return UNKNOWN
    return None if facts.best else f"{_wanted(facts)} did not come"


def _partial(facts: ReplyFacts) -> Evidence:
    ranking = facts.ranking
    if ranking is None:
        return UNKNOWN
    found = sum(1 for gain in ranking.gains if gain)
    if not found or found == len(ranking.ideal):
        return None
    case, response = facts.asked.case, facts.asked.response
    share = f"{found} of {len(ranking.ideal)} relevant ids came"
    if not case.key_points:
        return share if found / len(ranking.ideal) < facts.marks.partial else None
    absent = unretrieved(response.passages or (), case.key_points)
    return f"{share}; {absent[0]!r} is in no context" if absent else None


def _buried(facts: ReplyFacts) -> Evidence:
    best = facts.best
    if best is None:
        return UNKNOWN
    if best <= facts.marks.buried or facts.origin == "relevant":
        return None
    return f"the best relevant passage ranks {best}"


def _noisy(facts: ReplyFacts) -> Evidence:
    if facts.best is None or facts.ranking is None:
        return UNKNOWN
    hits, came = sum(facts.ranking.hits), len(facts.ranking.hits)
    if hits / came >= facts.marks.noisy or not _led_astray(facts):
        return None
    return f"{hits} of {came} passages are relevant"


def _led_astray(facts: ReplyFacts) -> bool:
    """Whether it may be for the other passages that an answer is not right."""
    found = facts.origin
    if found != "unknown" or facts.asked.response.answer is None:
        return found != "relevant"
    texts = facts.texts
    return texts is None or others_are_off_topic(facts.asked.case.user_text, texts)


def _should_decline(facts: ReplyFacts) -> Evidence:
    case, _, _, declined, _ = facts.asked
    if declined is None:
        return UNKNOWN
    return (
        "answered, and should have declined"
        if case.expect_refusal and not declined
        else None
    )


def _over(facts: ReplyFacts) -> Evidence:
    case, response, _, declined, _ = facts.asked
    if declined is None:
        return UNKNOWN
    if not declined or case.expect_refusal:
        return None
    # Where nothing was found many a server leaves its passages out.
    unseen = response.passages is None and case.relevant
    also = ", and does not show what was found" if unseen else ""
    return f"declined an answerable question{also}"


def _fabricated(facts: ReplyFacts) -> Evidence:
    response = facts.asked.response
    if not facts.answers or response.citations is None or response.passages is None:
        return UNKNOWN
    invented = fabricated(response.citations, response.passages)
    return f"{', '.join(invented)} was cited and not retrieved" if invented else None


def _mismatch(facts: ReplyFacts) -> Evidence:
    answer, passages, citations, *_ = response = facts.asked.response
    if not facts.answers or answer is None or passages is None or citations is None:
        return UNKNOWN
    wrong = mismatched(answer, passages, citations, response.marks)
    return f"{wrong[0]!r} is not in the cited passage" if wrong else None


def _numbers(facts: ReplyFacts) -> Evidence:
    case, response, *_ = facts.asked
    if not facts.answers or response.passages is None or response.answer is None:
        return UNKNOWN
    wrong = unsupported(response.answer, response.passages, case.user_text)
    verb = "is" if len(wrong) == 1 else "are"
    return f"{', '.join(wrong)} {verb} in no context" if wrong else None


def _unsupported(facts: ReplyFacts) -> Evidence:
    case, response, *_ = facts.asked
    if not facts.answers or response.passages is None or response.answer is None:
        return UNKNOWN
    absent = ungrounded(response.answer, response.passages, case.key_points)
    if absent:
        return f"{absent[0]!r} is stated and in no context"
    if invented := _invented(response.answer, response.passages, case.user_text):
        return invented
    score = lexical_grounding(response.answer, response.passages, case.user_text)
    if isinstance(score, Unscored):
        return UNKNOWN
    return (
        f"lexical_grounding is {score:.2f}" if score < facts.marks.unsupported else None
    )


def _invented(answer: str, passages: tuple[Passage, ...], question: str) -> str | None:
    """Give what shows that an answer has next to nothing from what was read."""
    said, found = own_words(answer, question), evidence(passages)
    held = len(said.intersection(content(found.text))) if found else 0
    if found is None or held >= DRAWN * len(said):
        return None
    return f"{held} of the answer's {len(said)} own words are in a context"


def _forbidden(facts: ReplyFacts) -> Evidence:
    case, response, *_ = facts.asked
    if response.answer is None or not case.must_not_include:
        return UNKNOWN
    stated = forbidden(response.answer, case.must_not_include)
    return f"states {stated[0]!r}" if stated else None


def _omission(facts: ReplyFacts) -> Evidence:
    case, response, _, declined, _ = facts.asked
    if response.answer is None or not case.key_points:
        return UNKNOWN
    if declined is not case.expect_refusal:  # which explains what is missing
        return UNKNOWN
    absent = missing(response.answer, case.key_points)
    return f"{absent[0]!r} is not stated" if absent else None


RULES: tuple[Rule, ...] = (
    Rule("isolation.leak_context", _leak("context")),
    Rule("isolation.leak_answer", _leak("answer")),
    Rule("isolation.leak_citation", _leak("citation")),
    Rule("retrieval.empty", _empty),
    Rule("retrieval.sibling", _sibling),
    Rule("retrieval.missed", _missed),
    Rule("retrieval.partial", _partial),
    Rule("context.buried", _buried),
    Rule("context.noisy", _noisy),
    Rule("refusal.missed", _should_decline),
    Rule("refusal.over", _over),
    Rule("grounding.citation_fabricated", _fabricated),
    Rule("grounding.citation_mismatch", _mismatch),
    Rule("grounding.number_conflict", _numbers),
    Rule("grounding.unsupported", _unsupported),
    Rule("answer.forbidden_content", _forbidden),
    Rule("answer.omission", _omission),
)

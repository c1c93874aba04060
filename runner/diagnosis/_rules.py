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
    Parted,
    origin,
    own_words,
    part,
    strays,
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


class Seen:
    """One reply as the rules see it; what several of them ask is found out once."""

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
    def parted(self) -> Parted | None:
        """The texts that came, by whether they are wanted, where both are known."""
        passages, ranking = self.asked.response.passages, self.ranking
        return part(passages, ranking) if passages and ranking else None

    @cached_property
    def origin(self) -> Origin:
        """Where the answer was drawn from."""
        case, response, _, declined, _ = self.asked
        if self.parted is None or response.answer is None or declined:
            return "unknown"
        return origin(response.answer, case.user_text, self.parted)


class Rule(NamedTuple):
    """One cause and its test."""

    cause: str
    test: Callable[[Seen], Evidence]

    @property
    def layer(self) -> Layer:
        """The layer it speaks of, the first word of the cause."""
        return cast("Layer", self.cause.partition(".")[0])


def _wanted(seen: Seen) -> str:
    wanted = seen.asked.case.relevant
    return wanted[0] if len(wanted) == 1 else f"none of {listed(wanted, _FEW)}"


def _leak(where: str) -> Callable[[Seen], Evidence]:
    def test(seen: Seen) -> Evidence:
        case, response, scope, *_ = seen.asked
        around = walls(case, scope.shared_tenants)
        if around is None:
            return UNKNOWN
        shown = (response.passages, response.sent, response.citations, around)
        crossed = (leak.what for leak in leaks(*shown) if leak.where == where)
        return next(crossed, None if watched(*shown) else UNKNOWN)

    return test


def _empty(seen: Seen) -> Evidence:
    passages = seen.asked.response.passages
    if passages is None or seen.asked.case.expect_refusal:
        return UNKNOWN
    return None if passages else "no passage came"


def _sibling(seen: Seen) -> Evidence:
    if seen.ranking is None:
        return UNKNOWN
    if seen.best:
        return None
    wanted = {name.rpartition("#")[0] for name in seen.asked.case.relevant}
    passages = seen.asked.response.passages or ()
    near = [p.id for p in passages if document_of(p) in wanted - {""}]
    return f"{near[0]} came, {_wanted(seen)} did not" if near else None


def _missed(seen: Seen) -> Evidence:
    if seen.ranking is None:
        return UNKNOWN
    return None if seen.best else f"{_wanted(seen)} did not come"


def _partial(seen: Seen) -> Evidence:
    ranking = seen.ranking
    if ranking is None:
        return UNKNOWN
    found = sum(1 for gain in ranking.gains if gain)
    if not found or found == len(ranking.ideal):
        return None
    case, response = seen.asked.case, seen.asked.response
    share = f"{found} of {len(ranking.ideal)} relevant ids came"
    if not case.key_points:
        return share if found / len(ranking.ideal) < seen.marks.partial else None
    absent = unretrieved(response.passages or (), case.key_points)
    return f"{share}; {absent[0]!r} is in no context" if absent else None


def _buried(seen: Seen) -> Evidence:
    best = seen.best
    if best is None:
        return UNKNOWN
    if best <= seen.marks.buried or seen.origin == "relevant":
        return None
    return f"the best relevant passage ranks {best}"


def _noisy(seen: Seen) -> Evidence:
    if seen.best is None or seen.ranking is None:
        return UNKNOWN
    hits, came = sum(seen.ranking.hits), len(seen.ranking.hits)
    if hits / came >= seen.marks.noisy or not _led_astray(seen):
        return None
    return f"{hits} of {came} passages are relevant"


def _led_astray(seen: Seen) -> bool:
    """Whether it may be for the other passages that an answer is not right."""
    found = seen.origin
    if found != "unknown" or seen.asked.response.answer is None:
        return found != "relevant"
    parted = seen.parted
    return parted is None or strays(seen.asked.case.user_text, parted)


def _should_decline(seen: Seen) -> Evidence:
    case, _, _, declined, _ = seen.asked
    if declined is None:
        return UNKNOWN
    return (
        "answered, and should have declined"
        if case.expect_refusal and not declined
        else None
    )


def _over(seen: Seen) -> Evidence:
    case, response, _, declined, _ = seen.asked
    if declined is None:
        return UNKNOWN
    if not declined or case.expect_refusal:
        return None
    # Where nothing was found many a server leaves its passages out.
    unseen = response.passages is None and case.relevant
    also = ", and does not show what was found" if unseen else ""
    return f"declined an answerable question{also}"


def _fabricated(seen: Seen) -> Evidence:
    response = seen.asked.response
    if not seen.answers or response.citations is None or response.passages is None:
        return UNKNOWN
    invented = fabricated(response.citations, response.passages)
    return f"{', '.join(invented)} was cited and not retrieved" if invented else None


def _mismatch(seen: Seen) -> Evidence:
    answer, passages, citations, *_ = response = seen.asked.response
    if not seen.answers or answer is None or passages is None or citations is None:
        return UNKNOWN
    wrong = mismatched(answer, passages, citations, response.marks)
    return f"{wrong[0]!r} is not in the cited passage" if wrong else None


def _numbers(seen: Seen) -> Evidence:
    case, response, *_ = seen.asked
    if not seen.answers or response.passages is None or response.answer is None:
        return UNKNOWN
    wrong = unsupported(response.answer, response.passages, case.user_text)
    verb = "is" if len(wrong) == 1 else "are"
    return f"{', '.join(wrong)} {verb} in no context" if wrong else None


def _unsupported(seen: Seen) -> Evidence:
    case, response, *_ = seen.asked
    if not seen.answers or response.passages is None or response.answer is None:
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
        f"lexical_grounding is {score:.2f}" if score < seen.marks.unsupported else None
    )


def _invented(answer: str, passages: tuple[Passage, ...], question: str) -> str | None:
    """Give what shows that an answer has next to nothing from what was read."""
    said, found = own_words(answer, question), evidence(passages)
    held = len(said.intersection(content(found.text))) if found else 0
    if found is None or held >= DRAWN * len(said):
        return None
    return f"{held} of the answer's {len(said)} own words are in a context"


def _forbidden(seen: Seen) -> Evidence:
    case, response, *_ = seen.asked
    if response.answer is None or not case.must_not_include:
        return UNKNOWN
    stated = forbidden(response.answer, case.must_not_include)
    return f"states {stated[0]!r}" if stated else None


def _omission(seen: Seen) -> Evidence:
    case, response, _, declined, _ = seen.asked
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

from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._evidence import Evidence, evidence, unread
from runner.model import Passage, Unscored
from runner.text import numbers, readings, vocabulary


@metric(layer="grounding")
def number_support(
    answer: str, passages: tuple[Passage, ...] | None, question: str
) -> float | Unscored:
    """Share of the answer's numbers that stand in the passages or the question.

    Each number counts once, however it is written: 1,000 = 1000, 十天 = 10 天, 百分之五
    = 5%, 2.5 million = 2,500,000. List ordinals, citation marks and 24/7 are none. A
    number may straddle two adjacent passages. That it stands there does not say that it
    belongs to the same thing. Nothing retrieved is 0. Unscored where the answer states
    no number, or a passage came without text.

    >>> number_support("十天内退 500 元", (Passage(text="refund in 10 days"),), "")
    0.5
    """
    claims = set(numbers(answer))
    if not claims:
        return Unscored("the answer states no number")
    found = evidence(passages)
    if found is None:
        return unread(passages)
    return 1 - len(_unbacked(claims, found, question)) / len(claims)


def unsupported(answer: str, passages: tuple[Passage, ...], question: str) -> list[str]:
    """Give the numbers that nothing backs, as plain decimals in the answer's order."""
    found = evidence(passages)
    if found is None:
        return []
    claims = dict.fromkeys(numbers(answer))
    missing = _unbacked(set(claims), found, question)
    return [number for number in claims if number in missing]


def _unbacked(claims: set[str], found: Evidence, question: str) -> set[str]:
    """Ask the cheap source first: the digits as they stand settle most answers."""
    claims = claims - vocabulary(found.text)
    for source in (question, found.text, found.seams):
        if claims and source:
            claims = claims - readings(source)
    return claims

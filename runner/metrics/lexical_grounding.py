"""lexical_grounding."""

from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT, evidence
from runner.metrics._words import content
from runner.metrics.number_support import number_support
from runner.model import Passage, Unscored
from runner.text import sentences, tokens


@metric(layer="grounding")
def lexical_grounding(
    answer: str, passages: tuple[Passage, ...], question: str
) -> float | Unscored:
    """How much of the answer's wording the passages hold, its weakest sentence first.

    >>> lexical_grounding("Refunds take 30 days", (Passage(text="in 30 days"),), "")
    0.5
    """
    found = evidence(passages)
    if found is None:
        return NO_TEXT
    known = frozenset(tokens(found.text))
    parts = [_coverage(sentence, known) for sentence in sentences(answer)]
    scores = [part for part in parts if part is not None]
    if not scores:
        return Unscored("the answer has no content word")
    digits = number_support(answer, passages, question)
    return min(scores) * (digits if isinstance(digits, float) else 1.0)


def weakest_sentence(
    answer: str, passages: tuple[Passage, ...], question: str
) -> str | None:
    """Give the sentence that the passages back least; None where none can be judged."""
    found = evidence(passages)
    if found is None:
        return None
    known = frozenset(tokens(found.text))
    scored = [(_coverage(sentence, known), sentence) for sentence in sentences(answer)]
    return min(((s, t) for s, t in scored if s is not None), default=(0, None))[1]


def _coverage(sentence: str, known: frozenset[str]) -> float | None:
    words = content(sentence)
    return sum(word in known for word in words) / len(words) if words else None

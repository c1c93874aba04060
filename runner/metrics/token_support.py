from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT, evidence
from runner.metrics._words import content
from runner.model import Passage, Unscored
from runner.text import vocabulary


@metric(layer="grounding")
def token_support(answer: str, passages: tuple[Passage, ...]) -> float | Unscored:
    """Share of the answer's content tokens that stand in the retrieved passages.

    Words without stop words; character bigrams for Chinese, Japanese and Korean. Each
    occurrence counts. Nothing retrieved is 0. Unscored where the answer has no content
    word, or a passage came without text.

    Source: K-Precision of Adlakha and others, Evaluating Correctness and Faithfulness
    of Instruction-Following Models for Question Answering (TACL 2024), which counts
    all tokens.

    >>> token_support("Refunds take 30 days", (Passage(text="A refund takes 30 days"),))
    0.5
    """
    words = content(answer)
    if not words:
        return Unscored("the answer has no content word")
    found = evidence(passages)
    if found is None:
        return NO_TEXT
    known = vocabulary(found.text)
    return sum([word in known for word in words]) / len(words)

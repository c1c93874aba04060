"""answer_similarity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from operator import add

from runner.metrics._declare import metric
from runner.model import Unscored
from runner.text import normalise


@metric(layer="answer")
def answer_similarity(answer: str, reference: str) -> float | Unscored:
    """Agreement of the answer with the reference, by character n-grams.

    The F score of precision and recall over character n-grams.

    Source: Popović, chrF: character n-gram F-score for automatic MT evaluation (WMT
    2015).

    >>> answer_similarity("可在十天内退货", "可在十天内退货")
    1.0
    """
    scores = []
    for size in (1, 2, 3):
        ours, theirs = _ngrams(answer, size), _ngrams(reference, size)
        if not ours or not theirs:
            continue
        shared = (ours & theirs).total()
        scores.append(2 * shared / (ours.total() + theirs.total()))
    if not scores:
        return Unscored("answer or reference is empty")
    return sum(scores) / len(scores)


@lru_cache(64)
def _ngrams(text: str, size: int) -> Counter[str]:
    text = normalise(text)
    grams: Iterable[str] = text
    for offset in range(1, size):
        grams = map(add, grams, text[offset:])
    return Counter(grams)

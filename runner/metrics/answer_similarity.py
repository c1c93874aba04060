"""answer_similarity."""

from __future__ import annotations

from collections import Counter

from runner.metrics._declare import metric
from runner.model import Unscored
from runner.text import is_dense, normalise

LETTERS = 4  # characters of an n-gram where words are spelled with letters
SIGNS = 2  # likewise where a character is a word or half of one


@metric(layer="answer")
def answer_similarity(answer: str, reference: str) -> float | Unscored:
    """Agreement of the answer with the reference, by character n-grams.

    The harmonic mean of two shares: of the answer's n-grams that are in the reference,
    and of the reference's that are in the answer, each counted as often as both have
    it. Four characters; two where the reference is mostly Chinese, Japanese or Korean.
    1 is the same text but for case, width and spacing. It rewards the same wording,
    whether it says the same or not.

    Source: Popović, chrF: character n-gram F-score for automatic MT evaluation (WMT
    2015), which averages lengths one to six.

    >>> answer_similarity("可在十天内退货", "可在十天内退货")
    1.0
    """
    size = SIGNS if is_dense(reference) else LETTERS
    ours, theirs = _ngrams(answer, size), _ngrams(reference, size)
    if not ours or not theirs:
        return Unscored("answer or reference is empty")
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total())


def _ngrams(text: str, size: int) -> Counter[str]:
    """Count the n-grams; a space on either side lets the shortest text have one."""
    text = normalise(text)
    if not text:
        return Counter()
    text = f" {text} "
    return Counter([text[at : at + size] for at in range(max(len(text) - size, 0) + 1)])

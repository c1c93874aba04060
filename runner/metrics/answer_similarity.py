"""answer_similarity."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from runner.metrics._declare import metric
from runner.model import Unscored
from runner.text import tokens

SIZE = 5  # characters of an n-gram, the spaces around a word among them


@metric(layer="answer")
def answer_similarity(answer: str, reference: str) -> float | Unscored:
    """Agreement of the answer with the reference, by the character n-grams of words.

    The harmonic mean of two shares: of the answer's n-grams that are in the reference,
    and of the reference's that are in the answer. Five characters within a word, the
    spaces around it counted, so that *refund* and *refunds* are alike but not the same;
    a short word is one n-gram, and so are two adjacent characters of Chinese, Japanese
    or Korean. 1 is the same words, in whatever order. It rewards the same wording,
    whether it says the same or not.

    Source: Popović, chrF: character n-gram F-score for automatic MT evaluation (WMT
    2015), which reads across words and averages lengths one to six.

    >>> answer_similarity("refund in 30 days", "refunds: 30 days")
    0.75
    """
    ours = list(chain.from_iterable(map(_ngrams, tokens(answer))))
    theirs = list(chain.from_iterable(map(_ngrams, tokens(reference))))
    if not ours or not theirs:
        return Unscored("answer or reference is empty")
    precision, recall = _share(ours, set(theirs)), _share(theirs, set(ours))
    return 2 * precision * recall / (precision + recall) if precision else 0.0


@lru_cache(4096)  # words: most of a text's are those of every text
def _ngrams(word: str) -> tuple[str, ...]:
    padded = f" {word} "
    if len(padded) <= SIZE:
        return (word,)
    return tuple(padded[at : at + SIZE] for at in range(len(padded) - SIZE + 1))


def _share(grams: list[str], known: set[str]) -> float:
    return sum(map(known.__contains__, grams)) / len(grams)

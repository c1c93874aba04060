from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise

from runner.metrics._declare import metric
from runner.model import Unscored
from runner.text import tokens

Words = tuple[str, ...]

SIZE = 5  # characters of an n-gram, the spaces around a word among them
RUN = 6  # words on end that no answer says twice by chance
FEW = 10  # where less than one in so many word pairs stands twice, nothing is repeated


@metric(layer="answer")
def answer_similarity(answer: str, reference: str) -> float | Unscored:
    """Agreement of the answer with the reference, by the character n-grams of words.

    The harmonic mean of two shares: of the answer's n-grams that are in the reference,
    and of the reference's that are in the answer. Five characters within a word, the
    spaces around it counted, so that *refund* and *refunds* are alike but not the same;
    a short word is one n-gram, and so are two adjacent characters of Chinese, Japanese
    or Korean. 1 is the same words, in whatever order. It rewards the same wording,
    whether it says the same or not.

    What the answer says again, six words or bigrams on end, counts as not in the
    reference, unless that says it as often: the reference said twice is 0.67, said ten
    times 0.18. An empty answer is 0.

    Source: Popović, chrF: character n-gram F-score for automatic MT evaluation (WMT
    2015), which reads across words, averages lengths one to six, and counts an n-gram
    at most as often as the reference has it.

    >>> answer_similarity("refund in 30 days", "refunds: 30 days")
    0.75
    """
    words, model = tokens(answer), tokens(reference)
    ours, theirs = _ngrams(words), _ngrams(model)
    if not theirs:
        return Unscored("the reference has no word")
    first = _said_first(words, model)
    found = _count(ours if first is words else _ngrams(first), set(theirs))
    if not found:
        return 0.0
    precision = found / len(ours)
    recall = _count(theirs, set(ours)) / len(theirs)
    return 2 * precision * recall / (precision + recall)


def _said_first(words: Words, model: Words) -> Words:
    """Give the words without the runs that stand more often than in the model."""
    said_before = len(words) - 1 - len(set(pairwise(words)))
    if said_before < max(RUN - 1, len(words) // FEW):
        return words
    runs = _runs(words)
    if len(set(runs)) == len(runs):
        return words
    left = Counter(_runs(model))
    again: set[int] = set()
    for at, run in enumerate(runs):
        left[run] = left.get(run, 1) - 1
        if left[run] < 0:
            again.update(range(at, at + RUN))
    return tuple([word for at, word in enumerate(words) if at not in again])


def _runs(words: Words) -> list[Words]:
    return list(zip(*(words[at:] for at in range(RUN)), strict=False))


def _ngrams(words: Iterable[str]) -> list[str]:
    return list(chain.from_iterable(map(_of_word, words)))


@lru_cache(4096)  # words: most of a text's are those of every text
def _of_word(word: str) -> tuple[str, ...]:
    padded = f" {word} "
    if len(padded) <= SIZE:
        return (word,)
    return tuple(padded[at : at + SIZE] for at in range(len(padded) - SIZE + 1))


def _count(grams: list[str], known: set[str]) -> int:
    return sum(map(known.__contains__, grams))

"""lexical_grounding."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT, evidence
from runner.metrics._words import STOP_WORDS, content
from runner.metrics.number_support import unsupported
from runner.model import Passage, Unscored
from runner.text import remembered, sentences, tokens

STEM = 6  # letters by which words are compared: levels most endings
NEAR = 3  # content words within which two of them stand together
GIVEN = 4  # words or pairs granted to every text, so that in few words one decides less
FOREIGN = 0.5  # what each number or name that nothing backs leaves of the figure
NEGATED = 0.7  # what each negation leaves where the passages do not negate

_NAME = re.compile(r"(?<=[^\s.!?:*\"“(#-] )[A-Z][\w'-]*")
_NEGATIONS = frozenset(
    ("not", "no", "never", "cannot", "without", "t", "none", "nor", "neither", "unable")
)
_REACH = 6  # tokens around a negation of the passages that it may negate
_NEXT = 5  # tokens after a negation of the answer that it may negate


class Known(NamedTuple):
    """What the passages hold, in the forms that are compared."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]


@metric(layer="grounding")
def lexical_grounding(
    answer: str, passages: tuple[Passage, ...], question: str
) -> float | Unscored:
    """How far the passages hold the answer's words, word pairs, names and numbers.

    The share of the answer's distinct words that the passages hold, times the root of
    the share of word pairs in its weakest sentence that stand together there. Each
    number and name that nothing backs halves it; each negation that the passages do
    not make takes three tenths. 1 means that everything was found.

    Words are compared by their first six letters; Chinese, Japanese and Korean by
    character bigrams. It is called lexical because it sees wording, not meaning: where
    a wrong word also stands in the passages, it is not seen.

    >>> rule = (Passage(text="Opened items can be returned within 30 days."),)
    >>> lexical_grounding("Returned within 30 days.", rule, "")
    1.0
    >>> lexical_grounding("Returned within 45 days.", rule, "") < 0.5
    True
    """
    found = evidence(passages)
    if found is None:
        return NO_TEXT
    words = {word[:STEM] for word in tokens(answer)}
    if not words:
        return Unscored("the answer has no word")
    known = _known(found.text)
    missing = words - known.words
    weakest = min(_pairs_held(sentence, known) for sentence in sentences(answer))
    foreign = len(unsupported(answer, passages, question))
    if missing:
        foreign += len(_foreign_names(answer, missing - _stems(question)))
    negated = _new_negations(answer, found.text)
    held = _share(len(words) - len(missing), len(words))
    return float(held * weakest**0.5 * FOREIGN**foreign * NEGATED**negated)


def weakest_sentence(
    answer: str, passages: tuple[Passage, ...], question: str
) -> str | None:
    """Give the sentence that the passages back least; None where none can be judged.

    Each sentence is held to the measure of the whole answer; the first of equals.
    """
    scores = []
    for sentence in sentences(answer):
        score = lexical_grounding(sentence, passages, question)
        if isinstance(score, float):
            scores.append((score, sentence))
    return min(scores, key=lambda pair: pair[0], default=(1.0, None))[1]


@remembered
def _known(text: str) -> Known:
    words = [word[:STEM] for word in content(text)]
    pairs = frozenset[tuple[str, str]]().union(
        *(zip(words, words[gap:], strict=False) for gap in range(1, NEAR + 1))
    )
    return Known(_stems(text), pairs)


def _stems(text: str) -> frozenset[str]:
    return frozenset([word[:STEM] for word in tokens(text)])


def _pairs_held(sentence: str, known: Known) -> float:
    words = [word[:STEM] for word in content(sentence)]
    pairs = set(pairwise(words))
    held = sum(
        (one, other) in known.pairs or (other, one) in known.pairs
        for one, other in pairs
    )
    return _share(held, len(pairs))


def _share(part: int, whole: int) -> float:
    return (part + GIVEN) / (whole + GIVEN)


def _foreign_names(answer: str, missing: frozenset[str] | set[str]) -> set[str]:
    """Give the words of names (capital letter within a sentence) among the missing."""
    names = " ".join(_NAME.findall(answer))
    return {
        word
        for word in tokens(names)
        if word[:STEM] in missing and word not in STOP_WORDS and not word.isdigit()
    }


def _new_negations(answer: str, text: str) -> int:
    """Count the negations whose next words the passages do not hold near a negation."""
    words = tokens(answer)
    at = [place for place, word in enumerate(words) if word in _NEGATIONS]
    if not at:
        return 0
    negated = _negated(text)
    return sum(negated.isdisjoint(words[place + 1 : place + 1 + _NEXT]) for place in at)


@remembered
def _negated(text: str) -> frozenset[str]:
    words = tokens(text)
    near: set[str] = set()
    for place, word in enumerate(words):
        if word in _NEGATIONS:
            near.update(words[max(place - _REACH, 0) : place + _REACH + 1])
    return frozenset(near - STOP_WORDS - _NEGATIONS)

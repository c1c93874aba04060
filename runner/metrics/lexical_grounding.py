from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from runner.metrics._declare import metric
from runner.metrics._evidence import NO_TEXT, evidence
from runner.metrics._words import STOP_WORDS
from runner.metrics.number_support import unsupported
from runner.model import Passage, Unscored
from runner.text import remembered, sentences, tokens, vocabulary

STEM = 6  # letters by which words are compared: levels most endings
NEAR = 7  # tokens within which two words stand together
GIVEN = 4  # words or pairs granted to every text, so that in few words one decides less
ROOT = 0.5  # weight of the weakest sentence: its share is taken to this power
FOREIGN = 0.5  # what each number or name that nothing backs leaves of the figure
NEGATED = 0.7  # what each negation leaves where the passages do not negate
REACH = 6  # tokens on either side of a passage's negation that it may negate
NEXT = 5  # tokens after an answer's negation that it may negate

_BREAK = "qsentenceq"  # a word that no text holds, put where a sentence ends
_NAME = re.compile(r"[A-Z](?<=[^\s.!?:*\"“(#-] .)[\w'-]*")
_NEGATIONS = frozenset(
    ("not", "no", "never", "cannot", "without", "t", "none", "nor", "neither", "unable")
)
Pair = tuple[str, str]


class Parts(NamedTuple):
    """The parts that ``lexical_grounding`` multiplies."""

    held: float
    """Share of the answer's distinct words that the passages hold."""
    weakest: float
    """Share of word pairs in the weakest sentence that stand together in them."""
    foreign: int
    """Numbers and names that nothing backs."""
    negated: int
    """Negations that the passages do not make."""


NOTHING_READ = Parts(held=0.0, weakest=0.0, foreign=0, negated=0)


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
    character bigrams. Four words and pairs are granted, so that of few words one does
    not decide. It is called lexical because it sees wording, not meaning: where a wrong
    word also stands in the passages, it is not seen. Nothing retrieved is 0. Unscored
    where the answer has no word, or a passage came without text.

    >>> rule = (Passage(text="Opened items can be returned within 30 days."),)
    >>> lexical_grounding("Returned within 30 days.", rule, "")
    1.0
    >>> lexical_grounding("Returned within 45 days.", rule, "") < 0.5
    True
    """
    found = parts(answer, passages, question)
    if isinstance(found, Unscored):
        return found
    return float(
        found.held
        * found.weakest**ROOT
        * FOREIGN**found.foreign
        * NEGATED**found.negated
    )


@lru_cache(8)  # of a failing case, the diagnosis asks again what the metric asked
def parts(
    answer: str, passages: tuple[Passage, ...], question: str
) -> Parts | Unscored:
    """Give the parts of the score of an answer, or why it has none."""
    found = evidence(passages)
    if found is None:
        return NO_TEXT
    words = _stems(answer)
    if not words:
        return Unscored("the answer has no word")
    known = _stems(found.text)
    if not known:
        return NOTHING_READ
    missing = words - known
    foreign = len(unsupported(answer, passages, question))
    unknown = {word for word in missing if word.isalpha()} - _stems(question)
    if unknown:
        foreign += len(_foreign_names(answer, unknown))
    return Parts(
        held=_share(len(words) - len(missing), len(words)),
        weakest=_weakest_pairs(answer, found.text),
        foreign=foreign,
        negated=_new_negations(answer, found.text),
    )


@remembered
def _stems(text: str) -> frozenset[str]:
    return frozenset([word[:STEM] for word in vocabulary(text)])


def _share(part: int, whole: int) -> float:
    return (part + GIVEN) / (whole + GIVEN)


def _weakest_pairs(answer: str, text: str) -> float:
    """Give the least share of a sentence's word pairs that are near in the text."""
    pairs = [set(pairwise(words)) for words in _by_sentence(answer)]
    near = _near(text, set[Pair]().union(*pairs))
    return min(_share(len(pair & near), len(pair)) for pair in pairs)


def _by_sentence(answer: str) -> list[list[str]]:
    """Give the content words of each sentence, all from one reading of the answer."""
    said = sentences(answer)
    found: list[list[str]] = [[]]
    for word in tokens(f" {_BREAK} ".join(said) if len(said) > 1 else answer):
        if word == _BREAK:
            found.append([])
        elif word not in STOP_WORDS:
            found[-1].append(word[:STEM])
    return found


def _near(text: str, pairs: set[Pair]) -> set[Pair]:
    """Give those of the pairs whose words stand near each other, in either order.

    Near are two that no third, or one, of all their words parts, within a few tokens.
    """
    known = _stems(text)
    left = {(one, other) for one, other in pairs if one in known and other in known}
    wanted = {word for pair in left for word in pair}
    stems = {
        word: stem
        for word in vocabulary(text)
        if (stem := word[:STEM]) in wanted and word not in STOP_WORDS
    }
    words = tokens(text)
    places = [place for place, word in enumerate(words) if word in stems]
    hits = [stems[words[place]] for place in places]
    found: set[Pair] = set()
    for steps in (1, 2):
        near = {
            (one, other)
            for at, to, one, other in zip(
                places, places[steps:], hits, hits[steps:], strict=False
            )
            if to - at <= NEAR
        }
        found |= {p for p in left if p in near or (p[1], p[0]) in near}
        left -= found
        if not left:
            break
    return found


def _foreign_names(answer: str, unknown: set[str]) -> set[str]:
    """Give the words of names (capital letter within a sentence) among the unknown."""
    names = vocabulary(" ".join(_NAME.findall(normalize("NFKC", answer))))
    return {word for word in names - STOP_WORDS if word[:STEM] in unknown}


def _new_negations(answer: str, text: str) -> int:
    """Count the negations whose next words the passages do not hold near a negation."""
    if _NEGATIONS.isdisjoint(vocabulary(answer)):
        return 0
    words, negated = tokens(answer), _negated(text)
    return sum(
        negated.isdisjoint(words[at + 1 : at + 1 + NEXT]) for at in _negations(answer)
    )


@remembered
def _negated(text: str) -> frozenset[str]:
    words = tokens(text)
    near: set[str] = set()
    for at in _negations(text):
        near.update(words[max(at - REACH, 0) : at + REACH + 1])
    return frozenset(near - STOP_WORDS - _NEGATIONS)


def _negations(text: str) -> Iterator[int]:
    """Give the places of the negations among the tokens."""
    words = tokens(text)
    for word in _NEGATIONS & vocabulary(text):
        at = -1
        for _ in range(words.count(word)):
            at = words.index(word, at + 1)
            yield at

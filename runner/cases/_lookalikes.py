"""Warns of types and tags that are probably misspelt: each makes its own slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runner.cases._fields import is_near
from runner.errors import Place
from runner.model import Case
from runner.units import count

_TYPES = ("fact", "policy", "refusal")
_MEANING_REFUSAL = frozenset(
    {
        *("refuse", "refused", "reject", "decline", "declined", "abstain"),
        *("unanswerable", "noanswer", "outofscope"),
        *("拒答", "拒绝", "拒绝回答", "无答案", "不可回答"),
    }
)
"""What other data sets call a question that must be declined."""


_SHORT = 3  # letters of a word whose last s may be more than a plural
_LONG = 6  # letters of a type from which on a slip leaves it recognisable


class _Word:
    """One type or tag: how many cases have it, and which was the first."""

    def __init__(self, case: Case) -> None:
        self.count = 0
        self.place = case.place or Place("cases")
        self.declined = True
        """Every case with it says that declining is right."""


def lookalikes(cases: Iterable[Case]) -> Iterator[str]:
    """Give a line beginning with ``warning:`` for each type or tag that is a near miss.

    Types are held against ``fact``, ``policy`` and ``refusal`` and against each other,
    tags against each other. Words that differ in capitals, joints or a plural s are
    near, and so is a slip in a type that the program knows.
    """
    types: dict[str, _Word] = {}
    tags: dict[str, _Word] = {}
    for case in cases:
        if case.type is not None:
            _note(types, case.type, case)
        for tag in case.tags:
            _note(tags, tag, case)
    yield from _types(types)
    for tag, meant in _pairs(tags):
        yield f"{_at('tag', tag, tags[tag])}: did you mean {meant}?"


def _note(words: dict[str, _Word], name: str, case: Case) -> None:
    word = words.get(name) or words.setdefault(name, _Word(case))
    word.count += 1
    word.declined = word.declined and case.expect_refusal


def _types(found: dict[str, _Word]) -> Iterator[str]:
    near = dict(_pairs(found))
    for name, word in found.items():
        known = next((kind for kind in _TYPES if _is_slip(name, kind)), None)
        meant = None if name in _TYPES else known or near.get(name)
        if _plain(name) in _MEANING_REFUSAL and not word.declined:
            meant = meant or "refusal"
        why = ""
        if meant == "refusal" and not word.declined:
            why = " (or write expect_refusal: true; no other type implies it)"
        if meant:
            yield f"{_at('type', name, word)}: did you mean {meant}?{why}"


def _pairs(words: dict[str, _Word]) -> Iterator[tuple[str, str]]:
    """Give each word that differs from another by capitals, joints or a plural s alone.

    The rarer is the slip; of two that are as frequent, the later.
    """
    common: dict[str, str] = {}
    for name in sorted(words, key=lambda name: -words[name].count):
        first = common.setdefault(_singular(_plain(name)), name)
        if first != name:
            yield name, first


def _is_slip(name: str, known: str) -> bool:
    plain = _plain(name)
    # So short a word as "fact" is near to too many that are meant.
    slip = len(known) >= _LONG and is_near(plain, known)
    return name != known and (slip or _singular(plain) == known)


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char not in " _-") or name


def _singular(plain: str) -> str:
    return plain.removesuffix("s") if len(plain) > _SHORT else plain


def _at(kind: str, name: str, word: _Word) -> str:
    many = count(word.count, "case")
    return f"warning: {word.place.file}:{word.place.line or 1}: {kind} {name} ({many})"

"""Whether a text contains a phrase, word for word or with numbers spelt otherwise."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from runner.text.markup import marked, rendered
from runner.text.spelled import (
    BIG,
    DIGIT,
    MAGNITUDE,
    NUMERAL,
    SCALE,
    SMALL,
    SPELLED,
    chinese,
    english,
    scaled,
)
from runner.text.words import (
    DENSE,
    MARKS,
    closed,
    flat,
    fold,
    normalise,
    remembered,
    ungrouped,
    vocabulary,
)

_INSIDE = r"(?<=\d)(?=\.?\d)|(?<=\d\.)(?=\d)|(?<=\d)(?= ?{scale})"  # a number
_INSIDE_ASCII = re.compile(rf"(?<=[a-z_])(?=[a-z_])|{_INSIDE.format(scale=BIG)}")
_PERCENT = re.compile(r"(?<=\d)[ -]?per ?cent\b")
_A_WORD = re.compile("[a-z]+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[\d.,/%‰~-]+")
_RANGE = re.compile(r"(?<=[\d%])[至到~](?=\d)")


class _Sought(NamedTuple):
    """A phrase in the forms in which it is looked for."""

    folded: str
    normalised: str
    figures: str | None
    """With its numbers in figures; None where its wording alone is looked for."""
    beside: str
    """The longest wording beside its numbers, which no spelling of them changes."""
    in_words: bool
    """Whether it has English number words, which may be a part of a longer number."""


def contains(text: str, needle: str) -> bool:
    """Whether the needle stands in the text, both normalised.

    Words and numbers match whole: ``500`` is not in ``1500`` or ``500.5``, ``art`` not
    in ``start``, 十天 not in 二十天. Other dense text matches by substring. An empty
    needle is in nothing.

    >>> contains("支持 1,500 个会话", "500"), contains("支持 500 个会话", "500个会话")
    (False, True)
    """
    return _contains(text, _sought(needle))


def states(text: str, needle: str) -> bool:
    """Whether the needle stands in the text, its numbers in whatever spelling.

    1,000 is 1000, 一千 and 1千; 十五天 is 15 天; ``fifteen days`` are ``15 days``;
    百分之五 is 5%; 3至5天 is 3-5天. A number is never another one. Marks of Markdown
    and HTML around words do not matter.

    >>> states("可在十五天内退货", "15 天"), states("within 150 days", "fifteen days")
    (True, False)
    >>> states("within **30**&nbsp;days", "30 days")
    True
    """
    sought = _sought(needle)
    return _stated(text, sought) or (marked(text) and _stated(rendered(text), sought))


def _stated(text: str, sought: _Sought) -> bool:
    if not sought.in_words and _contains(text, sought):
        return True
    if sought.figures is None or sought.beside not in normalise(text):
        return False
    return _stands(in_figures(text), sought.figures)


def _contains(text: str, sought: _Sought) -> bool:
    if not sought.normalised:
        return False
    if text.isascii() and _stands(flat(text), sought.folded):
        return True  # as it is written, which is the common case and costs least
    return _stands(normalise(text), sought.normalised)


def _stands(text: str, needle: str) -> bool:
    inside = _INSIDE_ASCII if text.isascii() else _inside_any()
    at = text.find(needle)
    while at >= 0:
        if not (inside.match(text, at) or inside.match(text, at + len(needle))):
            return True
        at = text.find(needle, at + 1)
    return False


@cache  # read for the first text that needs it
def _inside_any() -> re.Pattern[str]:
    """Match a position inside a word, a number, or a Chinese numeral."""
    letter = rf"(?:[^\W\d{DENSE}]|[{MARKS}])"
    return re.compile(
        rf"(?<={letter})(?={letter})|{_INSIDE.format(scale=SCALE)}"
        rf"|(?<={MAGNITUDE})(?={NUMERAL})|(?<={DIGIT})(?={MAGNITUDE})"
        rf"|(?<={DIGIT}{DIGIT})(?={DIGIT})|(?<={DIGIT})(?={DIGIT}{DIGIT})"
        rf"|(?<={NUMERAL})(?=点{DIGIT}(?!{MAGNITUDE}))"
        rf"|(?<={NUMERAL}点)(?={DIGIT}(?!{MAGNITUDE}))"
    )


@remembered
def in_figures(text: str) -> str:
    """Give the text normalised and with its numbers in plain figures.

    Decimals and zeros in front stay as they are written: 3.10 is a version, 007 a name.
    """
    words = vocabulary(text)
    if text.isascii() and SPELLED.isdisjoint(words) and "~" not in text:
        return normalise(text)
    return _in_figures(flat(text), in_words=not SMALL.keys().isdisjoint(words))


def _in_figures(text: str, *, in_words: bool) -> str:
    if in_words:
        text = english(" ".join(text.split()), claimed=False)
    if not text.isascii():
        text = chinese(text, claimed=False)
    text = scaled(text)
    text = closed(_PERCENT.sub("%", text) if "cent" in text else text)
    return _RANGE.sub("-", text)  # 3至5天, 3~5天 and 3-5天 are one


@lru_cache(1024)  # each is looked for in several texts by several metrics
def _sought(needle: str) -> _Sought:
    folded = ungrouped(fold.__wrapped__(needle)).strip()
    in_words = not SMALL.keys().isdisjoint(_A_WORD.findall(folded))
    figures = _in_figures(folded, in_words=in_words)
    if not _DIGIT.search(figures) and not folded.isascii():
        # A numeral at the end needs no measure word.
        figures = _in_figures(f"{folded}个", in_words=False).removesuffix("个")
    beside = max(_NUMBER.split(figures), key=len).strip()
    if not _DIGIT.search(figures) or figures == "1":  # a bare one or 一 seldom counts
        return _Sought(folded, closed(folded), None, beside, in_words=False)
    return _Sought(folded, closed(folded), figures, beside, in_words)

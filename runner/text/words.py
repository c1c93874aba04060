"""How text is normalised, split into words or character bigrams, and matched.

One rule for every language: scripts that write without spaces between words (Chinese,
Japanese, Korean, Thai, ...) are *dense* and are read by character bigrams, all others
by words. Every function takes the text as it came and remembers what it gave, so that
the metrics of one response share the work.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from operator import add

REMEMBERED = 16  # texts: about those of one response
LONGEST = 12  # characters of an abbreviation with what stands before it
remembered = lru_cache(REMEMBERED)  # for what is read of a text: metrics share it

_DENSE = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1100-\u11ff\u1780-\u17d3"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30fa\u30fc-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = (  # vowel signs and accents, which the regular expression's \w leaves out
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0ddf"
)
_ASCII_TOKEN = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*")
_TOKEN = re.compile(
    r"[a-z]++(?![^\x00-\x7f])|[0-9]++(?![^\x00-\x7f])(?:\.[0-9]+)*"
    rf"|[^\W\d_{_DENSE}]+(?:[{_MARKS}]+[^\W\d_{_DENSE}]*)*|\d+(?:\.\d+)*|[{_DENSE}]+"
)
_A_DENSE = re.compile(f"[{_DENSE}]")
_FIRST_DENSE = "\u0e01"
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff]"
)
_TYPOGRAPHY = (  # what NFKC leaves, and the wide marks for which it is slow
    *zip("‘’‛′“”„‟″‐‑‒–—―−、", '\'\'\'\'"""""-------,', strict=True),
    *zip("，：；！？（）％～\u3000\xa0", ",:;!?()%~  ", strict=True),
    ("…", "..."),
)
_THIN_GROUPING = re.compile(r"[\xa0\u2009\u202f](?<=\d.)(?=\d{3}(?!\d))")
_GROUPING = re.compile(
    r",(?:(?<=(?<!\d)\d,)|(?<=(?<!\d)\d\d,)|(?<=(?<!\d)\d{3},))"
    r"(?=(?:\d\d,){0,4}\d{3}(?!\d))"
)
_BESIDE_DIGIT = r"(?<![\d.,] )(?=\d)|(?<=\d )(?![\d.,])"
_SPACE = re.compile(rf" (?:(?=[{_DENSE}])|(?<=[{_DENSE}] )|{_BESIDE_DIGIT})")
_ASCII_SPACE = re.compile(f" (?:{_BESIDE_DIGIT})")


def fold(text: str) -> str:
    """Give the text in one case and one width, with its line breaks.

    NFKC and case folding; zero-width, bidirectional and soft-hyphen characters are
    out, and typographic quotes, dashes and wide punctuation are their ASCII twins.
    """
    if text.isascii():
        return text.lower()
    text = _THIN_GROUPING.sub("", text)
    for fancy, plain in _TYPOGRAPHY:
        text = text.replace(fancy, plain)
    if text.isascii():
        return text.lower()
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return unicodedata.normalize("NFKC", text)


def _lowered(text: str) -> str:
    """Give an ASCII text in one case, its numbers without grouping."""
    text = text.lower()
    return _GROUPING.sub("", text) if "," in text else text


@remembered
def normalise(text: str) -> str:
    """Give the form in which texts are compared.

    Folded (see ``fold``); white space is one space, and none at all beside a dense
    character or a digit, where people write it or not; ``1,000`` is ``1000``. Between
    two digits, or a digit and a dot or comma, it stays, since it parts two numbers.

    >>> normalise("Ｓｕｐｐｏｒｔｓ  1,000 个 会话"), normalise("iPhone 15")
    ('supports1000个会话', 'iphone15')
    """
    text = " ".join(fold(text).split())
    if "," in text:
        text = _GROUPING.sub("", text)
    return (_ASCII_SPACE if text.isascii() else _SPACE).sub("", text)


@remembered
def tokens(text: str) -> tuple[str, ...]:
    """Give the words, numbers and, for dense scripts, the character bigrams.

    A dense character that stands alone is a token; punctuation and symbols are none.
    Letters and digits part, so that ``iPhone15`` and ``iPhone 15`` read alike.

    >>> tokens("Within 10 days"), tokens("可在十天内"), tokens("第 5 页")
    (('within', '10', 'days'), ('可在', '在十', '十天', '天内'), ('第', '5', '页'))
    """
    if text.isascii():  # no dense character, so that white space does not matter
        return tuple(_ASCII_TOKEN.findall(_lowered(text)))
    text = normalise(text)
    if text.isascii():
        return tuple(_ASCII_TOKEN.findall(text))
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token < _FIRST_DENSE or len(token) == 1 or not _A_DENSE.match(token):
            found.append(token)
        else:
            found += map(add, token, token[1:])
    return tuple(found)


@remembered
def vocabulary(text: str) -> frozenset[str]:
    """Give the distinct tokens of the text."""
    return frozenset(tokens(text))


_END = re.compile(r"[.!?。！？｡…\n][.!?。！？｡…\s\"'”’」』）)\]]*")
_ENDS_ANYWHERE = frozenset("。！？｡…\n")
_ORDINAL = re.compile(r"\s*\d{1,3}\.")
_NOT_AN_END = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|(?:[A-Za-z]\.)+[A-Za-z]|mr|mrs|ms|dr|prof|st|vs|etc"
    r"|fig|figs|eq|sec|ch|pp|vol|approx|inc|ltd|co|corp|jr|sr|al|dept|est"
    r"|e\.g|i\.e|cf|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)


@remembered
def sentences(text: str) -> tuple[str, ...]:
    """Give the sentences as they stand, without the white space around them.

    A line break ends a sentence; the dot of an abbreviation, an initial, a decimal or
    a list ordinal does not. Nothing but white space gives none.

    >>> sentences("Dr. Li paid $3.50. 会话上限是500。可扩容！")
    ('Dr. Li paid $3.50.', '会话上限是500。', '可扩容！')
    """
    found, start = [], 0
    for end in _END.finditer(text):
        marks = end[0]
        if _ENDS_ANYWHERE.isdisjoint(marks) and (
            not marks[-1].isspace()
            or (marks[:2] == ". " and _is_abbreviated(text, start, end.start() + 1))
        ):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return tuple(sentence for sentence in found if sentence)


def _is_abbreviated(text: str, start: int, end: int) -> bool:
    before = text[max(start, end - LONGEST) : end]
    if end - start < LONGEST and _ORDINAL.fullmatch(before):
        return True
    return _NOT_AN_END.search(before) is not None


def contains(text: str, needle: str) -> bool:
    """Whether the needle stands in the text, both normalised.

    Words and numbers match whole: ``500`` is not in ``1500`` or ``500.5``, ``art`` not
    in ``start``. Dense scripts match by substring. An empty needle is in nothing.

    >>> contains("支持 1,500 个会话", "500"), contains("支持 500 个会话", "500个会话")
    (False, True)
    """
    plain = fold(needle).strip()
    if plain and text.isascii() and _stands(_lowered(text), plain):
        return True  # as it is written, which is the common case and costs least
    needle = normalise(needle)
    return bool(needle) and _stands(normalise(text), needle)


def _stands(text: str, needle: str) -> bool:
    at = text.find(needle)
    while at >= 0:
        if _is_whole(text, at, at + len(needle)):
            return True
        at = text.find(needle, at + 1)
    return False


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (
        _JOINED_BEFORE.match(text[max(start - 2, 0) : start + 1][::-1])
        or _JOINED_AFTER.match(text[end - 1 : end + 2])
    )


_LETTER = rf"(?:[^\W\d{_DENSE}]|[{_MARKS}])"
_JOINED_AFTER = re.compile(rf"{_LETTER}{{2}}|\d\d|\d\.\d")
_JOINED_BEFORE = _JOINED_AFTER  # read backwards

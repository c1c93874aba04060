"""How text is normalised and split into sentences, words or character bigrams.

One rule for every language: scripts that write without spaces between words (Chinese,
Japanese, Korean, Thai, ...) are *dense* and are read by character bigrams, all others
by words. Traditional Chinese reads as simplified. Every function takes the text as it
came and remembers what it gave, so that the metrics of one response share the work.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from operator import add

from runner.text import _variants

REMEMBERED = 16  # texts: about those of one response
LONGEST = 12  # characters of an abbreviation with what stands before it
remembered = lru_cache(REMEMBERED)  # for what is read of a text: metrics share it

DENSE = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1100-\u11ff\u1780-\u17d3"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30fa\u30fc-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
MARKS = (  # vowel signs and accents, which the regular expression's \w leaves out
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0ddf"
)
_ASCII_TOKEN = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*")
_TOKEN = (
    r"[a-z]++(?![^\x00-\x7f])|[0-9]++(?![^\x00-\x7f])(?:\.[0-9]+)*"
    rf"|[^\W\d_{DENSE}]+(?:[{MARKS}]+[^\W\d_{DENSE}]*)*|\d+(?:\.\d+)*|[{DENSE}]+"
)
_A_DENSE = f"[{DENSE}]"
_FIRST_DENSE = "\u0e01"
_ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰"
_INVISIBLE = (  # what Unicode lets be ignored, and strokes through a letter
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\u0334-\u0338"
)  # as ranges: beyond the first plane each sign by itself is looked for one by one
_TYPOGRAPHY = (  # what NFKC leaves, and the wide marks for which it is slow
    *zip("‘’‛′“”„‟″‐‑‒–—―−", '\'\'\'\'"""""-------', strict=True),
    *zip("，：；！？（）％～\u3000\xa0", ",:;!?()%~  ", strict=True),
    ("…", "..."),
)
_ENUMERATION = re.compile(r"、(?<=\d.)(?=\d)")  # parts numbers, as a comma need not
_THIN = "\xa0\u2009\u202f"
_LIKE_DIGITS = (  # NFKC gives them as digits, which would join the number before
    "\xb2\xb3\xb9\xbc-\xbe\u2070-\u2079\u2080-\u2089\u2150-\u215f\u2189\u2460-\u249b"
    "\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf"
)
_BEHIND_DIGIT = re.compile(
    rf"[{_THIN}{_LIKE_DIGITS}](?<=\d.)(?:(?<=[{_LIKE_DIGITS}])|(?=\d{{3}}(?!\d)))"
)
_GROUPING = re.compile(
    r",(?:(?<=(?<!\d)\d,)|(?<=(?<!\d)\d\d,)|(?<=(?<!\d)\d{3},))"
    r"(?=(?:\d\d,){0,4}\d{3}(?!\d))"
)
_BESIDE_DIGIT = r"(?<![\d.,] )(?=\d)|(?<=\d )(?![\d.,])"
_SPACE = rf" (?:(?=[{DENSE}])|(?<=[{DENSE}] )|{_BESIDE_DIGIT})"
_ASCII_SPACE = re.compile(f" (?:{_BESIDE_DIGIT})")


@cache  # for the first text beyond ASCII: the classes take a tenth of a start
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@remembered
def fold(text: str) -> str:
    """Give the text in one case, width and script, with its line breaks.

    NFKC and case folding; zero-width, bidirectional and soft-hyphen characters are
    out, typographic quotes, dashes and wide punctuation are their ASCII twins, digits
    of every script are 0 to 9, and traditional Chinese is simplified.

    >>> fold("“Ｆｕｌｌ” ٥٠٠"), fold("可於十天內退貨")
    ('"full" 500', '可于十天内退货')
    """
    if text.isascii():
        return text.lower()
    text = _BEHIND_DIGIT.sub(_apart, text)
    for fancy, plain in _TYPOGRAPHY:
        text = text.replace(fancy, plain)
    if text.isascii():
        return text.lower()
    signs, plain_of = _signs()
    text = unicodedata.normalize("NFKC", text)
    text = signs.sub(lambda sign: plain_of.get(sign[0], ""), text).casefold()
    return unicodedata.normalize("NFKC", text)


def _apart(sign: re.Match[str]) -> str:
    return "" if sign[0].isspace() else f" {sign[0]}"


@cache  # read for the first text that needs it
def _signs() -> tuple[re.Pattern[str], dict[str, str]]:
    """Give the signs that are read as others, or not at all: see ``fold``."""
    plain = dict(zip(_variants.PAIRS[::2], _variants.PAIRS[1::2], strict=True))
    plain |= {chr(ord(zero) + n): str(n) for zero in _ZEROS for n in range(10)}
    plain |= {"廿": "二十", "卅": "三十"}
    return re.compile(f"[{''.join(plain)}{_INVISIBLE}]"), plain


@remembered
def flat(text: str) -> str:
    """Give the text folded and without grouping."""
    return ungrouped(fold(text))


def ungrouped(text: str) -> str:
    """Give a folded text whose numbers are without grouping: ``1,000`` is ``1000``."""
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
    return closed(text.lower() if text.isascii() else fold(text))


def closed(text: str) -> str:
    """Give a folded text as ``normalise`` does: spaced and grouped in one way."""
    text = ungrouped(" ".join(text.split()))
    if "、" in text:
        text = _ENUMERATION.sub(", ", text).replace("、", ",")
    return (_ASCII_SPACE if text.isascii() else _compiled(_SPACE)).sub("", text)


@remembered
def tokens(text: str) -> tuple[str, ...]:
    """Give the words, numbers and, for dense scripts, the character bigrams.

    A single dense character is a token; punctuation and symbols are not.
    Letters and digits part, so that ``iPhone15`` and ``iPhone 15`` read alike.

    >>> tokens("Within 10 days"), tokens("可在十天内"), tokens("第 5 页")
    (('within', '10', 'days'), ('可在', '在十', '十天', '天内'), ('第', '5', '页'))
    """
    folded = ungrouped(fold(text))
    if folded.isascii():
        return tuple(_ASCII_TOKEN.findall(folded))
    every, dense = _compiled(_TOKEN), _compiled(_A_DENSE)
    if not dense.search(folded):  # beside dense characters alone, spaces matter
        return tuple(every.findall(folded))
    found: list[str] = []
    for token in every.findall(normalise(text)):
        if token < _FIRST_DENSE or len(token) == 1 or not dense.match(token):
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

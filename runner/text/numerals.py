"""Which numbers a text states or could support, in any spelling.

``numbers`` is strict and reads what somebody claims; ``readings`` is generous and
gives every number that a text could back, those that it states among them. Both give
decimal strings without grouping, leading or trailing zeros, so that 1,000 and 1000,
十天 and 10 天, 百分之五 and 5% meet.
"""

from __future__ import annotations

import re
from functools import lru_cache

from runner.text.spelled import (
    SMALL,
    SPELLED,
    added,
    amounts,
    chinese,
    chinese_values,
    english,
)
from runner.text.words import DENSE, flat, fold, remembered, ungrouped, vocabulary

_FOOTNOTE = re.compile("[⁰¹²³⁴-⁹①-⒛⓪-⓿❶-➓]+")
_CITATION = re.compile(r"\[\^?[0-9]+(?:[ ,、-]+[0-9]+)*\]|【[0-9]+[^】\n]{0,20}】")
_STARS = r"[*_]{0,2}"
_NUMBERED = re.compile(r"[0-9][.)、:](?![0-9])")  # what every ordinal has
_ORDINAL = re.compile(  # of a list. A class comes first, which is searched for at once
    r"[\n(.:;!?,。、](?:"
    # not what stands in a bracket that opened before
    r"(?<=\()(?P<kept>[^()\n]{0,80}\))"
    # at the start of a line: 1. 1) (1) 1、 1:
    r"|(?<=\n)[ \t>#*_•-]*+(?:\([0-9]{1,3}\)|[0-9]{1,3}[.):、](?![0-9]))"
    # after a mark that does not part the digits of one number: 1) 1、 (1)
    rf"|(?:(?<=[;!?。])|(?<![0-9].)|(?=\s))(?<![\n(])\s?{_STARS}"
    rf"(?:[0-9]{{1,2}}[)、](?=[^0-9])|\([0-9]{{1,2}}\)(?=[^0-9])"
    # and 1. before a sign
    rf"|[0-9]{{1,2}}\.{_STARS}\s?(?={_STARS}[{DENSE}]))"
    # after the end of a sentence, before a word: 1.
    rf"|(?:(?<=[.!?;])\"?\s{_STARS}[0-9]{{1,2}}|(?<=:)\s{_STARS}1)\.{_STARS}\s"
    r"(?=[\"'*_]{0,3}[a-z]))"
)
_BRACKETED = re.compile(r"\(([0-9]{1,2})\)")
_LABELS = frozenset(
    (
        *("step", "passage", "passages", "source", "document", "context", "option"),
        *("part", "步骤", "段落", "片段", "来源", "文档", "资料", "选项", "上下"),
    )
)
_LABEL = re.compile(
    r"\b(?:step|passages?|source|document|context|option|part) #?[0-9]+"
    r"(?:(?:,| and| or|, and| &) [0-9]+)*\b(?![.,]?[0-9])"
    r"|(?:步骤|段落|片段|来源|文档|资料|选项|上下文) ?#?[0-9]{1,2}"
    r"(?:[,、和及] ?[0-9]{1,2})*(?![.,]?[0-9年月])"
)
_STEP = re.compile(r"第 ?[0-9]{1,2} ?步")
_FULL_HOUR = re.compile(r":00\b(?<=[0-9]:00)(?![.,:]?[0-9])")
_ALWAYS = re.compile(  # 24/7, 7x24小时
    r"(?:24 ?[/x×*] ?7(?:/365)?|7 ?[x×*] ?24)(?<![0-9.,].{4})(?![.,]?[0-9])"
)
_DIGIT = re.compile("[0-9]")
_OUT = "  "  # two spaces, over which nothing joins
_YEAR = 4  # digits

_OTHER_WORDS = {word: str(value) for word, value in SMALL.items()} | {
    word: str(value)
    for value, words in enumerate(
        (
            "",
            "a an once single first january jan 一 首 壹",
            "twice both pair second february feb double 二 两 双",
            "third march mar triple 三",
            "fourth april apr 四",
            "fifth may 五",
            "sixth june jun 六",
            "seventh july jul 七",
            "eighth august aug 八",
            "ninth september sep sept 九",
            "tenth october oct 十",
            "eleventh november nov",
            "twelfth december dec dozen",
        )
    )
    for word in words.split()
}
_OTHER_SIGNS = tuple(word for word in _OTHER_WORDS if not word.isascii())


@remembered
def numbers(text: str) -> tuple[str, ...]:
    """Give the numbers that the text states, in their order.

    Ordinals of a list, citation marks (``[1]``, ``passage 2``), footnote signs and the
    idiom 24/7 are no numbers. Digits inside a name are (``iPhone 15``). A number word
    counts where it measures: a Chinese one beside a measure word or with two signs or
    more, an English one from eleven on or beside a unit; 一个, ``one`` and the ``three
    tips`` of an introduction are manners of speaking.

    >>> numbers("1. Within 1,000 days [2]"), numbers("十天内退百分之五")
    (('1000',), ('10', '5'))
    """
    words = vocabulary(text)
    claims = fold(text)
    if not text.isascii() and _FOOTNOTE.search(text):
        claims = fold(_FOOTNOTE.sub(_OUT, text))
    if _DIGIT.search(claims):
        claims = _without_marks(claims, words)
    claims = added(ungrouped(claims))
    if not SMALL.keys().isdisjoint(words):
        claims = english(claims, claimed=True)
    if not claims.isascii():
        claims = chinese(claims, claimed=True)
    found: list[str] = []
    for figure, product, is_unit in amounts(claims):
        found += _parts(figure) if product is None or is_unit else (product,)
    return tuple(found)


def _without_marks(text: str, words: frozenset[str]) -> str:
    """Remove from a folded text digits that state no number: ordinals, citations."""
    if "[" in text or "【" in text:
        text = _CITATION.sub(_OUT, text)
    if "(1)" in text and "(2)" in text:
        text = _without_series(text)
    if _NUMBERED.search(text):
        text = _ORDINAL.sub(rf"{_OUT}\g<kept>{_OUT}", f"\n{text}").removeprefix("\n")
    if not _LABELS.isdisjoint(words):
        text = _LABEL.sub(_OUT, text)
    if "第" in text:
        text = _STEP.sub(_OUT, text)
    if ":00" in text:
        text = _FULL_HOUR.sub(_OUT, text)
    return _ALWAYS.sub(_OUT, text) if "24" in text else text


def _without_series(text: str) -> str:
    """Remove inline enumerators, which count up from one: (1), (2), (3)."""
    figures = [int(figure) for figure in _BRACKETED.findall(text)]
    counts, counting = [], False
    before, after = [0, *figures[:-1]], [*figures[1:], 0]
    for last, figure, coming in zip(before, figures, after, strict=True):
        starts = (figure, coming) == (1, 2)
        counting = starts or (counting and figure == last + 1)
        counts.append(counting)
    is_ordinal = iter(counts)
    return _BRACKETED.sub(lambda found: _OUT if next(is_ordinal) else found[0], text)


@remembered
def readings(text: str) -> frozenset[str]:
    """Give every number that the text could support, in any reading.

    Over ``numbers``: ``2.5 million`` also backs 2.5, every number word counts, also as
    an ordinal, and a month backs its number.

    >>> sorted(readings("a third in May, 2.5 million"))
    ['1', '2.5', '2500000', '3', '5']
    """
    folded, words = flat(text), vocabulary(text)
    plain = text.isascii() and SPELLED.isdisjoint(words)  # no mark cuts a figure
    found = set() if plain else set(numbers(text))
    for figure, product, _ in amounts(folded):
        found.update(_parts(figure) if product is None else (*_parts(figure), product))
    found.update(_OTHER_WORDS[word] for word in words & _OTHER_WORDS.keys())
    if not SMALL.keys().isdisjoint(words):
        found.update(figure for figure, *_ in amounts(english(folded, claimed=False)))
    if not folded.isascii():
        found.update(chinese_values(folded))
        found.update(_OTHER_WORDS[sign] for sign in _OTHER_SIGNS if sign in folded)
    return frozenset(found)


@lru_cache(1024)
def _parts(figure: str) -> tuple[str, ...]:
    """Give a figure in plain decimals; of a date such as 2024.01.05 each part."""
    whole, dot, rest = figure.partition(".")
    if "." in rest and len(whole) == _YEAR:
        return tuple(_plain(part) for part in (whole, *rest.split(".")))
    if dot and "." not in rest:
        rest = rest.rstrip("0")
    return (f"{_plain(whole)}.{rest}" if rest else _plain(whole),)


def _plain(whole: str) -> str:
    return whole.lstrip("0") or "0"

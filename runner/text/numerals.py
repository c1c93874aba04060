"""Which numbers a text states or could back, however they are written.

``numbers`` is strict and reads what somebody claims; ``readings`` is generous and
gives every number that a text could back. Both give decimal strings without grouping,
leading or trailing zeros, so that 1,000 and 1000, 十天 and 10 天, 百分之五 and 5% meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache

from runner.text.words import remembered, tokens, vocabulary

_DIGITS = re.compile(
    r"(?P<whole>\d(?:\d{0,2}(?:[,，\xa0\u202f]\d{2,3}){0,9}[,，\xa0\u202f]\d{3}(?!\d)|\d*))"
    r"(?P<rest>(?:\.\d+)*)"
    r"(?:\s?(?P<scale>(?:thousand|million|billion|trillion|mn|bn|k)\b|[千万萬亿億]+))?",
    re.IGNORECASE,
)
_SCALES = {
    "k": 3, "thousand": 3, "mn": 6, "million": 6, "bn": 9, "billion": 9,
    "trillion": 12, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8,
}  # fmt: skip
_ORDINAL = re.compile(  # opens a line, or stands behind a mark in a list on one line
    r"\n[ \t>#*\-]*(?:\(\d{1,3}\)|\d{1,3}[.)、．）](?!\d)|\d{1,3}:\s)"
    r"|[.:;!?。：；！？，]\s?\d{1,2}[)）、](?=\D)|[.!?]\s\d{1,2}\.\s(?=[A-Z])"
)
_CITATION = re.compile(
    r"\[\^?\d+(?:[ ,、\-–]+\d+)*\]|【\d+[^】\n]{0,20}】|[⁰¹²³⁴-⁹①-⑳]+"
)
_LABEL = re.compile(
    r"\b(?:step|passages?|source|document|context|option|part) #?\d+"
    r"(?:(?:,| and| or|, and| &) \d+)*\b",
    re.IGNORECASE,
)
_LABELS = frozenset(
    ("step", "passage", "passages", "source", "document", "context", "option", "part")
)
_FULL_HOUR = re.compile(r"(?<=\d):00\b")
_DIGIT = re.compile(r"\d")
_FRACTION = re.compile("[¼-¾⅐-⅞]")

_CHINESE = {c: i for i, c in enumerate("零一二三四五六七八九")}
_CHINESE |= {"〇": 0, "两": 2, "兩": 2, "壹": 1, "贰": 2, "叁": 3, "伍": 5, "拾": 10}
_TENS = {"十": 10, "百": 100, "千": 1000}
_HIGH = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_RUN = "[〇零一二两兩三四五六七八九十百千万萬亿億]"
_UNITS = (
    "天日周週月年岁歲时時分秒元块塊角美欧港万萬亿億千百米里吨斤克升度倍成折次名位人家个個只支条條"
    "项項款台臺件份页頁章节節层層级級季届期号號小星场場座艘辆輛架枚部篇册本张張口颗棵"
)
_CHINESE_NUMBER = re.compile(
    rf"(?P<run>{_RUN}+(?:点{_RUN}+)?)(?:分之(?P<share>{_RUN}+(?:点{_RUN}+)?)"
    rf"|(?!分(?![钟鐘]))(?P<unit>[{_UNITS}]|点[钟半整]|多|余|几)?)"
)

_PERCENT = ("百", "千")
_UNITS_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen
"""
_TENS_WORDS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: 10 * i for i, word in enumerate(_TENS_WORDS.split())}
_SMALL |= {word: i for i, word in enumerate(_UNITS_WORDS.split())}
_LARGE = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted((*_SMALL, *_LARGE), key=len, reverse=True))
_ENGLISH_NUMBER = re.compile(
    rf"\b(?P<words>(?:{_WORD})(?:(?:[ -]|[ -]and[ -])(?:{_WORD}))*)\b"
    r"(?P<unit>[ -](?:business |working |calendar )?(?:second|minute|hour|day|week"
    r"|month|year|percent|per cent|dollar|euro|pound|cent|mile|kilomet|met|feet|foot)"
    r"|st\b|nd\b|rd\b|th\b)?"
)
_OTHER_WORDS = {
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


@remembered
def numbers(text: str) -> tuple[str, ...]:
    """Give the numbers that the text states, in digits first and then in words.

    Ordinals of a list at the start of a line, citation marks (``[1]``, ``passage 2``)
    and footnote signs are no numbers. Digits inside a name are (``iPhone 15``). A
    number word counts where it measures: a Chinese one beside a measure word or with
    two signs or more, an English one from eleven on or beside a unit; 一个, ``one``
    and the ``three tips`` of an introduction are manners of speaking.

    >>> numbers("1. Within 1,000 days [2]"), numbers("十天内退百分之五")
    (('1000',), ('10', '5'))
    """
    found: list[str] = []
    words = vocabulary(text)
    if _DIGIT.search(text):
        claims = _without_marks(text, words)
        if _is_scaled(claims, words):
            found += [product or plain for plain, product in _in_digits(claims)]
        else:
            found += _plainly(tokens(claims))
    if not text.isascii():
        found += _in_chinese(text, strict=True)
    if not _SMALL.keys().isdisjoint(words):
        found += _in_english(text, strict=True)
    return tuple(found)


def _without_marks(text: str, words: frozenset[str]) -> str:
    if "[" in text or not text.isascii():
        text = _CITATION.sub(" ", text)
    if not _LABELS.isdisjoint(words):
        text = _LABEL.sub(" ", text)
    if ":00" in text:
        text = _FULL_HOUR.sub("", text)
    opened = f"\n{text}"
    return _ORDINAL.sub(" ", opened) if _ORDINAL.search(opened) else text


def _is_scaled(text: str, words: frozenset[str]) -> bool:
    return not _SCALES.keys().isdisjoint(words) or any(sign in text for sign in _HIGH)


def _plainly(words: Iterable[str]) -> list[str]:
    """Give the numbers among tokens."""
    return [plain for word in words if word[0].isdecimal() for plain in _parts(word)]


@remembered
def readings(text: str) -> frozenset[str]:
    """Give every number that the text could back, in any reading.

    Over ``numbers``: ``2.5 million`` also backs 2.5, every number word counts, also as
    an ordinal, and a month backs its number.

    >>> sorted(readings("a third in May, 2.5 million"))
    ['1', '2.5', '2500000', '3', '5']
    """
    words = vocabulary(text)
    found = set(_plainly(words))
    found.update(_OTHER_WORDS[word] for word in words & _OTHER_WORDS.keys())
    if _is_scaled(text, words):
        found.update(product for _, product in _in_digits(text) if product)
    if not _SMALL.keys().isdisjoint(words):
        found.update(_in_english(text, strict=False))
    if not text.isascii():
        found.update(_in_chinese(text, strict=False))
        found.update(_OTHER_WORDS[sign] for sign in _OTHER_WORDS.keys() & set(text))
    return frozenset(found)


@lru_cache(1024)
def _parts(number: str) -> tuple[str, ...]:
    """Give a number in plain decimals; of a date such as 2024.01.05 each part."""
    whole, dot, rest = number.partition(".")
    if "." in rest and len(whole) == 4:  # noqa: PLR2004  a year
        return tuple(_plain(part) for part in (whole, *rest.split(".")))
    return (_plain(whole, dot + rest),)


def _in_digits(text: str) -> Iterator[tuple[str, str | None]]:
    if not text.isascii():
        text = _FRACTION.sub(lambda f: " " + unicodedata.normalize("NFKC", f[0]), text)
    for match in _DIGITS.finditer(text):
        whole, rest, scale = match.group("whole", "rest", "scale")
        for plain in _parts(whole + rest):
            yield plain, _scaled(plain, scale) if scale else None


def _plain(whole: str, rest: str = "") -> str:
    if not whole.isascii() or not rest.isascii():
        whole = "".join(str(unicodedata.digit(c, "")) for c in whole)
        rest = "".join(str(unicodedata.digit(c, ".")) for c in rest)
    whole = whole.replace(",", "").lstrip("0") or "0"
    if rest.count(".") == 1:
        rest = rest.rstrip("0").rstrip(".")
    return whole + rest


def _scaled(plain: str, scale: str) -> str | None:
    if plain.count(".") > 1 or len(plain) > 30:  # noqa: PLR2004  a version, an id
        return None
    scale = scale.lower()
    power = _SCALES.get(scale) or sum(_SCALES[sign] for sign in scale)
    return _shown(Decimal(plain).scaleb(power))


def _shown(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _in_chinese(text: str, *, strict: bool) -> Iterator[str]:
    for run, share, unit in dict.fromkeys(_CHINESE_NUMBER.findall(text)):
        if share:
            runs = [share] if run in _PERCENT else [run, share]
        else:
            runs = [run] if not strict or _measures(run, unit) else []
        yield from filter(None, map(_chinese, runs))


def _measures(run: str, unit: str) -> bool:
    if run[0] in "百千万萬亿億" or run == "一":
        return False
    return bool(unit) or (len(run) > 1 and any(c in _TENS or c in _HIGH for c in run))


@lru_cache(512)
def _chinese(run: str) -> str | None:
    run, _, decimals = run.partition("点")
    if len(run) > 20:  # noqa: PLR2004  no number that anybody writes
        return None
    if not any(sign in _TENS or sign in _HIGH for sign in run):
        spelled = len(run) == 1 or len(run) > 2 or "〇" in run or "零" in run  # noqa: PLR2004
        whole = "".join(str(_CHINESE[sign]) for sign in run) if spelled else ""
    else:
        whole = str(_chinese_sum(run))
    if not whole:
        return None
    tail = "".join(str(_CHINESE.get(sign, "")) for sign in decimals)
    return _plain(whole, "." + tail if tail else "")


def _chinese_sum(run: str) -> int:
    total = section = digit = 0
    for sign in run:
        if sign in _TENS:
            section += (digit or 1) * _TENS[sign]
            digit = 0
        elif sign in _HIGH:
            total = (total + section + digit or 1) * _HIGH[sign]
            section = digit = 0
        else:
            digit = _CHINESE[sign]
    return total + section + digit


def _in_english(text: str, *, strict: bool) -> Iterator[str]:
    for match in _ENGLISH_NUMBER.finditer(text.lower()):
        words = match["words"].replace("-", " ").split()
        value = _english_sum(words)
        if value is not None and (not strict or value > 10 or match["unit"]):  # noqa: PLR2004
            yield str(value)
        if not strict:
            yield from (str(_SMALL[word]) for word in words if word in _SMALL)


def _english_sum(words: list[str]) -> int | None:
    if words[0] in _LARGE or len(words) > 12:  # noqa: PLR2004  an endless "hundred"
        return None
    total = current = 0
    for word in words:
        if word == "hundred":
            current = (current or 1) * 100
        elif word in _LARGE:
            total, current = total + (current or 1) * _LARGE[word], 0
        elif word in _SMALL:
            current += _SMALL[word]
    return total + current

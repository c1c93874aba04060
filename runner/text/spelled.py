"""Rewrites numbers in words or with a scale (two million, 3万) as plain figures.

Every function takes folded text without grouping. What somebody *claims* is read
narrowly: ``one of them`` and 一个 are manners of speaking, and 18千米 is 18 of a unit.
What is only compared is read widely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache

from runner.text.words import remembered

LONGEST = 30  # characters of a figure that a scale multiplies; a longer one is an id
MEANT = 11  # from here on an English number word without a unit is meant as a number
LONGEST_RUN = 20  # signs of a Chinese numeral

DIGIT = "[〇零一二两三四五六七八九]"
MAGNITUDE = "[十百千万亿]"
NUMERAL = "[〇零一二两三四五六七八九十百千万亿]"
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_HIGH = {"万": 10**4, "亿": 10**8}
_WORTH = _TENS | _HIGH
_RUN = rf"{NUMERAL}{NUMERAL}*+(?:点{DIGIT}++(?!{MAGNITUDE}))?"
_KILO = "米克瓦卡赫伏焦帕"  # of which a thousand is a unit of its own
_UNITS = (
    f"{_KILO}天日周月年岁时秒元块角美欧港里吨斤升度倍成折次名位人家个只支条项款台件份页章节"
    "层级季届期号小星场座艘辆架枚部篇册本张口颗棵"
    "公毫厘英寸套箱盒包袋瓶杯桶罐单笔组步遍"
)
_CHINESE = re.compile(  # a class comes first, which is searched for at once
    rf"(?P<run>{_RUN})"
    rf"(?:分之(?P<share>{_RUN})"
    rf"|(?P<unit>[{_UNITS}多余几]|分钟|点(?=[钟半整]|{NUMERAL}{{1,3}}分)"
    rf"|[至到~-](?={NUMERAL}{{1,8}}+[{_UNITS}]))?)"  # 三至五天
)
_TWO = "[一二两三四五六七八九]{2}"
_ABOUT = re.compile(f"(?:^|{MAGNITUDE}){_TWO}$|{_TWO}{MAGNITUDE}")  # 三四, 七八十
_OF_KILO = re.compile("[十百千].?千$")  # no numeral ends so: 十八 千米
_SHARES = {"百": "%", "千": "‰"}

_SCALES = {
    "k": 3, "thousand": 3, "mn": 6, "million": 6, "bn": 9, "billion": 9,
    "trillion": 12, "千": 3, "万": 4, "亿": 8,
}  # fmt: skip
BIG = r"(?:thousand|million|billion|trillion|mn|bn|k)(?![a-z])"
SCALE = rf"(?:[万亿]|千(?![{_KILO}])|{BIG})"
_AMOUNT = re.compile(
    rf"([0-9][0-9]*+(?:\.[0-9]++)*+)(?:\s?(?:(千)(?=[{_KILO}])|([千万亿]+|{BIG})))?"
)
_COMPOUND = re.compile(  # 1亿2000万
    r"[0-9](?<![0-9.].)[0-9]*+(?:\.[0-9]++)?+[千万亿](?:[0-9]++(?:\.[0-9]++)?+[千万亿])+"
)
_ADDEND = re.compile(r"([\d.]+)(.)")

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
    *("seventeen", "eighteen", "nineteen"),
)
_TIES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SMALL = {word: value for value, word in enumerate(("zero", *_ONES, *_TEENS))}
SMALL |= {word: 10 * value for value, word in enumerate(_TIES, start=2)}
SPELLED = frozenset((*SMALL, *_SCALES, "percent", "cent"))
"""English words without which all numbers of a text are in plain figures."""
_ONE, _TEEN, _TY, _MUCH = map("|".join, (_ONES, _TEENS, _TIES, _LARGE))
_BELOW_100 = rf"(?:(?:{_TY})(?:[ -](?:{_ONE})(?![a-z]))?|{_TEEN}|{_ONE}|zero)(?![a-z])"
_BELOW_1000 = rf"{_BELOW_100}(?:[ -]hundred(?![a-z])(?:(?:[ -]and)?[ -]{_BELOW_100})?)?"
_MEASURES = (
    "second|minute|hour|day|week|month|year|percent|per cent|dollar|euro|pound|cent"
    "|mile|kilomet|met|feet|foot"
)


@cache  # read for the first text that has a number word
def _english() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![a-z])(?P<words>{_BELOW_1000}"
        rf"(?:[ -](?:{_MUCH})(?![a-z])(?:(?:[ -]and)?[ -]{_BELOW_1000})?)*)"
        rf"(?P<unit>[ -](?:business |working |calendar )?(?:{_MEASURES})"
        r"|(?:st|nd|rd|th)(?![a-z]))?"
    )


def english(text: str, *, claimed: bool) -> str:
    """Turn English number words; where claimed, from eleven on or beside a unit.

    >>> english("two hundred and fifty, one of ten or twelve days", claimed=True)
    '250, one of ten or 12 days'
    """

    def figure(match: re.Match[str]) -> str:
        value, unit = _english_sum(match["words"]), match["unit"] or ""
        manner_of_speaking = claimed and value < MEANT and not unit
        return match[0] if manner_of_speaking else f"{value}{unit}"

    return _english().sub(figure, text)


def _english_sum(words: str) -> int:
    total = current = 0
    for word in words.replace("-", " ").split():
        if word == "hundred":
            current *= 100
        elif word in _LARGE:
            total, current = total + current * _LARGE[word], 0
        elif word in SMALL:
            current += SMALL[word]
    return total + current


def chinese(text: str, *, claimed: bool) -> str:
    """Turn Chinese numerals beside a measure word, or of two signs and more.

    百分之五 is 5%, 三分之二 is 2/3. Where claimed, 一 never measures.

    >>> chinese("十天内退百分之五，二百五十元，千万别一个人去", claimed=True)
    '10天内退5%，250元，千万别一个人去'
    """

    def figure(match: re.Match[str]) -> str:
        run, share, unit = match.groups("")
        if _is_part(match) or not (share or _measures(run, unit, claimed=claimed)):
            return match[0]
        if share:
            return _share(run, share) or match[0]
        kilo = "千" if unit and unit in _KILO and _OF_KILO.search(run) else ""
        value = _value(run.removesuffix(kilo))
        return f"{value}{kilo}{unit}" if value else match[0]

    return _CHINESE.sub(figure, text)


def _is_part(match: re.Match[str]) -> bool:
    """Whether a numeral belongs to more: 几十个, 3万五千, 二十5."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1] if start else " "
    after = "" if match["unit"] else text[end : end + 1]
    return before in "几数" or before.isdecimal() or after.isdecimal()


def chinese_values(text: str) -> Iterator[str]:
    """Give the values of Chinese numerals in any reading, with or without a unit."""
    for run, share, _ in set(_CHINESE.findall(text)):
        for numeral in {run, share, run.removesuffix("千")} - {""}:
            if value := _value(numeral):
                yield value


def _share(whole: str, part: str) -> str | None:
    value = _value(part)
    if value is None or whole in _SHARES:
        return value and value + _SHARES[whole]
    return f"{value}/{_value(whole)}"


def _measures(run: str, unit: str, *, claimed: bool) -> bool:
    if run[0] in "百千万亿" or (claimed and run == "一"):
        return False
    return bool(unit) or (len(run) > 1 and any(sign in _WORTH for sign in run))


@lru_cache(512)
def _value(run: str) -> str | None:
    """Give the value of a numeral; None for what is not one number: 三四, 七八十."""
    run, _, decimals = run.partition("点")
    if len(run) > LONGEST_RUN or _ABOUT.search(run):
        return None
    if any(sign in _WORTH for sign in run):
        whole = _chinese_sum(run)
    else:
        whole = int("".join(str(_DIGITS[sign]) for sign in run))
    tail = "".join(str(_DIGITS[sign]) for sign in decimals).rstrip("0")
    return f"{whole}.{tail}" if tail else str(whole)


def _chinese_sum(run: str) -> int:
    total = section = digit = 0
    for sign in run:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _HIGH:
            total = (total + section + digit or 1) * _HIGH[sign]
            section = digit = 0
        elif section < _TENS[sign]:  # also 十八千
            section, digit = (section + digit or 1) * _TENS[sign], 0
        else:
            section, digit = section + (digit or 1) * _TENS[sign], 0
    # 三千五 is 3500 for short, 三千零五 is not.
    return total + section + digit * (_WORTH.get(run[-2:-1], 10) // 10)


@remembered
def amounts(text: str) -> tuple[tuple[str, str | None, bool], ...]:
    """Give each figure, what it is with its scale, and whether that is a unit's prefix.

    >>> amounts("2.5 million, 18千米")
    (('2.5', '2500000', False), ('18', '18000', True))
    """
    return tuple(
        [
            (figure, _times(figure, kilo or scale), kilo != "")
            for figure, kilo, scale in _AMOUNT.findall(text)
        ]
    )


def scaled(text: str) -> str:
    """Turn figures with a scale, whatever follows them.

    >>> scaled("2.5 million, 3万元, 18千米")
    '2500000, 30000元, 18000米'
    """

    def product(match: re.Match[str]) -> str:
        figure, kilo, scale = match.groups()
        return _times(figure, kilo or scale) or match[0]

    return _AMOUNT.sub(product, added(text))


def added(text: str) -> str:
    """Turn a number of several scales into one figure.

    >>> added("1亿2000万")
    '120000000'
    """
    scaled = any(scale in text for scale in "千万亿")
    return _COMPOUND.sub(_sum, text) if scaled else text


def _sum(match: re.Match[str]) -> str:
    addends = _ADDEND.findall(match[0])
    powers = [_SCALES[scale] for _, scale in addends]
    values = [_times(figure, scale) for figure, scale in addends]
    if powers != sorted(set(powers), reverse=True) or None in values:
        return match[0]
    return _shown(sum(map(Decimal, filter(None, values)), Decimal(0)))


def _times(figure: str, scale: str | None) -> str | None:
    """Give the product; None without a scale, and of a version or an id."""
    if not scale or figure.count(".") > 1 or len(figure) > LONGEST:
        return None
    power = _SCALES.get(scale) or sum(_SCALES[sign] for sign in scale)
    return _shown(Decimal(figure).scaleb(power))


def _shown(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text

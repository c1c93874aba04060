"""Reads and writes amounts as people do: ``30s``, ``10MiB``, ``5%``, ``20/s``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from runner.errors import kind_of

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_BYTES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)\s*")
_DAY = 86_400.0  # seconds; no clock or socket of the system takes just any number
_LARGEST = 2**30  # bytes


class Amount(NamedTuple):
    """A limit as it was written: a number, or a share of something else."""

    value: float
    percent: bool = False
    duration: bool = False
    """Written with a unit of time; the value is in seconds."""


def _wrong(value: object, wanted: str) -> ValueError:
    text = kind_of(value).removeprefix("the text ")
    return ValueError(f"{text} is no {wanted}")


def _split(value: object, wanted: str) -> tuple[float, str]:
    """Give a number and the unit after it, which is empty where there is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), ""
    matched = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    number = float(matched[1]) if matched else math.inf
    if matched is None or math.isinf(number):
        raise _wrong(value, wanted)
    return number, matched[2]


def no_unit(number: float, *units: str) -> str:
    """Give the message on a number without a unit, with each way to write it.

    >>> no_unit(2000, "ms", "s")
    '2000 has no unit: write 2000ms or 2000s'
    """
    ways = " or ".join(f"{plain(number)}{unit}" for unit in units)
    return f"{plain(number)} has no unit: write {ways}"


def seconds(value: object) -> float:
    """Give seconds from ``30s``, ``500ms`` or ``2m``.

    A number alone is refused: it may as well mean milliseconds.

    Raises:
        ValueError: It is no duration, has no unit, or is longer than a day.
    """
    wanted = "duration; write it like 30s or 500ms"
    number, unit = _split(value, wanted)
    if not 0 < number < math.inf or unit not in {"", *_SECONDS}:
        raise _wrong(value, wanted)
    if not unit:
        raise ValueError(no_unit(number, "s", "ms"))
    if number * _SECONDS[unit] > _DAY:
        raise ValueError("is longer than 24h, the longest there is")
    return number * _SECONDS[unit]


def size(value: object) -> int:
    """Give bytes from ``10MiB``, ``500KB`` or ``64B``; a number alone is refused.

    Raises:
        ValueError: It is no size, has no unit, or is larger than a gibibyte.
    """
    wanted = "size; write it like 10MiB"
    number, unit = _split(value, wanted)
    if not 1 <= number < math.inf or unit not in {"", *_BYTES}:
        raise _wrong(value, wanted)
    if not unit:
        raise ValueError(no_unit(number, "MiB", "B"))
    if number * _BYTES[unit] > _LARGEST:
        raise ValueError("is larger than 1GiB, the largest there is")
    return int(number * _BYTES[unit])


def per_second(value: object) -> float:
    """Give events per second from ``20/s`` or ``100/m``; a number alone is refused.

    Raises:
        ValueError: It is no rate, has no unit, or is less than one a day.
    """
    wanted = "rate; write it like 20/s or 100/m"
    text, slash, per = str(value).partition("/")
    number, unit = _split(text if slash else value, wanted)
    if not 0 < number < math.inf or unit or (slash and per.strip() not in _SECONDS):
        raise _wrong(value, wanted)
    if not slash:
        raise ValueError(no_unit(number, "/s", "/m"))
    rate = number / _SECONDS[per.strip()]
    if rate < 1 / _DAY:
        raise ValueError("is less than one a day, the slowest there is")
    return rate


def amount(value: object) -> Amount:
    """Give a limit from ``0.85``, ``5%`` or ``3s``.

    Raises:
        ValueError: It is not one of them.
    """
    wanted = "limit; write it like 0.85, 5% or 3s"
    number, unit = _split(value, wanted)
    if unit == "%":
        return Amount(number / 100, percent=True)
    if unit and unit not in _SECONDS:
        raise _wrong(value, wanted)
    return Amount(number * _SECONDS.get(unit, 1.0), duration=bool(unit))


_WRITTEN_OUT = 1e15  # as many digits as a float tells apart
PRECISION = 9  # limits compare after rounding to 1e-9, so more digits tell nothing


def plain(value: float) -> str:
    """Give a number as its author would write it, to 1e-9, and without an exponent.

    What nobody would write out has one.

    >>> plain(100.0), plain(-0.85), plain(2e6), plain(-1e-12), plain(1e30)
    ('100', '-0.85', '2000000', '0', '1e+30')
    """
    if abs(value) >= _WRITTEN_OUT:
        return f"{value:g}"
    text = f"{value:.{PRECISION}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def rough(value: float) -> str:
    """Give a number to two significant digits, without an exponent.

    >>> rough(100.0), rough(0.2699), rough(-1234.5)
    ('100', '0.27', '-1200')
    """
    return plain(float(f"{value:.2g}"))


def count(number: int, noun: str, nouns: str = "") -> str:
    """Give a number with its noun, in the plural where it is not 1.

    >>> count(1, "case"), count(1_200, "case"), count(2, "reply", "replies")
    ('1 case', '1,200 cases', '2 replies')
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def listed(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """Give at most ``most`` names in one text, and how many more there are.

    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def telling_digits(value: float, limits: Iterable[float], least: int = 2) -> int:
    """Give the fewest decimals that show on which side of each limit a value is.

    >>> telling_digits(0.8499, [0.85]), telling_digits(0.8512, [0.8511])
    (4, 4)
    """
    digits, others = least, tuple(limits)
    while digits < PRECISION and any(
        _side(round(value, digits), other) != _side(value, other) for other in others
    ):
        digits += 1
    return digits


def _side(value: float, other: float) -> int:
    value, other = round(value, PRECISION), round(other, PRECISION)
    return (value > other) - (value < other)


def tell_apart(value: float, limit: float) -> tuple[str, str]:
    """Give a value with enough decimals to tell it from its limit, and the whole limit.

    Both are rounded to 1e-9, as limits are compared.

    >>> tell_apart(0.84, 0.85), tell_apart(0.8499999, 0.85), tell_apart(4.25, 3)
    (('0.84', '0.85'), ('0.8499999', '0.85'), ('4.25', '3'))
    """
    digits = telling_digits(value, [limit])
    return f"{value:.{digits}f}", plain(limit)


def both_apart(one: float, other: float) -> tuple[str, str]:
    """Give two values with enough decimals to tell them from each other.

    >>> both_apart(0.8983, 0.9153), both_apart(0.8983, 0.9017), both_apart(3, 3)
    (('0.90', '0.92'), ('0.898', '0.902'), ('3.00', '3.00'))
    >>> both_apart(0.9, 0.9004)
    ('0.9000', '0.9004')
    """
    digits, one, other = 2, round(one, PRECISION), round(other, PRECISION)
    while one != other and round(one, digits) == round(other, digits):
        digits += 1
    return f"{one:.{digits}f}", f"{other:.{digits}f}"

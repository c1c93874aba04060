"""How people write amounts: ``30s``, ``10MiB``, ``5%``, ``20/s``."""

from __future__ import annotations

import re
from typing import NamedTuple

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_BYTES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)\s*")


class Amount(NamedTuple):
    """A limit as it was written: a number, or a share of something else."""

    value: float
    percent: bool = False


def _split(text: str, what: str, example: str) -> tuple[float, str]:
    matched = _AMOUNT.fullmatch(text)
    if not matched:
        raise ValueError(f"{text!r} is no {what}; write it like {example}")
    return float(matched[1]), matched[2]


def seconds(value: object) -> float:
    """Give seconds from ``30s``, ``500ms``, ``2m`` or a plain number.

    Raises:
        ValueError: It is no duration.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    number, unit = _split(str(value), "duration", "30s or 500ms")
    if unit not in _SECONDS:
        raise ValueError(f"{value!r} is no duration; write it like 30s or 500ms")
    return number * _SECONDS[unit]


def size(value: object) -> int:
    """Give bytes from ``10MiB``, ``500KB`` or a plain number.

    Raises:
        ValueError: It is no size.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number, unit = _split(str(value), "size", "10MiB")
    if unit not in _BYTES:
        raise ValueError(f"{value!r} is no size; write it like 10MiB")
    return int(number * _BYTES[unit])


def per_second(value: object) -> float:
    """Give events per second from ``20/s``, ``100/m`` or a plain number.

    Raises:
        ValueError: It is no rate.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    number, slash, unit = str(value).partition("/")
    try:
        rate = float(number) / _SECONDS[unit.strip()]
    except (ValueError, KeyError):
        slash = ""
        rate = 0.0
    if not slash or rate <= 0:
        raise ValueError(f"{value!r} is no rate; write it like 20/s or 100/m")
    return rate


def amount(value: object) -> Amount:
    """Give a limit from ``0.85``, ``5%`` or ``3s``.

    Raises:
        ValueError: It is none of them.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Amount(float(value))
    number, unit = _split(str(value), "limit", "0.85, 5% or 3s")
    if unit == "%":
        return Amount(number / 100, percent=True)
    return Amount(number * _SECONDS[unit] if unit else number)


def tell_apart(value: float, limit: float) -> tuple[str, str]:
    """Give a value with as many digits as tell it from its limit, and the limit whole.

    Both are rounded to 1e-9, as limits are compared.

    >>> tell_apart(0.84, 0.85), tell_apart(0.8499999, 0.85), tell_apart(4.25, 3)
    (('0.84', '0.85'), ('0.8499999', '0.85'), ('4.25', '3'))
    """
    value, limit = round(value, 9), round(limit, 9)
    digits = 2
    while round(value, digits) == limit != value:
        digits += 1
    return f"{value:.{digits}f}", f"{limit:.9f}".rstrip("0").rstrip(".")

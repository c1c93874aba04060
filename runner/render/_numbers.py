"""How numbers are printed: with as many digits as tell a value from its limit."""

from __future__ import annotations

from collections.abc import Iterable

from runner.units import PRECISION, telling_digits

STILL = "±0"
_MINUS = "\u2212"
_SHARE_DIGITS = 2
_MOST_DIGITS = {"s": 3, "money": 6}


def number(value: float, unit: str = "", against: Iterable[float | None] = ()) -> str:
    """Format a value with enough digits to show on which side of each limit it is.

    >>> number(0.8499, against=[0.85]), number(0.84), number(2.1, "s")
    ('0.8499', '0.84', '2.1 s')
    """
    limits = [other for other in against if other is not None]
    digits = telling_digits(value, limits, _usual_digits(abs(value), unit))
    return _with_unit(f"{value:,.{digits}f}", unit)


def limit(value: float, unit: str = "") -> str:
    """Format a limit with all its digits.

    >>> limit(0.855), limit(1.0), limit(3, "s")
    ('0.855', '1.00', '3 s')
    """
    whole, _, rest = f"{value:,.{PRECISION}f}".partition(".")
    least = 0 if unit else _SHARE_DIGITS
    digits = rest.rstrip("0").ljust(least, "0")
    return _with_unit(f"{whole}.{digits}" if digits else whole, unit)


def change(now: float, then: float, unit: str = "", drops: Iterable[float] = ()) -> str:
    """Format ``now - then`` with its sign; ±0 where all shown digits are 0.

    It has the digits of ``then``, and more where a limit on the drop asks for them.

    >>> change(0.78, 0.91), change(2.13, 1.9, "s"), change(0.74, 0.741)
    ('−0.13', '+0.2 s', '±0')
    """
    value = now - then
    limits = [side * drop for drop in drops for side in (1.0, -1.0)]
    digits = telling_digits(value, limits, _usual_digits(abs(then), unit))
    if round(value, digits) == 0:
        return STILL
    sign = "+" if value > 0 else _MINUS
    return _with_unit(f"{sign}{abs(value):,.{digits}f}", unit)


def percent(share: float) -> str:
    """Format a share as a percentage, with all its digits.

    >>> percent(0.05), percent(0.125)
    ('5 %', '12.5 %')
    """
    return f"{limit(share * 100, '%')}"


def _usual_digits(size: float, unit: str) -> int:
    """Give two digits of a share, none of a count, and else two that tell something."""
    if not unit:
        return _SHARE_DIGITS
    most = _MOST_DIGITS.get(unit, 0)
    places = (digits for digits in range(1, most) if size >= 10 ** (1 - digits))
    return next(places, most if size else min(1, most))


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit in ("s", "%") else text

"""The types of numbers and words in a spec, for pydantic and the JSON Schema."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from runner.errors import kind_of
from runner.units import Amount, amount, per_second, plain, seconds, size

_PERCENT = 100


def _with_unit(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


def _or_number(pattern: str) -> WithJsonSchema:
    number = {"type": "number", "minimum": 0}
    return WithJsonSchema({"anyOf": [number, {"type": "string", "pattern": pattern}]})


def _whole(value: object) -> object:
    """Take whole numbers, also as the text of an environment variable."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"must be a whole number, and is {kind_of(value)}")


def _word(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:d}"
    return value


def share(value: object) -> float:
    """Give a number from 0 to 1, also from a percentage.

    Raises:
        ValueError: It is no such number; names the two ways to write it.
    """
    try:
        number, _, duration = amount(value)
    except ValueError:
        number, duration = math.inf, False
    if duration or not 0 <= number <= 1:
        text = kind_of(value).removeprefix("the text ")
        raise ValueError(f"{text} is no share{as_share(number)}")
    return number


def as_share(value: float) -> str:
    """Give the hint for a limit like ``90`` that was meant as a percentage.

    >>> as_share(90), as_share(99.5), as_share(700)
    ('; write 90% or 0.90', '; write 99.5% or 0.995', '; write it like 90% or 0.90')
    """
    if 1 < value <= _PERCENT:
        return f"; write {plain(value)}% or {plain(value / _PERCENT):0<4}"
    return "; write it like 90% or 0.90"


_SECONDS = r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|m|min|h)\s*$|\$\{"
_BYTES = r"^\s*[0-9]+(\.[0-9]+)?\s*(B|[KMG]i?B)\s*$|\$\{"
_RATE = r"^\s*[0-9]+(\.[0-9]+)?\s*/\s*(ms|s|m|min|h)\s*$|\$\{"
_AMOUNT = r"^\s*[0-9]+(\.[0-9]+)?\s*(%|ms|s|m|min|h)?\s*$"

Seconds = Annotated[float, BeforeValidator(seconds), _with_unit(_SECONDS)]
Bytes = Annotated[int, BeforeValidator(size), _with_unit(_BYTES)]
Rate = Annotated[float, BeforeValidator(per_second), _with_unit(_RATE)]
Share = Annotated[float, BeforeValidator(share), _or_number(_AMOUNT)]
Whole = Annotated[int, BeforeValidator(_whole)]
Word = Annotated[
    str, BeforeValidator(_word), WithJsonSchema({"type": ["string", "integer"]})
]
Given = Annotated[
    str | None,
    Field(min_length=1),
    WithJsonSchema({"type": "string", "minLength": 1}),
]
"""Text that may be left out; never empty."""
Points = Annotated[Amount, PlainValidator(amount), _or_number(_AMOUNT)]
Written = Annotated[Amount | None, PlainValidator(amount), _or_number(_AMOUNT)]
"""A limit; None only where the key is left out."""

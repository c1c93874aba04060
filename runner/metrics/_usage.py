"""Token counts and cost under the many names that replies give them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

INPUT = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens")
OUTPUT = ("output_tokens", "completion_tokens", "outputTokens", "completionTokens")
TOTAL = ("total_tokens", "totalTokens")
COST = ("cost", "total_cost", "totalCost", "total_price")


def amount(usage: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    """Give the first of these that is a number of 0 or more, else None.

    Looks into a nested ``usage`` or ``tokens`` too. A number in a string counts, as
    some servers send prices so; true, NaN and negative numbers do not.
    """
    for name in names:
        number = _number(usage.get(name))
        if number is not None:
            return number
    for nested in (usage.get("usage"), usage.get("tokens")):
        if isinstance(nested, Mapping):
            return amount(nested, names)
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) and number >= 0 else None

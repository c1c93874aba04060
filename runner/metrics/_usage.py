"""Token counts and cost under the many names that replies give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INPUT = (
    "input_tokens",
    "prompt_tokens",
    "inputTokens",
    "promptTokens",
    "promptTokenCount",
    "prompt_eval_count",
    "input",
)
OUTPUT = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "completionTokens",
    "candidatesTokenCount",
    "eval_count",
    "output",
)
TOTAL = (
    "total_tokens",
    "totalTokens",
    "totalTokenCount",
    "token_count",
    "tokens",
    "total",
)
COST = ("cost", "total_cost", "totalCost", "total_price", "response_cost")
_DETAILS = ("completion_tokens_details", "output_tokens_details")
_MOST = 1e15  # of tokens or money; what is more, or NaN, is no amount
_NESTED = ("usage", "tokens")


def amount(usage: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    """Give the first of these that is a number of 0 or more, else None.

    Looks one level into ``usage`` and ``tokens`` too. A number in a string counts, as
    some servers send prices so; true, NaN and negative numbers do not.
    """
    found = _first(usage, names)
    for nested in _NESTED:
        inner = usage.get(nested) if found is None else None
        if isinstance(inner, Mapping):
            found = _first(inner, names)
    return found


def reasoning(usage: Mapping[str, Any]) -> float:
    """Give how many of the output tokens are stated to be of reasoning, else 0."""
    for name in _DETAILS:
        details = usage.get(name)
        if isinstance(details, Mapping):
            return _first(details, ("reasoning_tokens",)) or 0.0
    return 0.0


def _first(usage: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    for name in names:
        if name in usage and (number := _number(usage[name])) is not None:
            return number
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= _MOST else None

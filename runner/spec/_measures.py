"""Names of metrics become measures: ``recall@5``, ``ndcg`` with ``{k: 10}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.errors import did_you_mean
from runner.model import NOTHING, Measure, Metric


def bind(
    text: str, registry: Mapping[str, Metric], options: Mapping[str, Any] = NOTHING
) -> Measure:
    """Give the measure that a name and its options stand for.

    Raises:
        ValueError: The metric is unknown, or an option is.
    """
    name, at, cutoff = text.partition("@")
    if name not in registry:
        hint = did_you_mean(name, registry)
        raise ValueError(f"unknown metric {name}" + (f" ({hint})" if hint else ""))
    given = dict(options)
    if at:
        given["k"] = int(cutoff)
    chosen = registry[name].options(**given).model_dump(exclude_unset=True)
    k = chosen.get("k")
    rest = ", ".join(f"{key}={chosen[key]}" for key in sorted(chosen) if key != "k")
    label = name + (f"@{k}" if k is not None else "") + (f"({rest})" if rest else "")
    return Measure(label, registry[name], chosen or NOTHING)

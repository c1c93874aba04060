"""Resolves names of metrics with their options: ``recall@5``, ``ndcg: {k: 10}``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from runner.errors import dotted, kind_of
from runner.model import (
    NOTHING,
    RUN_LEVEL,
    STATISTICS,
    Better,
    Measure,
    Metric,
    split_statistic,
)
from runner.spec._explain import mistakes
from runner.spec._other_names import over_the_run, unknown

Registry = Mapping[str, Metric]
_CUTOFF = re.compile(r"0|[1-9][0-9]{0,8}")


def bind(
    text: str, registry: Registry, options: Mapping[str, Any] = NOTHING
) -> Measure:
    """Give the measure that a name and its options stand for.

    ``recall@5`` is ``recall`` with ``{k: 5}``; other options show in the label as
    ``name(option=value)``, in alphabetical order.

    Raises:
        ValueError: The metric or an option is unknown, or a value does not fit.
    """
    name, at, cutoff = text.partition("@")
    if name not in registry:
        raise ValueError(over_the_run(text, registry) or unknown(text, registry))
    metric = registry[name]
    given = dict(options)
    if at:
        if "k" not in metric.options.model_fields:
            raise ValueError(f"{name} has no cutoff; write {name}")
        if not _CUTOFF.fullmatch(cutoff):
            raise ValueError(f"the cutoff of {text} is no whole number")
        if "k" in given:
            raise ValueError(f"{text} has its cutoff twice")
        given["k"] = int(cutoff)
    chosen = _checked(metric, given)
    k = chosen.get("k")
    rest = ", ".join(f"{key}={chosen[key]}" for key in sorted(chosen) if key != "k")
    label = name + (f"@{k}" if k is not None else "") + (f"({rest})" if rest else "")
    return Measure(label, metric, chosen or NOTHING)


def _checked(metric: Metric, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        options = metric.options.model_validate(given)
    except ValidationError as error:
        raise ValueError(
            "; ".join(
                f"{metric.name}.{dotted(path)}: {what}" + (f" ({hint})" if hint else "")
                for path, what, hint in mistakes(error, metric.options, given)
            )
        ) from None
    return options.model_dump(exclude_defaults=True)


class Subject(NamedTuple):
    """The number that a threshold or a pass mark limits."""

    name: str
    """As written: ``recall@5``, ``latency_p95``, ``accuracy``."""
    better: Better
    bounds: tuple[float | None, float | None]
    """Its least and greatest value; None where there is no bound."""
    unit: str = ""
    """Empty for a share."""


class Measures:
    """Everything that a spec measures, once, in the order in which it is named."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.found: dict[str, Measure] = {}

    def add(self, text: str, options: Mapping[str, Any] = NOTHING) -> Measure:
        """Add a measure by its name; a label that was added before stands for itself.

        Raises:
            ValueError: As ``bind`` does.
        """
        if text in self.found and not options:
            return self.found[text]
        measure = bind(text, self.registry, options)
        return self.found.setdefault(measure.label, measure)

    def entry(self, entry: object) -> Iterator[str]:
        """Add one item of ``metrics``, and give what is wrong with it."""
        for text, options in (
            entry.items() if isinstance(entry, dict) else [(entry, {})]
        ):
            wrong = options if isinstance(text, str) else text
            if isinstance(text, str) and isinstance(options, dict | None):
                try:
                    self.add(text, options or NOTHING)
                except ValueError as error:
                    yield str(error)
            else:
                yield f"is {kind_of(wrong)}; write name, name@k or name: {{k: 5}}"

    def subject(self, name: str) -> Subject:
        """Give what the name of a threshold means, and measure it.

        Raises:
            ValueError: It is neither a metric nor a run-level name.
        """
        if name in RUN_LEVEL:
            return Subject(name, *RUN_LEVEL[name])
        base, statistic = split_statistic(name)
        bare = base.partition("@")[0]
        if bare not in self.registry and base not in self.found:
            raise ValueError(unknown(name, self.registry, self.run_level()))
        metric = self.add(base).metric
        if statistic and not metric.unit:
            raise ValueError(
                f"{base} is a share, and has no {statistic}; percentiles are for "
                f"{', '.join(self.countable())}"
            )
        return Subject(name, metric.better, metric.bounds, metric.unit)

    def countable(self) -> list[str]:
        """Give the metrics with a unit, which have percentiles."""
        return [name for name, metric in self.registry.items() if metric.unit]

    def run_level(self) -> tuple[str, ...]:
        """Give the names of what is measured over the run."""
        percentiles = (
            f"{name}_{end}" for name in self.countable() for end in STATISTICS
        )
        return (*RUN_LEVEL, *percentiles)

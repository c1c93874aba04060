"""Groups measures with the same layer and inputs, which are then checked once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from math import isfinite
from typing import Any, NamedTuple

from runner.model import Absent, Failed, Layer, Measure, Score, Unrated, Unscored

_RANKINGS = 1024
"""Rankings whose scores are cached: with one or two hits in each, few differ."""


class Group(NamedTuple):
    """Measures with the same layer and inputs."""

    layer: Layer
    inputs: tuple[str, ...]
    optional: frozenset[str]
    positions: tuple[int, ...]
    """Where their scores stand in a row."""
    score: Callable[..., tuple[Score, ...]]
    judged: bool
    """Whether a model rates them."""

    def scores(
        self, values: Mapping[str, Any], inapplicable: Unscored | None
    ) -> tuple[Score, ...]:
        """Give a score for each, or why none of them has one.

        Args:
            values: Of each input, what a reply holds, or why it holds nothing.
            inapplicable: Why their layer does not apply; None where it does.
        """
        arguments, lacking = [], None
        for name in self.inputs:
            value = values[name]
            if isinstance(value, Unscored):
                if name not in self.optional:
                    lacking = _more_telling(lacking, value)
                value = None
            arguments.append(value)
        if why := inapplicable or lacking:
            return (why,) * len(self.positions)
        return self.score(*arguments)


def _more_telling(one: Unscored | None, other: Unscored) -> Unscored:
    """Give the reason to report: one that lies in the case comes before an absence."""
    if one is None or (isinstance(one, Absent) and not isinstance(other, Absent)):
        return other
    return one


def grouped(measures: Sequence[Measure]) -> Iterable[Group]:
    """Give the groups; metrics that read the ranking alone cache their scores by it."""
    alike: dict[tuple[Any, ...], list[int]] = {}
    for position, measure in enumerate(measures):
        metric = measure.metric
        key = (metric.layer, metric.inputs, metric.optional)
        alike.setdefault(key, []).append(position)
    for (layer, inputs, optional), positions in alike.items():
        members = [measures[position] for position in positions]
        calls = [partial(each.metric.function, **each.options) for each in members]
        score: Callable[..., tuple[Score, ...]] = partial(_scores, calls)
        if inputs == ("ranking",):
            score = lru_cache(_RANKINGS)(score)
        yield Group(layer, inputs, optional, tuple(positions), score, "judge" in inputs)


def _scores(calls: Iterable[Callable[..., Any]], *arguments: Any) -> tuple[Score, ...]:
    return tuple([_score(call, arguments) for call in calls])


def _score(call: Callable[..., Any], arguments: Sequence[Any]) -> Score:
    try:
        value = call(*arguments)
    except Unrated as error:
        return Failed(error.reason)
    except Exception as error:  # noqa: BLE001  a metric's fault is a failed score
        return Failed(f"{type(error).__name__}: {error}")
    # Infinity and NaN are the numbers whose difference with themselves is not 0.
    if (isinstance(value, float) and value - value == 0) or isinstance(value, Unscored):
        return value
    if not isinstance(value, int | float) or not isfinite(value):
        return Failed(f"the metric gave {value!r}")
    return float(value)

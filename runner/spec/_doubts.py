"""What a spec says rightly and its author may not have meant."""

from __future__ import annotations

from collections.abc import Iterator

from runner.model import RUN_LEVEL, Better, split_statistic
from runner.spec._nouns import Limit, Spec

_RIGHT = {"higher": "min", "lower": "max"}
_WARNING = "warning: "


def doubts(spec: Spec) -> list[str]:
    """Give a line beginning with ``warning:`` for each limit that holds nothing up.

    That is one on the wrong side (a ceiling on a metric that should be high, with no
    floor beside it), and one that no number of the metric can break.
    """
    return [
        f"{_WARNING}{line}" for limit in spec.limits for line in _about(limit, spec)
    ]


def _about(limit: Limit, spec: Spec) -> Iterator[str]:
    better, (low, high) = _declared(limit.name, spec)
    named = f"thresholds.{limit.name} (line {limit.line})"
    right = _RIGHT[better]
    if limit.rule == right:
        end = low if right == "min" else high
        if limit.amount.value == end:
            yield f"{named}: {right} {end:g} can never be missed"
    elif limit.rule in _RIGHT.values() and not _guarded(limit, spec, right):
        yield f"{named}: {better} is better, so {limit.rule} alone stops no worsening"


def _guarded(limit: Limit, spec: Spec, right: str) -> bool:
    """Whether a limit of the right side stands beside this one."""
    return any(
        (other.name, other.slice) == (limit.name, limit.slice)
        and other.rule in (right, "max_drop")
        for other in spec.limits
    )


def _declared(
    name: str, spec: Spec
) -> tuple[Better, tuple[float | None, float | None]]:
    if name in RUN_LEVEL:
        return RUN_LEVEL[name]
    base, _ = split_statistic(name)
    metric = next(m.metric for m in spec.measures if m.label == base)
    return metric.better, metric.bounds

"""How numbers went over the last runs, and which limits may follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runner.render._numbers import limit, number
from runner.render._said import Said, named, say
from runner.render._table import unit_of
from runner.report import Report

_BARS = "▁▂▃▄▅▆▇█"
_SIGNS: Mapping[str, str] = {"min": "≥", "max": "≤"}


class Trend(NamedTuple):
    """One number over the last runs, this one last."""

    metric: Said
    line: str
    first: str
    now: str


def trends(report: Report) -> list[Trend]:
    """Give a row for each gated number of which two runs at least are known."""
    return [
        Trend(
            say(named(metric)),
            sparkline(values),
            number(values[0], unit_of(report, metric)),
            number(values[-1], unit_of(report, metric)),
        )
        for metric, values in report.trend.items()
        if len(values) > 1
    ]


def sparkline(values: Sequence[float]) -> str:
    """Give values as bars between their least and their most.

    >>> sparkline([0.7, 0.8, 0.9]), sparkline([1, 1])
    ('▁▅█', '▄▄')
    """
    least, most = min(values), max(values)
    if least == most:
        return _BARS[len(_BARS) // 2 - 1] * len(values)
    steps = (len(_BARS) - 1) / (most - least)
    return "".join(_BARS[int((value - least) * steps + 0.5)] for value in values)


def offers(report: Report) -> list[Said]:
    """Give the limits that could be tighter, with what would have held."""
    return [
        say(
            named(each.metric),
            f": the last {each.runs} runs beat {_SIGNS.get(each.rule, each.rule)} "
            f"{limit(each.limit, unit_of(report, each.metric))} by more than noise; "
            f"{limit(each.offered, unit_of(report, each.metric))} would have held.",
        )
        for each in report.tighter
    ]

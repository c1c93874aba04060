"""How numbers went over the last runs, and which limits may follow them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from runner.model import Tighter
from runner.render._numbers import number
from runner.render._sentence import Piece, Sentence, join, named, quote, say
from runner.render._table import unit_of
from runner.report import Report
from runner.units import plain

SHOWN = 30  # runs; a report of another version may have more
_BARS = "▁▂▃▄▅▆▇█"
_MARGIN = 0.1  # of the span, above and below a line in a chart


class Trend(NamedTuple):
    """One number over the last runs, this one last."""

    metric: Sentence
    values: tuple[float, ...]
    line: str
    first: str
    now: str


def trends(report: Report, least: int) -> list[Trend]:
    """Give the trend of each gated metric with enough runs."""
    last = {metric: values[-SHOWN:] for metric, values in report.trend.items()}
    return [
        Trend(
            say(named(metric)),
            values,
            sparkline(values),
            number(values[0], unit_of(report, metric)),
            number(values[-1], unit_of(report, metric)),
        )
        for metric, values in last.items()
        if len(values) >= least and isfinite(max(values) - min(values))
    ]


def sparkline(values: Sequence[float]) -> str:
    """Draw values as bars between their minimum and maximum.

    >>> sparkline([0.7, 0.8, 0.9]), sparkline([1, 1])
    ('▁▅█', '▄▄')
    """
    least, most = min(values), max(values)
    if least == most:
        return _BARS[len(_BARS) // 2 - 1] * len(values)
    steps = (len(_BARS) - 1) / (most - least)
    return "".join(_BARS[int((value - least) * steps + 0.5)] for value in values)


def in_a_line(shown: Sequence[Trend]) -> Sentence:
    """Give trends in one line, for where there is little room."""
    if not shown:
        return ()
    said = [say(each.metric, f" {each.line} {_course(each)}") for each in shown]
    return say(f"Last {len(shown[0].values)} runs: ", join(" · ", said))


def _course(trend: Trend) -> str:
    still = trend.first == trend.now
    return trend.now if still else f"{trend.first} → {trend.now}"


def chart(trend: Trend) -> str:
    """Give a chart in the language of Mermaid; it holds no foreign text.

    >>> print(chart(Trend((), (0.7, 0.8), "", "", "")))
    xychart-beta
        x-axis 1 --> 2
        y-axis 0.69 --> 0.81
        line [0.7, 0.8]
    """
    low, high = min(trend.values), max(trend.values)
    margin = _MARGIN * (high - low or abs(high) or 1)
    runs = ", ".join(map(plain, trend.values))
    return (
        "xychart-beta\n"
        f"    x-axis 1 --> {len(trend.values)}\n"
        f"    y-axis {plain(low - margin)} --> {plain(high + margin)}\n"
        f"    line [{runs}]"
    )


def offers(report: Report) -> list[Sentence]:
    """Give the limits that may be tightened, each with what to write in its place."""
    return [
        say(
            named(each.metric),
            f": the last {each.runs} runs beat ",
            _as_in_spec(each, each.limit, report),
            " by more than noise; ",
            _as_in_spec(each, each.offered, report),
            " would have held (",
            quote(f"{report.spec}:{each.line}" if each.line else report.spec),
            ").",
        )
        for each in report.tighter
    ]


def _as_in_spec(offer: Tighter, limit: float, report: Report) -> Piece:
    """Give a limit as a spec writes it."""
    unit = "s" if unit_of(report, offer.metric) == "s" else ""
    return quote(f"{offer.rule}: {plain(limit)}{unit}")

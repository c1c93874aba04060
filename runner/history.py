"""One line per run: how the gated numbers developed, and which limits can be raised.

A history is JSON Lines, oldest first. It holds no texts and no ids of cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any

from pydantic import Field

from runner.errors import Place
from runner.model import Frozen, GateResult, Tighter, Verdict
from runner.readback import checked
from runner.report import Report

STEADY = 5  # runs in a row that must beat a limit before a tighter one is offered
SHOWN = 30  # runs of a trend
_STEPS = 100  # a limit is offered in hundredths
_REMEDY = "remove the line, or begin a new history"


class Value(Frozen):
    """A number of one run, with its 95 % interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


class Point(Frozen):
    """One run, as the history keeps it."""

    started: str | None = None
    """UTC, ISO 8601."""
    commit: str | None = None
    verdict: Verdict
    cases: int
    values: dict[str, Value] = Field(default_factory=dict)
    """By label: accuracy, and what a gate looks at."""


def point(report: Report) -> Point:
    """Give the line that a run adds to the history."""
    gated = dict.fromkeys(
        ("accuracy", *(gate.metric for gate in report.gates if _is_limit(gate)))
    )
    values = {name: _value(report, name) for name in gated}
    return Point(
        started=report.started,
        commit=report.commit,
        verdict=report.verdict,
        cases=report.totals.cases,
        values={name: value for name, value in values.items() if value},
    )


def counts(report: Report) -> bool:
    """Whether a run may stand in a history: it judged all of its cases."""
    whole = not report.filters and not report.totals.not_asked
    return whole and report.verdict in ("passed", "failed")


def _is_limit(gate: GateResult) -> bool:
    return gate.rule in ("min", "max", "max_drop") and gate.slice is None


def _value(report: Report, name: str) -> Value | None:
    summary = report.summaries.get(name)
    if summary and summary.mean is not None:
        low, high = summary.interval or (None, None)
        return Value(value=summary.mean, low=low, high=high)
    found = next((g.value for g in report.gates if g.metric == name), None)
    return None if found is None else Value(value=found)


def read(lines: Iterable[tuple[int, Any]], file: str) -> Iterator[Point]:
    """Give the runs of a history, oldest first.

    Args:
        lines: Line number and parsed value of each line.
        file: Its name, for errors.

    Raises:
        InputError: A line is not what this version writes.
    """
    for number, value in lines:
        yield checked(value, Point.model_validate, Place(file, number), hint=_REMEDY)


def trend(points: Sequence[Point]) -> Mapping[str, tuple[float, ...]]:
    """Give the last values of each number that every one of those runs has."""
    last = points[-SHOWN:]
    names = last[-1].values if last else {}
    return {
        name: tuple(point.values[name].value for point in last)
        for name in names
        if all(name in point.values for point in last)
    }


def tighter(report: Report, earlier: Sequence[Point]) -> Iterator[Tighter]:
    """Give the limits that this run and those before it beat by more than noise.

    Only for a floor or a ceiling on a mean, which has an interval: all of the last
    runs' intervals must lie beyond the limit, and the offered one still below them.
    """
    recent = [*earlier, point(report)][-STEADY:]
    if len(recent) < STEADY:
        return
    for gate in report.gates:
        edges = _edges(gate, recent)
        if gate.limit is None or len(edges) < STEADY:
            continue
        if gate.rule == "min":
            offered = floor(min(edges) * _STEPS) / _STEPS
            better = offered > gate.limit
        else:
            offered = ceil(max(edges) * _STEPS) / _STEPS
            better = offered < gate.limit
        if better:
            yield Tighter(
                metric=gate.metric,
                rule=gate.rule,
                limit=gate.limit,
                offered=offered,
                line=gate.line,
                runs=STEADY,
            )


def _edges(gate: GateResult, recent: Sequence[Point]) -> list[float]:
    """Give the near edge of each run's interval; of a run that has none, nothing."""
    if not _is_limit(gate) or gate.rule == "max_drop" or gate.outcome != "passed":
        return []
    side = "low" if gate.rule == "min" else "high"
    found = (run.values.get(gate.metric) for run in recent)
    edges = (getattr(value, side, None) for value in found)
    return [edge for edge in edges if edge is not None]

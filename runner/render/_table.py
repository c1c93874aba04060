"""The layered table: one row for each metric and slice, in causal order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from runner.model import (
    LAYERS,
    RUN_LEVEL,
    STATISTICS,
    Better,
    Delta,
    GateResult,
    Layer,
    Rule,
    Summary,
    split_statistic,
)
from runner.render._gates import Status, rule, worst
from runner.render._noise import between, is_noise
from runner.render._numbers import STILL, change, number
from runner.render._sentence import Sentence, join, named, quote, say
from runner.report import INEXCUSABLE, Report

NOTHING = "–"
NOISE = "ᵃ"
"""Marks a change that chance alone may have made."""
_USUAL = ("p50", "p95")
_GATES = 4
_COUNTED: Mapping[Rule, str] = {"red_line": "failed", "yardstick": "loosened"}
_Key = tuple[str, str | None]
"""A metric and a slice of the cases."""


class Row(NamedTuple):
    """A line of the table; every text in it but ``metric`` and ``gate`` is ours."""

    layer: str
    metric: Sentence
    value: str = NOTHING
    baseline: str = NOTHING
    delta: str = NOTHING
    interval: str = ""
    """The confidence interval of the change."""
    gate: Sentence = ()
    status: Status = "open"
    blocks: bool = False
    """Whether it fails the run by itself."""
    cases: str = ""
    """How many cases are scored, of those that should be."""


class _Name(NamedTuple):
    layer: Layer | None
    metric: str
    slice: str | None = None


def layer_name(layer: Layer | None) -> str:
    """Give a layer with its place in causal order; None is the run as a whole."""
    return f"{LAYERS.index(layer) + 1} {layer}" if layer else "run"


def undetermined(report: Report) -> list[Layer]:
    """Give the layers about which no case of the run had evidence."""
    seen = report.layers
    return [name for name in LAYERS if name not in seen or seen[name].undetermined]


def rows(report: Report) -> list[Row]:
    """Give the table: every layer has a row, also one without evidence.

    A metric with several gates is one row; a slice, or a run-level statistic such as
    ``latency_p95``, has its own. Of a layer without evidence only gated metrics show.
    """
    blank = undetermined(report)
    table: list[Row] = []
    names = list(_names(report))
    gates = _gates(report)
    for layer in (*LAYERS, None):
        mine = [
            _row(report, name, gates.get(name[1:], ()))
            for name in names
            if name.layer == layer
        ]
        if layer in blank:
            mine = [row for row in mine if row.status != "open"]
            mine.append(_blank(layer_name(layer), "undetermined"))
        table += mine or ([_blank(layer_name(layer), "open")] if layer else [])
    return table


def glance(table: Sequence[Row]) -> list[Row]:
    """Give for each layer its gated rows, else the first row with a number."""
    chosen = []
    for _, rows_ in groupby(table, key=lambda row: row.layer):
        mine = list(rows_)
        measured = [row for row in mine if row.value != NOTHING]
        gated = [row for row in mine if row.status != "open"]
        chosen += gated or measured[:1] or mine[:1]
    return chosen


def _blank(layer: str, status: Status) -> Row:
    text = "no evidence" if status == "undetermined" else "no metric"
    return Row(layer, say(text), status=status)


def _names(report: Report) -> Iterator[_Name]:
    parts: dict[str, dict[str | None, None]] = {}
    for gate in report.gates:
        parts.setdefault(gate.metric, {})[gate.slice] = None
    for label, summary in report.summaries.items():
        for metric in _statistics_of(label, summary, parts):
            for part in {None: None, **parts.pop(metric, {})}:
                yield _Name(_layer(label, summary), metric, part)
    for metric, gated in parts.items():
        for part in gated:
            yield _Name(INEXCUSABLE.get(metric), metric, part)


def _layer(label: str, summary: Summary) -> Layer | None:
    return INEXCUSABLE.get(label, summary.layer)


def _statistics_of(label: str, summary: Summary, gated: Collection[str]) -> list[str]:
    usual = _USUAL if summary.unit == "s" and summary.percentiles else ()
    suffixed = [
        f"{label}_{suffix}"
        for suffix in STATISTICS
        if suffix in usual or f"{label}_{suffix}" in gated
    ]
    return suffixed if usual and label not in gated else [label, *suffixed]


def _gates(report: Report) -> Mapping[_Key, Sequence[GateResult]]:
    grouped: dict[_Key, list[GateResult]] = {}
    for gate in report.gates:
        grouped.setdefault((gate.metric, gate.slice), []).append(gate)
    return grouped


def _row(report: Report, name: _Name, gates: Sequence[GateResult]) -> Row:
    summary = _summary(report, name.metric)
    unit = unit_of(report, name.metric)
    limits = [gate.limit for gate in gates if gate.rule != "max_drop"]
    delta = delta_of(report, name.metric, name.slice)
    return Row(
        layer_name(name.layer),
        say(named(name.metric), *((" · ", quote(name.slice)) if name.slice else ())),
        _value(report, name, gates, limits),
        number(delta.baseline, unit) if delta else NOTHING,
        _change(delta, unit, gates) if delta else NOTHING,
        between(delta, unit) if delta else "",
        _asks(gates, unit, _better(summary, name.metric)),
        worst(gates),
        any(gate.blocks for gate in gates),
        _count_scored(summary, name.slice),
    )


def _asks(gates: Sequence[GateResult], unit: str, better: Better) -> Sentence:
    shown = [rule(gate, unit, better) for gate in gates[:_GATES]]
    more = f" and {len(gates) - _GATES:,} more" if len(gates) > _GATES else ""
    return say(join(", ", shown), more)


def _summary(report: Report, metric: str) -> Summary | None:
    found = report.summaries.get(metric)
    return found or report.summaries.get(split_statistic(metric)[0])


def unit_of(report: Report, metric: str) -> str:
    """Give the unit of a metric or of its run-level statistic; none is a share."""
    summary = _summary(report, metric)
    return summary.unit if summary else ""


def _value(
    report: Report,
    name: _Name,
    gates: Sequence[GateResult],
    limits: Sequence[float | None],
) -> str:
    measured = _current_value(report, name)
    for gate in gates:
        if gate.value is None:
            continue
        if gate.rule in ("min", "max", "error_rate"):
            measured = gate.value
        elif gate.rule in _COUNTED and measured is None:
            if gate.outcome in ("unmeasured", "not_selected"):
                return NOTHING
            return f"{round(gate.value):,} {_COUNTED[gate.rule]}"
    if measured is None:
        return NOTHING
    return number(measured, unit_of(report, name.metric), limits)


def _current_value(report: Report, name: _Name) -> float | None:
    summary = report.summaries.get(name.metric)
    if summary is None:
        base, suffix = split_statistic(name.metric)
        summary = report.summaries.get(base)
        return summary.percentiles.get(suffix or "") if summary else None
    if name.slice:
        part = summary.slices.get(name.slice)
        return part.mean if part else None
    return summary.mean


def delta_of(report: Report, metric: str, part: str | None) -> Delta | None:
    """Give how a metric moved against the baseline, over a slice or the whole."""
    if report.comparison is None:
        return None
    delta = report.comparison.deltas.get(metric)
    return delta.slices.get(part) if delta and part else delta


def _change(delta: Delta, unit: str, gates: Sequence[GateResult]) -> str:
    """Give how far a metric moved, marked where chance may have moved it."""
    moved = change(delta.now, delta.baseline, unit, _drops(gates, delta))
    return f"{moved} {NOISE}" if is_noise(delta) and moved != STILL else moved


def _drops(gates: Sequence[GateResult], delta: Delta) -> list[float]:
    return [
        gate.limit * (abs(delta.baseline) if gate.relative else 1.0)
        for gate in gates
        if gate.rule == "max_drop" and gate.limit is not None
    ]


def _better(summary: Summary | None, metric: str) -> Better:
    if summary:
        return summary.better
    return RUN_LEVEL[metric][0] if metric in RUN_LEVEL else "higher"


def _count_scored(summary: Summary | None, part: str | None) -> str:
    counted = summary.slices.get(part) if summary and part else summary
    if counted is None:
        return ""
    return f"{counted.scored:,} of {counted.due:,}"

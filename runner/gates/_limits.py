"""Checks each limit of the spec against the number that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runner.cases import MAX_UNDETERMINED
from runner.gates._red_lines import at_limits, none_asked, not_selected
from runner.gates._tally import WHOLE, Measured, Tally
from runner.inference import FEW, Drop
from runner.model import (
    Better,
    Comparison,
    Delta,
    GateOutcome,
    GateResult,
    SliceSummary,
    Summary,
    split_statistic,
)
from runner.spec import Limit, Spec
from runner.units import both_apart, count, rough, tell_apart

UNREAD = "was not measured: the baseline could not be read"
_SIGNS = "−", "+"
_ON_NONE = "was not measured on any case"


class _Reading(NamedTuple):
    """The number that a limit is about, or why there is none."""

    value: float | None
    better: Better = "higher"
    unit: str = ""
    problem: str = ""
    outcome: GateOutcome = "unmeasured"


class _Found(NamedTuple):
    outcome: GateOutcome
    value: float | None
    message: str = ""
    baseline: float | None = None


def held(
    spec: Spec, measured: Measured, tallies: Mapping[str, Tally]
) -> Iterator[GateResult]:
    """Give the result of each limit; what could not be measured never passes.

    Limits that do not hold for one and the same reason share its sentence, which names
    the lines of them all.
    """
    found = [_held(limit, spec, measured, tallies) for limit in spec.limits]
    told: dict[str, list[tuple[int | None, str | None]]] = {}
    for gate in found:
        told.setdefault(gate.message, []).append((gate.line, gate.owner))
    for gate in found:
        if gate.message:
            sentence = f"{gate.message}{at_limits(spec, told[gate.message])}"
            yield gate.model_copy(update={"message": sentence})
        else:
            yield gate


def _held(
    limit: Limit, spec: Spec, measured: Measured, tallies: Mapping[str, Tally]
) -> GateResult:
    reading = _read(limit, measured, tallies[limit.slice or WHOLE])
    selection = measured.selection
    if reading.value is None and selection and selection.misses(limit, spec):
        reading = _without_cases(filtered=True)
    is_drop = limit.rule == "max_drop"
    if is_drop and measured.review.baseline_unread:
        reading = reading._replace(problem=reading.problem or UNREAD)
    if reading.problem or reading.value is None:
        found = _Found(reading.outcome, reading.value, reading.problem or _ON_NONE)
    elif is_drop:
        found = _drop(limit, reading, measured.comparison)
    else:
        found = _bound(limit, reading.value, reading.unit)
    return GateResult(
        metric=limit.name,
        rule=limit.rule,
        limit=limit.amount.value,
        value=found.value,
        level=limit.level,
        line=limit.line,
        outcome=found.outcome,
        slice=limit.slice,
        relative=is_drop and limit.amount.percent,
        baseline=found.baseline,
        owner=limit.owner,
        message=_sentence(limit, found.message),
    )


def _sentence(limit: Limit, message: str) -> str:
    subject = f"{limit.name} on {limit.slice}" if limit.slice else limit.name
    doubt = f" (only a warning: {limit.doubt})" if limit.doubt else ""
    return f"{subject} {message}{doubt}" if message else ""


def _read(limit: Limit, measured: Measured, cases: Tally) -> _Reading:
    if not cases.cases:
        return _without_cases(filtered=measured.selection is not None)
    if limit.name == "accuracy":
        return _read_accuracy(cases)
    if limit.name == "error_rate":
        problem = "" if cases.asked else f"was not measured: {none_asked(cases)}"
        return _Reading(cases.error_rate, "lower", problem=problem)
    name, statistic = split_statistic(limit.name)
    summary = measured.summaries.get(name)
    if summary is None:
        return _Reading(None, problem="was not measured: it is not among the metrics")
    return _read_metric(limit, summary, statistic)


def _without_cases(*, filtered: bool) -> _Reading:
    outcome, message, _ = not_selected(filtered=filtered)
    return _Reading(None, problem=f"was not measured: {message}", outcome=outcome)


def _read_accuracy(cases: Tally) -> _Reading:
    unknown, replies = cases.undetermined
    problem = ""
    if cases.accuracy is None:
        problem = "was not measured: no case passed or failed"
    elif round(unknown / replies, 9) > MAX_UNDETERMINED:
        problem = (
            f"was not measured: {unknown} of {count(replies, 'case')} undetermined, as "
            "no mark examined the answer (give must_include or expect_refusal)"
        )
    return _Reading(cases.accuracy, problem=problem)


def _read_metric(limit: Limit, summary: Summary, statistic: str | None) -> _Reading:
    part: Summary | SliceSummary | None = summary
    if limit.slice:
        part = summary.slices.get(limit.slice)
    if part is None or (limit.slice and statistic):
        return _Reading(None, problem="was not measured: it is not kept by slice")
    value = summary.percentiles.get(statistic) if statistic else part.mean
    return _Reading(
        value, summary.better, summary.unit, _gap(limit, part, value, summary)
    )


def _gap(
    limit: Limit, part: Summary | SliceSummary, value: float | None, summary: Summary
) -> str:
    """Give why a mean rests on too few scores; empty where it rests on enough."""
    covered, why = part.coverage, list(summary.reasons)[:1]
    if covered is not None and round(covered, 9) < round(limit.min_coverage, 9):
        shown, least = tell_apart(covered, limit.min_coverage)
        gaps = {"scores failed": part.failed, "replies lack the evidence": part.absent}
        lost = [f"{n} of {part.due} {what}" for what, n in gaps.items() if n]
        problem = f"{' and '.join(lost)}, and coverage {shown} is below {least}"
        return ": ".join(("was not measured", problem, *why))
    return "" if value is not None else ": ".join((_ON_NONE, *why))


def _bound(limit: Limit, value: float, unit: str) -> _Found:
    bound, is_floor = limit.amount.value, limit.rule == "min"
    excess = round(value, 9) - round(bound, 9)
    if (excess >= 0) if is_floor else (excess <= 0):
        return _Found("passed", value)
    shown, allowed = (f"{text} {unit}".strip() for text in tell_apart(value, bound))
    word = "below" if is_floor else "above"
    return _Found("failed", value, f"{shown} is {word} {allowed}")


def _drop(limit: Limit, reading: _Reading, comparison: Comparison | None) -> _Found:
    if comparison is None:
        return _Found(
            "no_baseline", reading.value, "has no baseline to be held against"
        )
    delta = comparison.deltas.get(limit.name)
    if delta and limit.slice:
        delta = delta.slices.get(limit.slice)
    if delta is None:
        return _Found(
            "inconclusive",
            reading.value,
            f"could not be held against the baseline: {_unlike(limit, comparison)}",
        )
    return _fallen(limit, reading, delta)


def _unlike(limit: Limit, comparison: Comparison) -> str:
    names = (limit.name, split_statistic(limit.name)[0], "the whole run")
    for entry in comparison.not_comparable:
        subject, _, why = entry.partition(": ")
        if subject in names:
            return why
    return "no case was measured alike in both"


def _fallen(limit: Limit, reading: _Reading, delta: Delta) -> _Found:
    drop = -delta.delta if reading.better == "higher" else delta.delta
    scale, unit = 1.0, f" {reading.unit}" if reading.unit else ""
    if limit.amount.percent:
        if not round(delta.baseline, 9):
            problem = "was not measured: a share of a baseline of 0 says nothing"
            return _Found("unmeasured", delta.now, problem, delta.baseline)
        scale, unit = 100 / abs(delta.baseline), "%"
    allowed = limit.amount.value * (100 if limit.amount.percent else 1)
    if round(drop * scale, 9) <= round(allowed, 9):
        return _Found("passed", delta.now, baseline=delta.baseline)
    lost, most = tell_apart(drop * scale, allowed)
    now, then = both_apart(delta.now, delta.baseline)
    moved = f"{'fell' if delta.delta < 0 else 'rose'} by {lost}{unit}"
    doubt = _doubt(reading.better, delta, allowed / scale) if limit.confident else ""
    return _Found(
        "inconclusive" if doubt else "failed",
        delta.now,
        f"{moved} from {then} to {now} over {count(delta.pairs, 'case')}, "
        f"at most {most}{unit} is allowed{doubt}",
        delta.baseline,
    )


def _doubt(better: Better, delta: Delta, allowed: float) -> str:
    """Give why a drop may be chance; empty where chance does not explain it."""
    if delta.interval is None or delta.p is None:
        return f"; within noise, as fewer than {FEW} pairs tell nothing from chance"
    low, high = delta.interval
    if better == "higher":
        drop = Drop(-delta.delta, (-high, -low), delta.p)
    else:
        drop = Drop(delta.delta, delta.interval, delta.p)
    if drop.exceeds(allowed):
        return ""
    edges = " to ".join(f"{_SIGNS[edge > 0]}{rough(abs(edge))}" for edge in (low, high))
    return f"; within noise, as the true change may be {edges}"

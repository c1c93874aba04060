"""The notes below the table: why a gate did not pass, and how reliable numbers are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runner.advice import EVIDENCE
from runner.model import Summary
from runner.render._gates import FEW, why
from runner.render._headline import few, stated
from runner.render._noise import reach
from runner.render._numbers import number
from runner.render._sentence import Sentence, named, say, told
from runner.render._table import NOISE, Row, undetermined
from runner.report import Report
from runner.units import count

_EDGES = (
    " In brackets stands from where to where the true change may be; each edge is a "
    "one-sided bound at 95 %."
)


def reasons(report: Report) -> list[Sentence]:
    """Give why gates did not pass, unless it was said above."""
    told = [gate.message for gate in stated(report) if len(gate.cases) <= FEW]
    said = [
        why(gate)
        for gate in report.gates
        if gate.outcome not in ("passed", "not_selected") and gate.message not in told
    ]
    return list(dict.fromkeys(filter(None, said)))


def footnotes(rows: Iterable[Row]) -> list[Sentence]:
    """Give what the marks in a table mean."""
    if not any(row.delta.endswith(NOISE) for row in rows):
        return []
    return [say(f"{NOISE} within noise: chance alone may have made this change")]


def notes(report: Report, *, edges: bool = True) -> list[Sentence]:
    """Give the limits of the numbers: missing scores, ceilings, absent evidence.

    ``edges``: what the brackets behind a change mean is told too.
    """
    said = list(_gaps(report))
    said += [_ceiling(label, summary) for label, summary in report.summaries.items()]
    said += [
        say(f"{layer} is undetermined, not healthy: it needs {EVIDENCE[layer]}.")
        for layer in undetermined(report)
    ]
    said += [_pairs(report, edges=edges), reach(report), *_judge_decides(report)]
    return [note for note in said if note]


def _gaps(report: Report) -> Iterator[Sentence]:
    """Give one sentence for all metrics with equally many missing scores."""
    gaps: dict[tuple[int, int], list[str]] = {}
    for label, summary in report.summaries.items():
        gap = summary.due - summary.scored
        if gap and summary.coverage is not None:
            gaps.setdefault((gap, summary.due), []).append(label)
    for (gap, due), labels in gaps.items():
        missing = f": {gap:,} of {count(due, 'case')}"
        yield say(
            few(labels, write=named), missing, " should have a score and have none."
        )


def _ceiling(label: str, summary: Summary) -> Sentence:
    if summary.ceiling is None:
        return ()
    return say(
        named(label),
        f" can reach {number(summary.ceiling)} at most:"
        " cases have more relevant documents than ranks count.",
    )


def _judge_decides(report: Report) -> Iterator[Sentence]:
    """Give the agreement with people by which a judged metric may block."""
    for label, weight in report.judge.weights.items() if report.judge else ():
        if weight.calibrated:
            why = told(weight.why)
            yield say(
                named(label), " decides: its judge and people agree by ", why, "."
            )


def _pairs(report: Report, *, edges: bool) -> Sentence:
    deltas = list(report.comparison.deltas.values()) if report.comparison else []
    counts = sorted({delta.pairs for delta in deltas})
    if not counts:
        return ()
    span = count(counts[-1], "case")
    span = span if len(counts) == 1 else f"{counts[0]:,} to {span}"
    told = _EDGES if edges and any(delta.interval for delta in deltas) else ""
    return say(f"Baseline and Δ are over the {span} that both runs scored.{told}")

"""What the table cannot say: why a gate is not passed, and how far numbers reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runner.advice import EVIDENCE
from runner.model import Summary
from runner.render._gates import FEW, why
from runner.render._headline import few, stated
from runner.render._numbers import number
from runner.render._said import Said, named, say
from runner.render._table import NOISE, Row, undetermined
from runner.report import Report
from runner.units import count, rough

_UNLIKELY = 0.05
_SMALL = 0.0001  # a probability that is not told more exactly


def reasons(report: Report) -> list[Said]:
    """Give why each gate that is not passed is not, where nothing above says it all."""
    told = [gate.message for gate in stated(report) if len(gate.cases) <= FEW]
    said = [
        why(gate)
        for gate in report.gates
        if gate.outcome not in ("passed", "not_selected") and gate.message not in told
    ]
    return list(dict.fromkeys(filter(None, said)))


def footnotes(rows: Iterable[Row]) -> list[Said]:
    """Give what the marks in a table mean."""
    if not any(row.delta.endswith(NOISE) for row in rows):
        return []
    return [say(f"{NOISE} within noise: chance alone may have made this change")]


def notes(report: Report) -> list[Said]:
    """Give how far the numbers can be relied on: gaps, ceilings, absent evidence."""
    said = list(_gaps(report))
    said += [_ceiling(label, summary) for label, summary in report.summaries.items()]
    said += [
        say(f"{layer} is undetermined, not healthy: it needs {EVIDENCE[layer]}.")
        for layer in undetermined(report)
    ]
    said += [_pairs(report), _chance(report)]
    return [note for note in said if note]


def _gaps(report: Report) -> Iterator[Said]:
    """Give a sentence for all metrics with the same gap: what lacks is mostly one."""
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


def _ceiling(label: str, summary: Summary) -> Said:
    if summary.ceiling is None:
        return ()
    return say(
        named(label),
        f" can reach {number(summary.ceiling)} at most:"
        " cases have more relevant documents than ranks count.",
    )


def _pairs(report: Report) -> Said:
    deltas = report.comparison.deltas.values() if report.comparison else ()
    counts = sorted({delta.pairs for delta in deltas})
    if not counts:
        return ()
    span = count(counts[-1], "case")
    span = span if len(counts) == 1 else f"{counts[0]:,} to {span}"
    return say(f"Baseline and Δ are over the {span} that both runs scored.")


def _chance(report: Report) -> Said:
    """Give what the flips weigh against chance, and how small a drop they can show."""
    compared = report.comparison
    if compared is None or compared.p is None or compared.detectable is None:
        return ()
    pairs, least = count(compared.pairs, "pair"), rough(100 * compared.detectable)
    return say(
        _flips(compared.worse + compared.better, compared.p),
        f"With {pairs}, a drop of accuracy by {least} points shows four times in five.",
    )


def _flips(number: int, p: float) -> str:
    if not number:
        return ""
    word = "is unlikely to" if p <= _UNLIKELY else "may well"
    shown = f"= {p:.2g}" if p >= _SMALL else f"< {_SMALL}"
    return (
        f"{count(number, 'flip')}: chance alone {word} split so many so unevenly "
        f"(exact McNemar, p {shown}). "
    )

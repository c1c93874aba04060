"""How each spec of a step ended, and which of several decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from runner import render
from runner.errors import RagEvalError
from runner.report import Report, broken_layer

NOTHING: Mapping[str, str] = {
    "verdict": "error",
    "exit-code": "3",
    "results": "",
    "first-failing-layer": "",
    "cases-total": "0",
    "cases-passed": "0",
    "cases-failed": "0",
    "cases-undetermined": "0",
    "cases-errors": "0",
    "gates-failed": "0",
    "regressions": "0",
    "improvements": "0",
}
"""The outputs, but for those of the comment, as they are where nothing is known."""

_RED_LINE = 2
_WORST = {130: 0, 2: 1, 3: 3, 1: 4, 0: 5}  # rank of a status; a red line is before 3
_VERDICTS = ("error", "failed", "skipped", "passed")


class Ended(NamedTuple):
    """How one spec ended."""

    spec: str
    status: int
    report: Report | None = None
    error: RagEvalError | None = None
    folder: Path | None = None

    @property
    def verdict(self) -> str:
        """The word for it."""
        return self.report.verdict if self.report else "error"

    @property
    def rank(self) -> tuple[int, int]:
        """Its place among several; the least is the worst."""
        red = self.status == 1 and self.report and _breaks_red_line(self.report)
        first = _RED_LINE if red else _WORST[self.status]
        return first, _VERDICTS.index(self.verdict)


def outputs(ended: Sequence[Ended], out: str) -> dict[str, str]:
    """Give the outputs of a step, but for those of its comment.

    Args:
        ended: One at least.
        out: The folder of all results.
    """
    worst = worst_of(ended)
    reports = [each.report for each in ended if each.report]
    held = [report.comparison for report in reports if report.comparison]
    totals = [report.totals for report in reports]
    counts = {
        "cases-total": sum(each.cases for each in totals),
        "cases-passed": sum(each.passed for each in totals),
        "cases-failed": sum(each.failed for each in totals),
        "cases-undetermined": sum(each.undetermined for each in totals),
        "cases-errors": sum(each.errors for each in totals),
        "gates-failed": sum(gate.blocks for each in reports for gate in each.gates),
        "regressions": sum(len(each.regressed) for each in held),
        "improvements": sum(len(each.fixed) for each in held),
    }
    layer = broken_layer(worst.report) if worst.report else None
    return {
        "verdict": worst.verdict,
        "exit-code": str(worst.status),
        "results": out if reports else "",
        "first-failing-layer": layer or "",
        **{name: str(count) for name, count in counts.items()},
    }


def worst_of(ended: Sequence[Ended]) -> Ended:
    """Give the one that decides."""
    return min(ended, key=lambda each: each.rank)


def not_evaluated(ended: Ended) -> str:
    """Give what is told of a spec that has no report, in Markdown."""
    head = f"## 🚫 RAG eval {render.inline(ended.spec)}: not evaluated"
    return f"{head}\n\n{render.block(str(ended.error))}\n"


def _breaks_red_line(report: Report) -> bool:
    return any(gate.blocks and gate.rule == "red_line" for gate in report.gates)

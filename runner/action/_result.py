"""The result of each spec of a step, and the outputs that the step makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic_core import to_json

from runner.baseline import RESULTS
from runner.errors import RagEvalError
from runner.github.workflow import Annotation
from runner.report import Report, broken_layer

NOTHING: Mapping[str, str] = {
    "verdict": "error",
    "passed": "false",
    "exit-code": "3",
    "results": "",
    "first-failing-layer": "",
    "cases-total": "0",
    "cases-passed": "0",
    "cases-failed": "0",
    "cases-undetermined": "0",
    "cases-errors": "0",
    "cases-not-asked": "0",
    "cases-quarantined": "0",
    "gates-failed": "0",
    "regressions": "0",
    "improvements": "0",
    "score-json": "{}",
    "results-json": "",
    "report-html": "",
    "junit-xml": "",
    "baseline-found": "false",
    "baseline-sha": "",
}
"""The outputs where nothing is known, without those of the comment."""

_RED_LINE = 2
_WORST = {130: 0, 2: 1, 3: 3, 1: 4, 0: 5}  # rank of a status; a red line is before 3
_VERDICTS = ("error", "failed", "skipped", "passed")


class SpecResult(NamedTuple):
    """The result of one spec."""

    spec: str
    status: int
    report: Report | None = None
    error: RagEvalError | None = None
    folder: Path | None = None
    notice: Annotation | None = None
    """The annotation on a skipped spec."""

    @property
    def verdict(self) -> str:
        """The verdict of the report; ``error`` without a report."""
        return self.report.verdict if self.report else "error"

    @property
    def rank(self) -> tuple[int, int]:
        """A sort key; the least is the worst."""
        red = self.status == 1 and self.report and _breaks_red_line(self.report)
        first = _RED_LINE if red else _WORST[self.status]
        return first, _VERDICTS.index(self.verdict)


def outputs(ended: Sequence[SpecResult], out: str, root: Path) -> dict[str, str]:
    """Give the outputs of a step, but for those of its comment.

    Args:
        ended: One at least.
        out: The folder of all results.
        root: The workspace, from which paths are told.
    """
    worst = worst_of(ended)
    done = [(each, each.report) for each in ended if each.report]
    reports = [report for _, report in done]
    layer = broken_layer(worst.report) if worst.report else None
    return {
        "verdict": worst.verdict,
        "passed": str(worst.verdict == "passed").lower(),
        "exit-code": str(worst.status),
        "results": out if reports else "",
        "first-failing-layer": layer or "",
        **_counts(reports),
        "score-json": _scores(done),
        **_files([each for each, _ in done], root),
        **_baselines(reports),
    }


def _counts(reports: Sequence[Report]) -> dict[str, str]:
    held = [report.comparison for report in reports if report.comparison]
    totals = [report.totals for report in reports]
    counts = {
        "cases-total": sum(each.cases for each in totals),
        "cases-passed": sum(each.passed for each in totals),
        "cases-failed": sum(each.failed for each in totals),
        "cases-undetermined": sum(each.undetermined for each in totals),
        "cases-errors": sum(each.errors for each in totals),
        "cases-not-asked": sum(each.not_asked for each in totals),
        "cases-quarantined": sum(each.quarantined for each in totals),
        "gates-failed": sum(gate.blocks for each in reports for gate in each.gates),
        "regressions": sum(each.worse for each in held),
        "improvements": sum(each.better for each in held),
    }
    return {name: str(count) for name, count in counts.items()}


def _scores(done: Sequence[tuple[SpecResult, Report]]) -> str:
    """Give the scores by metric, of several specs by spec and metric, as JSON."""
    found = {each.spec: dict(_values(report)) for each, report in done}
    shown: object = found
    if len(found) == 1:
        [shown] = found.values()
    return to_json(shown).decode()


def _values(report: Report) -> Iterator[tuple[str, float]]:
    for label, summary in report.summaries.items():
        if summary.mean is not None:
            yield label, summary.mean
        for name, value in summary.percentiles.items():
            yield f"{label}_{name}", value


def _files(done: Sequence[SpecResult], root: Path) -> dict[str, str]:
    folders = [each.folder.relative_to(root) for each in done if each.folder]
    return {
        name.replace(".", "-"): "\n".join(
            (folder / name).as_posix() for folder in folders
        )
        for name in (RESULTS, "report.html", "junit.xml")
    }


def _baselines(reports: Sequence[Report]) -> dict[str, str]:
    held = [report.comparison for report in reports if report.comparison]
    commits = dict.fromkeys(each.commit for each in held if each.commit)
    return {
        "baseline-found": str(bool(held) and len(held) == len(reports)).lower(),
        "baseline-sha": "\n".join(commits),
    }


def worst_of(ended: Sequence[SpecResult]) -> SpecResult:
    """Give the worst result, which decides the step."""
    return min(ended, key=lambda each: each.rank)


def _breaks_red_line(report: Report) -> bool:
    return any(gate.blocks and gate.rule == "red_line" for gate in report.gates)

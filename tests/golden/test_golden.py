"""Rendered texts as whole files; ``make golden`` writes them, the diff is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner import render
from runner.report import Report
from runner.templating import report_environment
from tests.golden import reports

HERE = Path(__file__).parent
ENVIRONMENT = report_environment(HERE.parents[1] / "templates", render.FILTERS)


def comment(report: Report) -> str:
    return render.comment(report, ENVIRONMENT)


def console(report: Report) -> str:
    return render.console(report, folder="rag-eval-results")


@pytest.mark.parametrize(
    ("file", "rendering", "report"),
    [
        ("comment-passing.md", comment, reports.passing),
        ("comment-failing.md", comment, reports.failing),
        ("comment-endpoint-error.md", comment, reports.endpoint_error),
        ("comment-no-baseline.md", comment, reports.no_baseline),
        ("comment-truncated.md", comment, reports.truncated),
        ("comment-skipped.md", comment, reports.skipped),
        ("console-failing.txt", console, reports.failing),
    ],
)
def test_a_rendering_is_its_golden_file(
    file: str, rendering: Callable[[Report], str], report: Callable[[], Report]
):
    path = HERE / file
    actual = rendering(report())
    if os.environ.get("GOLDEN") == "write":
        path.write_text(actual, encoding="utf-8")
    expected = path.read_text(encoding="utf-8")

    assert actual == expected

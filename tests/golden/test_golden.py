"""Rendered texts as whole files; ``make golden`` writes them, the diff is read.

There is a file for every state that a reader of a pull request can meet.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner import render
from runner.render import Budget, Links
from runner.report import Report
from runner.templating import report_environment
from tests.golden import reports

HERE = Path(__file__).parent
ENVIRONMENT = report_environment(HERE.parents[1] / "templates", render.FILTERS)
HEAD, MERGE = (
    "4be1f0c2a9d84b3c5e6f708192a3b4c5d6e7f809",
    "91d2ab0c5e6f708192a3b4c5d6e7f8094be1f0c2",
)
PULL = Links(
    "https://github.com", "acme/bot", HEAD, merge=MERGE, run="1184", attempt="1"
)
MOVED = PULL._replace(newer="77aa310192a3b4c5d6e7f8094be1f0c2a9d84b3c")

Make = Callable[[], Report]


def check(file: str, actual: str):
    path = HERE / file
    if os.environ.get("GOLDEN") == "write":
        path.write_text(actual, encoding="utf-8")
    expected = path.read_text(encoding="utf-8")

    assert actual == expected


@pytest.mark.parametrize(
    ("state", "report"),
    [
        ("passing", reports.passing),
        ("passing-with-flips", reports.passing_with_flips),
        ("warned", reports.warned),
        ("no-baseline", reports.no_baseline),
        ("not-comparable", reports.not_comparable),
        ("failing", reports.failing),
        ("leaking", reports.leaking),
        ("loosened", reports.loosened),
        ("worse", reports.worse),
        ("remembered", reports.remembered),
        ("filtered", reports.filtered),
        ("endpoint-error", reports.endpoint_error),
        ("partly-measured", reports.partly_measured),
        ("cancelled", reports.cancelled),
        ("skipped", reports.skipped),
    ],
)
def test_the_comment_of_each_state(state: str, report: Make):
    check(f"comment-{state}.md", render.comment(report(), ENVIRONMENT, links=PULL))


def test_the_comment_on_an_older_commit():
    text = render.comment(reports.passing(), ENVIRONMENT, links=MOVED)

    check("comment-older-commit.md", text)


def test_a_comment_of_the_command_line_has_no_links():
    check("comment-no-links.md", render.comment(reports.leaking(), ENVIRONMENT))


@pytest.mark.parametrize(
    ("step", "characters"),
    [(1, 60_000), (2, 20_000), (3, 9_000), (4, 6_000)],
)
def test_a_comment_gives_up_parts_step_by_step(step: int, characters: int):
    budget = Budget(characters, 4 * characters)
    text = render.comment(reports.truncated(), ENVIRONMENT, links=PULL, budget=budget)

    check(f"comment-truncated-{step}.md", text)


@pytest.mark.parametrize(
    ("state", "report"),
    [
        ("failing", reports.failing),
        ("leaking", reports.leaking),
        ("young", reports.young),
    ],
)
def test_the_summary_of_a_run(state: str, report: Make):
    check(f"summary-{state}.md", render.summary(report(), ENVIRONMENT, links=PULL))


@pytest.mark.parametrize(
    ("state", "report"),
    [
        ("failing", reports.failing),
        ("leaking", reports.leaking),
        ("remembered", reports.remembered),
    ],
)
def test_the_log_of_a_run(state: str, report: Make):
    check(
        f"console-{state}.txt",
        render.console(report(), folder="rag-eval-results"),
    )

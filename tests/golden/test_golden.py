"""Rendered texts as whole files; ``make golden`` writes them, the diff is read.

There is a file for every state that a reader of a pull request can meet.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from runner import render
from runner.github.comment import Draft, Marker, key_of, overtaken
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
        ("quarantined", reports.quarantined),
        ("judged", reports.judged),
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


def test_the_comment_on_a_spec_with_mistakes():
    mistakes = (
        "specs/helpdesk.yaml:41 thresholds.recal@5: is no metric (did you mean "
        "recall@5?)\n"
        "specs/cases/policy.json:88 expected_doc_id: is no field (did you mean "
        "expected_doc_ids?)"
    )

    check("comment-mistake.md", render.mistake("specs/helpdesk.yaml", mistakes, PULL))


def body(spec: str, report: Report, run: int) -> str:
    """Give a whole comment, with the line by which a later run finds it."""
    marker = Marker(key_of("acme/bot", "eval", spec, ""), run, 1, HEAD)
    return Draft(marker, render.comment(report, ENVIRONMENT, links=PULL)).body


def test_a_comment_calls_the_owners_of_what_failed_once():
    marker = Marker(key_of("acme/bot", "eval"), 1184, 1, HEAD, ("acme/search-team",))
    draft = Draft(marker, render.comment(reports.failing(), ENVIRONMENT, links=PULL))

    check("comment-calling.md", draft.body)


def test_each_of_several_specs_has_a_comment_of_its_own():
    warned = reports.warned().model_copy(update={"name": "helpdesk-zh"})
    bodies = [
        body("specs/helpdesk.yaml", reports.endpoint_error(), 1184),
        body("specs/helpdesk-zh.yaml", warned, 1184),
    ]

    check("comment-several-specs.md", "\n".join(bodies))


def test_a_cancelled_run_leaves_what_the_comment_said_below_a_line_of_its_own():
    told = body("specs/helpdesk.yaml", reports.warned(), 1184)
    once = overtaken(told, 1185).body

    check("comment-overtaken.md", once)
    assert overtaken(once, 1185).body == once


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
        ("quarantined", reports.quarantined),
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


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


@pytest.mark.parametrize(
    "path", sorted(HERE.glob("comment-*.md")), ids=lambda p: p.stem
)
def test_a_comment_begins_with_the_verdict_and_its_tables_are_narrow(path: Path):
    lines = path.read_text("utf-8").split("\n")
    told = [line for line in lines if line and not line.startswith(("<!--", "> ⏹️"))]
    tables = [line for line in lines if line.startswith("| ")]

    assert re.match("## (✅|⚠️|❌|🚫|➖) RAG eval .+: .+", told[0])
    assert all(cells(row) <= 7 for row in tables)

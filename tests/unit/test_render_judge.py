"""What a reader is told of a judge: what it took, and on what its word stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner import render
from runner.model import JudgeAccount, Summary, Weight
from runner.report import Report, Totals
from runner.templating import report_environment

TEMPLATES = Path(__file__).parents[2] / "templates"
ENVIRONMENT = report_environment(TEMPLATES, render.FILTERS)
KAPPA = "kappa 0.81 (0.70 to 0.92) on 120 en labels, of 2026-11-01"
HELD = Weight(decides=True, calibrated=True, why=KAPPA)
NOT_HELD = Weight(decides=False, calibrated=False, why="the judge is not calibrated")


def run(**judge) -> Report:
    found = Summary(layer="grounding", better="higher", mean=0.9, scored=8)
    return Report(
        name="helpdesk",
        verdict="passed",
        totals=Totals(cases=8, passed=8),
        summaries={"faithfulness": found},
        judge=JudgeAccount.model_validate({"model": "m", "host": "x:8000", **judge}),
    )


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ({"calls": 1}, "judged by `m` at `x:8000` (1 request)"),
        (
            {"calls": 24, "input_tokens": 2000, "output_tokens": 400, "usd": 0.126},
            "judged by `m` at `x:8000` (24 requests, 2,400 tokens, 0.13 USD)",
        ),
        (
            {"calls": 2, "input_tokens": 7, "estimated": True, "usd": 0.0},
            "judged by `m` at `x:8000` (2 requests, about 7 tokens, about 0.00 USD)",
        ),
        (
            {"host": "", "rated": 24, "stored": 24},
            "judged by `m` (0 requests, 24 of 24 ratings stored before)",
        ),
    ],
)
def test_what_judging_took_stands_where_the_numbers_are_said_to_be_from(
    judge, expected
):
    assert expected in render.comment(run(**judge), ENVIRONMENT)


def test_on_what_a_judge_decides_stands_below_the_table():
    held = run(weights={"faithfulness": HELD})
    told = f"faithfulness decides: its judge and people agree by {KAPPA}"

    assert told in render.comment(held, ENVIRONMENT).replace(
        "`2026-11-01`", "2026-11-01"
    )
    assert told in " ".join(render.console(held).split())


def test_of_one_that_was_not_held_against_people_nothing_is_said_to_agree():
    shown = render.comment(run(weights={"faithfulness": NOT_HELD}), ENVIRONMENT)

    assert "agree" not in shown


def test_the_name_of_a_model_is_no_markup():
    shown = render.comment(run(model="@octocat <b>![x](http://e)"), ENVIRONMENT)

    assert "@octocat" not in "".join(shown.split("`")[::2])

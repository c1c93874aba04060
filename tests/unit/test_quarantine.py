"""Which cases do not gate today, and what is told of them."""

from __future__ import annotations

from datetime import date

import pytest

from runner.model import Case, Finding, Quarantine, Quarantined
from runner.quarantine import (
    effective,
    excused,
    in_quarantine,
    quarantine_notices,
    quarantine_warnings,
    quarantined,
)

TODAY = date(2026, 11, 30)
LINES = ("tag=cross", "type=policy")


def held(name, until, why="flaky", owner=None, **more):
    day = date.fromisoformat(until)
    return Case(name, "Why?", quarantine=Quarantine(day, why, owner), **more)


@pytest.mark.parametrize(
    ("until", "gates"),
    [
        ("2026-11-29", True),
        ("2026-11-30", False),
        ("2026-12-01", False),
        ("2027-12-01", False),
    ],
)
def test_a_case_gates_again_from_the_day_after_its_last(until, gates):
    assert excused([held("a", until)], (), TODAY) == (set() if gates else {"a"})


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"tags": ("cross",)}, "tag=cross"),
        ({"type": "policy"}, "type=policy"),
        ({"tags": ("other",), "type": "fact"}, None),
    ],
)
def test_a_red_line_lets_no_case_be_in_quarantine(more, line):
    case = held("a", "2026-12-31", **more)

    assert excused([case], LINES, TODAY) == (set() if line else {"a"})
    assert bool(effective([case], LINES)) is (line is None)
    assert [*quarantine_warnings([case], LINES, TODAY)] == (
        [f"A red line lets no case be in quarantine: a ({line})"] if line else []
    )


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("2026-11-29", "A quarantine has ended, so that its case gates again: a (…)"),
        ("2026-11-30", None),
        ("2027-02-28", None),
        ("2027-03-01", "A quarantine of more than 90 days is hardly one: a (…)"),
    ],
)
def test_a_quarantine_that_ended_or_lasts_long_is_told(until, said):
    expected = [said.replace("…", until)] if said else []

    assert [*quarantine_warnings([held("a", until)], LINES, TODAY)] == expected


def test_many_are_counted():
    cases = [held(f"c{number}", "2026-01-01") for number in range(5)]
    [said] = quarantine_warnings(cases, (), TODAY)

    assert said.endswith("c0 (2026-01-01), c1 (2026-01-01), c2 (2026-01-01) and 2 more")


@pytest.mark.parametrize("outcome", ["passed", "failed", "error", "undetermined"])
def test_what_came_of_a_case_is_kept_beside_its_outcome(outcome):
    finding = quarantined(Finding(outcome, "answer", "answer.omission"))

    assert (finding.outcome, finding.would_be) == ("quarantined", outcome)
    assert (finding.layer, finding.cause) == ("answer", "answer.omission")


def test_a_leak_is_excused_by_nothing():
    leak = Finding("failed", "isolation", "isolation.leak_context")

    assert quarantined(leak) == leak


def test_a_lucky_case_in_quarantine_is_counted_among_no_passing_ones():
    assert quarantined(Finding("passed", lucky=True)).lucky is False


def test_the_first_cases_are_listed_with_what_came_of_them():
    cases = [
        held("a", "2026-12-31", "flaky", "@x"),
        held("b", "2026-12-31"),
        held("ended", "2026-01-01"),
        Case("c", "Why?"),
        held("d", "2026-12-31"),
    ]
    broke = quarantined(Finding("failed", "answer", "answer.omission"))
    fine, failed = quarantined(Finding("passed")), Finding("failed", "answer")

    found = in_quarantine(cases, [broke, fine, failed, failed, broke], 2)

    assert found == (
        Quarantined(
            id="a",
            until=date(2026, 12, 31),
            why="flaky",
            owner="@x",
            outcome="failed",
            layer="answer",
            cause="answer.omission",
        ),
        Quarantined(id="b", until=date(2026, 12, 31), why="flaky", outcome="passed"),
    )


def report_row(name, outcome="failed", **more):
    known = {"until": date(2026, 12, 31), "why": "flaky", "outcome": outcome}
    return Quarantined(id=name, **{**known, **more})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (report_row("a"), "it fails (flaky)"),
        (report_row("a", "passed"), "it passes (flaky)"),
        (report_row("a", "error"), "it got no usable reply (flaky)"),
        (report_row("a", "undetermined"), "it is undetermined (flaky)"),
        (report_row("a", owner="@x"), "it fails (flaky; @x)"),
        (report_row("a", why="two\n  lines"), "it fails (two lines)"),
        (report_row("a", why="w" * 500), f"it fails ({'w' * 119}…)"),
    ],
)
def test_a_case_is_named_with_its_last_day_and_why(found, said):
    head = "a is in quarantine until 2026-12-31 and does not gate"

    assert [*quarantine_notices([found], 1)] == [f"{head}: {said}"]


def test_of_many_cases_the_first_are_named_and_all_are_counted():
    *named, rest = quarantine_notices(
        [report_row(f"c{number}") for number in range(9)], 300
    )

    assert [said.split()[0] for said in named] == ["c0", "c1", "c2"]
    assert rest == "297 more cases in quarantine, of 300; none of them gates"


def test_where_no_case_is_in_quarantine_nothing_is_told():
    assert [*quarantine_notices([], 0)] == []

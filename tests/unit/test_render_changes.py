"""What differs from the baseline, case by case, and how a trend is drawn."""

from __future__ import annotations

import pytest

from runner.model import Comparison, RankMove, Shift
from runner.render._changes import changes, flips
from runner.render._links import NOWHERE, Links
from runner.render._sentence import plain
from runner.render._trend import sparkline
from runner.report import CasePlace, FailedCase, Report, Totals


def run(**fields) -> Report:
    return Report(
        name="bot", verdict="failed", totals=Totals(cases=9, failed=1), **fields
    )


def shift(layer: str, *ranks: RankMove, came=()) -> Shift:
    return Shift.model_validate(
        {
            "id": "a",
            "was": "passed",
            "now": "failed",
            "layer": layer,
            "cause": f"{layer}.x",
            "ranks": ranks,
            "came": came,
        }
    )


GONE, FELL = RankMove(id="d1", before=1), RankMove(id="d2", before=2, now=7)


@pytest.mark.parametrize(
    ("shifts", "evidence", "why"),
    [
        pytest.param((), "d1 did not come", "d1 did not come", id="no shift"),
        pytest.param(
            (shift("retrieval", GONE, came=("d8", "d9", "d10")),),
            "d1 did not come",
            "d1 is gone from rank 1; instead came d8, d9",
            id="gone",
        ),
        pytest.param(
            (shift("context", FELL),), "ranks 7", "d2 fell from rank 2 to 7", id="fell"
        ),
        pytest.param(
            (shift("retrieval", GONE, FELL, GONE),),
            "",
            "d1 is gone from rank 1; d2 fell from rank 2 to 7; 1 more",
            id="many",
        ),
        pytest.param(
            (shift("answer", FELL),),
            "'x' is not stated",
            "'x' is not stated; d2 fell from rank 2 to 7",
            id="another layer",
        ),
        pytest.param((shift("retrieval", came=("d8",)),), "e", "e", id="nothing went"),
        pytest.param(
            (),
            "http://127.0.0.1:9000/rag answered 500",
            "…/rag answered 500",
            id="a call",
        ),
    ],
)
def test_a_regressed_case_says_which_passages_went_or_else_its_evidence(
    shifts, evidence, why
):
    report = run(
        failures=(FailedCase(id="a", evidence=evidence),),
        comparison=Comparison(pairs=9, regressed=("a",), shifts=shifts),
    )

    [change] = changes(report, NOWHERE)

    assert plain(change.why) == why


def test_a_case_beyond_the_quoted_ones_has_its_cause_and_its_line_all_the_same():
    links = Links("https://github.com", "acme/bot", "4be1f0c")
    report = run(
        comparison=Comparison(pairs=9, regressed=("a",), shifts=(shift("answer"),)),
        places={"a": CasePlace(file="cases.csv", line=4)},
    )

    [change] = changes(report, links)

    assert plain(change.cause) == "answer.x"
    assert change.id[0].url == "https://github.com/acme/bot/blob/4be1f0c/cases.csv#L4"


def test_a_case_that_fails_in_another_layer_shows_both_causes():
    moved = shift("retrieval").model_copy(
        update={"was": "failed", "cause_before": "answer.y"}
    )
    report = run(comparison=Comparison(pairs=9, moved=("a",), shifts=(moved,)))

    [change] = changes(report, NOWHERE)

    assert (change.was, change.now) == ("failed", "failed")
    assert plain(change.cause) == "answer.y → retrieval.x"


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        (None, ""),
        (Comparison(pairs=9), ""),
        (Comparison(pairs=0, new=("a",)), ""),
        (
            Comparison(
                pairs=9, regressed=("a", "b"), worse=2, moved=("c",), removed=("d",)
            ),
            "2 regressed · 1 moved to another layer · 1 removed",
        ),
        (
            Comparison(
                pairs=9, regressed=("a", "b"), worse=1, fixed=("c", "d"), better=1
            ),
            "1 regressed · 1 new error · 1 fixed · 1 error gone",
        ),
    ],
)
def test_only_kinds_of_which_there_are_cases_are_counted(compared, said):
    assert flips(run(comparison=compared)) == said


def test_of_the_regressed_cases_those_whose_call_failed_come_last():
    lost, fell = shift("service"), shift("answer")
    lost = lost.model_copy(update={"id": "lost", "now": "error"})
    flipped = Comparison(pairs=9, regressed=("lost", "a"), worse=1, shifts=(lost, fell))

    found = changes(run(comparison=flipped), NOWHERE)

    assert [(plain(change.id), change.now) for change in found] == [
        ("a", "failed"),
        ("lost", "error"),
    ]


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ((0.5, 0.5, 0.5), "▄▄▄"),
        ((0, 1), "▁█"),
        ((3, 2, 1), "█▅▁"),
        ((0.1, 0.11, 0.9), "▁▁█"),
    ],
)
def test_a_trend_spans_from_its_least_to_its_most(values, line):
    assert sparkline(values) == line

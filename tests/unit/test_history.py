"""A history keeps numbers and no texts, and offers a limit only where it is safe."""

import pytest

from runner.errors import InputError
from runner.history import STEADY, counts, point, read, tighter, trend
from runner.model import GateResult, Summary
from runner.report import Report, Totals


def report(mean=0.9, interval=(0.87, 0.93), rule="min", limit=0.8, **more):
    return Report(
        name="helpdesk",
        verdict="passed",
        totals=Totals(cases=80, passed=80),
        summaries={
            "recall@5": Summary(
                layer="retrieval",
                better="higher",
                mean=mean,
                interval=interval,
                scored=80,
            ),
            "accuracy": Summary(layer=None, better="higher", mean=1.0, scored=80),
        },
        gates=(
            GateResult(
                metric="recall@5",
                rule=rule,
                limit=limit,
                value=mean,
                outcome="passed",
                line=7,
                **more,
            ),
        ),
        commit="4be1f0c",
        started="2026-11-30T09:41:00+00:00",
    )


def test_a_run_leaves_its_gated_numbers_and_accuracy():
    found = point(report())

    assert found.model_dump(exclude_none=True) == {
        "started": "2026-11-30T09:41:00+00:00",
        "commit": "4be1f0c",
        "verdict": "passed",
        "cases": 80,
        "values": {
            "accuracy": {"value": 1.0},
            "recall@5": {"value": 0.9, "low": 0.87, "high": 0.93},
        },
    }


def test_what_is_written_is_read_back():
    line = point(report()).model_dump()

    assert list(read([(1, line)], "history.jsonl")) == [point(report())]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"verdict": "fine", "cases": 1}, "history.jsonl:3 verdict: Input should"),
        ({"verdict": "passed", "cases": 1, "more": 1}, "history.jsonl:3 more: Extra"),
        ([], "history.jsonl:3: Input should be a valid dictionary"),
    ],
)
def test_a_line_that_is_none_is_told_with_its_place(line, said):
    with pytest.raises(InputError) as told:
        list(read([(3, line)], "history.jsonl"))

    assert said in str(told.value)


def test_a_trend_has_the_numbers_that_every_run_has():
    old = point(report()).model_copy(update={"values": {}})

    assert trend([point(report(0.8)), point(report(0.9))])["recall@5"] == (0.8, 0.9)
    assert trend([old, point(report())]) == {}
    assert trend([]) == {}


def runs(count, interval=(0.87, 0.93)):
    return [point(report(interval=interval))] * count


def test_a_floor_that_five_runs_beat_by_more_than_noise_is_offered_tighter():
    [offer] = tighter(report(), runs(STEADY - 1))

    assert (offer.metric, offer.limit, offer.offered, offer.line) == (
        "recall@5",
        0.8,
        0.87,
        7,
    )


@pytest.mark.parametrize(
    ("now", "earlier"),
    [
        (report(), runs(STEADY - 2)),
        (report(), [*runs(STEADY - 2), *runs(1, interval=(0.79, 0.9))]),
        (report(interval=None), runs(STEADY)),
        (report(limit=0.87), runs(STEADY)),
        (report(rule="max_drop", limit=0.02), runs(STEADY)),
        (report(slice="type=fact"), runs(STEADY)),
    ],
)
def test_nothing_is_offered_that_noise_could_break(now, earlier):
    assert list(tighter(now, earlier)) == []


def test_only_the_last_runs_count():
    earlier = [*runs(3, interval=(0.5, 0.6)), *runs(STEADY - 1)]

    assert [offer.offered for offer in tighter(report(), earlier)] == [0.87]


def test_a_ceiling_is_offered_from_above():
    [offer] = tighter(report(rule="max", limit=0.99), runs(STEADY - 1))

    assert offer.offered == 0.93


@pytest.mark.parametrize(
    ("change", "stands"),
    [
        ({}, True),
        ({"verdict": "failed"}, True),
        ({"verdict": "error"}, False),
        ({"filters": ("--tag en",)}, False),
        (
            {"verdict": "failed", "totals": Totals(cases=2, failed=1, not_asked=1)},
            False,
        ),
    ],
)
def test_only_a_run_that_judged_every_case_stands_in_a_history(change, stands):
    assert counts(report().model_copy(update=change)) is stands

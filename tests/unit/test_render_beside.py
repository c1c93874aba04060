"""What a reader is told beside a baseline and a history: noise, layers, courses."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner import render
from runner.model import Comparison, Delta, RankMove, Shift, Summary, Tighter
from runner.render import Budget
from runner.report import LayerCount, Report, Totals
from runner.templating import report_environment
from tests.golden import reports

TEMPLATES = Path(__file__).parents[2] / "templates"
ENVIRONMENT = report_environment(TEMPLATES, render.FILTERS)


def run(**fields) -> Report:
    known = {
        "name": "helpdesk",
        "verdict": "passed",
        "totals": Totals(cases=80, passed=79, failed=1),
        "layers": {"answer": LayerCount(first=1, causes={"answer.omission": 1})},
        "summaries": {
            "recall@5": Summary(
                layer="retrieval", better="higher", mean=0.9, scored=80
            ),
            "latency": Summary(
                layer="service", better="lower", mean=1.0, scored=80, unit="s"
            ),
        },
    }
    return Report.model_validate({**known, **fields})


def compared(**fields) -> Report:
    return run(comparison=Comparison.model_validate({"pairs": 80, **fields}))


def comment(report: Report, **more) -> str:
    return render.comment(report, ENVIRONMENT, **more)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param(
            {"regressed": ("a", "b"), "fixed": ("c",), "worse": 2, "better": 1, "p": 1}
            | {"detectable": 0.075},
            "2 regressed, 1 fixed: within noise (p = 1); with 80 pairs, only a drop of "
            "accuracy by 7.5 points or more stands out.",
            id="chance",
        ),
        pytest.param(
            {"regressed": tuple("abcdefghi"), "worse": 9, "p": 0.0039}
            | {"detectable": 0.1},
            "9 regressed: more than noise (p = 0.0039).",
            id="no chance",
        ),
        pytest.param(
            {"fixed": tuple("abcdefghi"), "better": 9, "p": 0.00001},
            "9 fixed: more than noise (p < 0.0001).",
            id="for the better",
        ),
        pytest.param(
            {"regressed": ("a", "b"), "worse": 1, "p": 1.0, "detectable": 0.075},
            "1 regressed: within noise (p = 1); with 80 pairs, only a drop of "
            "accuracy by 7.5 points or more stands out.",
            id="one by a failed call",
        ),
        pytest.param(
            {"regressed": ("a",), "worse": 1},
            "1 regressed: nothing is told from noise with fewer than 10 pairs.",
            id="few pairs",
        ),
    ],
)
def test_beside_the_totals_stands_what_chance_makes_of_the_flips(fields, expected):
    totals = comment(compared(**fields)).split("\n")[3]

    assert totals.startswith("80 cases: ")
    assert totals.endswith(f". {expected}")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"p": 1.0, "detectable": 0.075}, id="no flip"),
        pytest.param(
            {"regressed": ("a",), "p": 1.0, "detectable": 0.075},
            id="failed calls alone",
        ),
    ],
)
def test_of_chance_nothing_is_said_where_no_answer_flipped(fields):
    text = comment(compared(**fields))

    assert "within noise" not in text
    assert "only a drop of accuracy by 7.5 points or more stands out" in text


def test_the_first_two_lines_of_a_red_run_say_nothing_of_chance():
    head, lead, _, totals = comment(reports.failing()).split("\n")[:4]

    assert "Red line broken" in lead
    assert "within noise" in totals
    assert "noise" not in head + lead


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        pytest.param(
            {"retrieval": 2, "answer": 3},
            {"retrieval": 6, "answer": 3},
            "first failures: retrieval 2 → 6, answer unchanged.",
            id="moved",
        ),
        pytest.param(
            {"answer": 2},
            {"service": 1_200},
            "first failures: service 0 → 1,200, answer 2 → 0.",
            id="from one to another",
        ),
        pytest.param(
            {"retrieval": 1, "refusal": 2, "grounding": 3, "answer": 1},
            {"retrieval": 1, "refusal": 2, "grounding": 3, "answer": 2},
            "first failures: answer 1 → 2, retrieval, refusal and grounding unchanged.",
            id="several unchanged",
        ),
        pytest.param({"answer": 2}, {"answer": 2}, None, id="nothing moved"),
        pytest.param({}, {}, None, id="nothing failed"),
    ],
)
def test_a_sentence_says_where_first_failures_moved(before, now, expected):
    report = compared(layers=before, layers_now=now)
    texts = (comment(report), render.summary(report, ENVIRONMENT))
    log = " ".join(render.console(report).split())

    for text in (*texts, log):
        if expected:
            assert f"Over the 80 cases of both runs, {expected}" in text
        else:
            assert "first failures" not in text


def test_where_the_search_broke_first_the_lead_and_the_advice_say_so():
    moves = [RankMove(id="d1", before=1, now=2)]
    shifts = [
        Shift(id=name, was="passed", now="failed", layer="answer", ranks=moves)
        for name in "abc"
    ]
    lower = Delta(now=0.7, baseline=0.9, delta=-0.2, pairs=80, p=0.01)
    flipped = Comparison(
        pairs=80, regressed=tuple("abc"), worse=3, shifts=shifts, deltas={"mrr": lower}
    )
    mrr = Summary(layer="context", better="higher", mean=0.7, scored=80)

    text = comment(run(comparison=flipped, summaries={"mrr": mrr}, verdict="failed"))

    assert "**Context could not be measured.** In 3 of 3 cases that newly" in text
    assert "fail in the answer layer, a relevant passage ranks lower" in text
    assert "(1): First see why the passages of these cases fell or went. If the" in text


def test_the_interval_of_a_change_stands_in_whole_tables_alone():
    report = reports.failing()
    edges = "−0.01&nbsp;ᵃ (−0.04&nbsp;to&nbsp;+0.02)"
    summary, page = (
        render.summary(report, ENVIRONMENT),
        render.html(report, ENVIRONMENT),
    )
    glance, folded = comment(report).split("All measurements")
    short = comment(report, budget=Budget(6_000, 9_000))

    assert edges in summary
    assert edges in folded
    assert "In brackets" in folded
    assert "−0.01 ᵃ (−0.04 to +0.02)" in page
    for text in (glance, short, render.console(report)):
        assert "+0.02" not in text
        assert "In brackets" not in text


def test_a_layer_without_a_gate_shows_the_first_metric_that_has_a_number():
    shares = {"layer": "answer", "better": "higher"}
    report = run(
        summaries={
            "forbidden_content": Summary.model_validate({**shares, "unscored": 80}),
            "key_points": Summary.model_validate({**shares, "mean": 0.5, "scored": 80}),
        }
    )

    glance, _ = comment(report).split("All measurements")

    assert "| 7&nbsp;answer | key_points | 0.50 |" in glance
    assert "forbidden_content" not in glance


RECALL = (0.7, 0.8, 0.9, 0.8, 0.9)


@pytest.mark.parametrize(
    ("points", "in_comment", "in_summary"),
    [(1, False, False), (2, False, True), (4, False, True), (5, True, True)],
)
def test_a_course_needs_runs(points, in_comment, in_summary):
    report = run(trend={"recall@5": RECALL[:points]})

    assert (f"Last {points} runs" in comment(report)) is in_comment
    assert ("```mermaid" in render.summary(report, ENVIRONMENT)) is in_summary
    assert (f"Last {points} runs" in render.console(report)) is in_comment
    assert (f"The last {points} runs" in render.html(report, ENVIRONMENT)) is in_summary


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        (RECALL, "recall@5", "recall@5 ▁▅█▅█ 0.70 → 0.90"),
        ((1.0,) * 5, "recall@5", "recall@5 ▄▄▄▄▄ 1.00"),
        ((2.0, 1.0, 1.0, 1.0, 1.5), "latency", "latency █▁▁▁▅ 2.0 s → 1.5 s"),
    ],
)
def test_a_course_in_a_line(values, unit, expected):
    text = comment(run(trend={unit: values}))

    assert f"\n\nLast 5 runs: {expected}\n" in text


def test_a_comment_shows_the_course_of_a_few_numbers_and_the_summary_of_all():
    report = run(trend={f"m{number}": RECALL for number in range(9)})

    assert comment(report).count("▁▅█▅█") == 6
    assert render.summary(report, ENVIRONMENT).count("xychart-beta") == 9


def test_a_course_is_of_the_last_runs_and_of_numbers_that_can_be_drawn():
    report = run(trend={"long": (0.5,) * 99, "wide": (-1.7e308, 1.7e308) * 3})
    text = comment(report)

    assert f"Last 30 runs: long {'▄' * 30} 0.50\n" in text
    assert "wide" not in text


def test_a_limit_that_may_be_tightened_is_told_with_what_to_write():
    offers = (
        Tighter(metric="recall@5", rule="min", limit=0.75, offered=0.8, line=9, runs=5),
        Tighter(metric="latency", rule="max", limit=3, offered=1.95, runs=5),
    )
    report = run(tighter=offers, spec="evals/rag.yaml")
    recall = (
        "recall@5: the last 5 runs beat `min: 0.75` by more than noise; `min: 0.8` "
        "would have held (`evals/rag.yaml:9`)."
    )
    latency = (
        "latency: the last 5 runs beat `max: 3s` by more than noise; `max: 1.95s` "
        "would have held (`evals/rag.yaml`)."
    )

    for text in (comment(report), render.summary(report, ENVIRONMENT)):
        assert f"\n- {recall}\n- {latency}\n" in text
    log = " ".join(render.console(report).split())
    assert recall.replace("`", "") in log
    assert "would have held" in render.html(report, ENVIRONMENT)

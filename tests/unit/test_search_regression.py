"""Whether the search takes the blame for a layer that follows it."""

import pytest

from runner.model import Comparison, Delta, RankMove, Shift, Summary
from runner.report import LayerCount, Report, Totals, broken_layer
from runner.search_regression import search_regression

LOWER, GONE = RankMove(id="d", before=1, now=3), RankMove(id="d", before=1)
SUMMARIES = {
    "mrr": Summary(layer="retrieval", better="higher", mean=0.7, scored=80),
    "context_relevance": Summary(layer="context", better="higher", mean=0.3, scored=80),
    "key_points": Summary(layer="answer", better="higher", mean=0.5, scored=80),
}


def case(layer, *ranks, was="passed", now="failed"):
    return Shift(id="c", was=was, now=now, layer=layer, ranks=ranks)


def beside(*shifts, chance=0.01, metric="mrr"):
    delta = Delta(now=0.7, baseline=0.9, delta=-0.2, pairs=80, p=chance)
    return Comparison(pairs=80, shifts=shifts, deltas={metric: delta})


@pytest.mark.parametrize(
    ("layer", "shifts", "first", "cases", "among"),
    [
        pytest.param("answer", [case("answer", LOWER)], "context", 1, 1, id="fell"),
        pytest.param("answer", [case("answer", GONE)], "retrieval", 1, 1, id="went"),
        pytest.param(
            "grounding",
            [
                *(case("grounding", LOWER), case("grounding", LOWER)),
                *(case("grounding", GONE), case("grounding")),
                *(case("answer"), case("answer")),
            ],
            "context",
            3,
            4,
            id="most of the layer's own",
        ),
    ],
)
def test_the_search_broke_first_where_most_of_a_layer_s_new_failures_lost_passages(
    layer, shifts, first, cases, among
):
    assert search_regression(beside(*shifts), SUMMARIES, layer) == (first, cases, among)


@pytest.mark.parametrize(
    ("layer", "compared"),
    [
        pytest.param("answer", None, id="no baseline"),
        pytest.param(
            "answer", beside(case("answer", LOWER), case("answer")), id="half"
        ),
        pytest.param("answer", beside(), id="nothing flipped"),
        pytest.param("service", beside(case("service", LOWER)), id="a failed call"),
        pytest.param("retrieval", beside(case("retrieval", GONE)), id="the search"),
        pytest.param(
            "answer", beside(case("answer", LOWER, was="failed")), id="failed before"
        ),
        pytest.param(
            "answer", beside(case("answer", LOWER), chance=0.3), id="within noise"
        ),
        pytest.param(
            "answer", beside(case("answer", LOWER), chance=None), id="too few pairs"
        ),
        pytest.param(
            "answer",
            beside(case("answer", LOWER), metric="key_points"),
            id="no metric of the search",
        ),
    ],
)
def test_the_search_is_not_to_blame(layer, compared):
    assert search_regression(compared, SUMMARIES, layer) is None


def test_the_layer_to_look_at_first_is_that_of_the_search():
    counted = {"answer": LayerCount(first=5), "context": LayerCount(first=1)}
    report = Report(
        name="bot",
        verdict="failed",
        totals=Totals(cases=80, failed=6),
        layers=counted,
        summaries=SUMMARIES,
        comparison=beside(case("answer", LOWER)),
    )

    assert broken_layer(report) == "context"
    assert broken_layer(report.model_copy(update={"comparison": None})) == "answer"

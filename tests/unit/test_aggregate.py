from __future__ import annotations

import numpy as np
import pytest

from runner.aggregate import (
    Slice,
    ceiling,
    histogram,
    percentile,
    percentiles,
    run_level,
    spread,
    summarise,
)
from runner.inference import bootstrap, wilson
from runner.metrics import registry
from runner.model import Absent, Case, Failed, Measure, Summary, Unscored
from runner.scores import Column


def column(*scores, name="recall"):
    filled = Column(Measure(name, registry[name]), len(scores))
    for position, score in enumerate(scores):
        filled.put(position, score)
    return filled


def test_the_mean_is_over_the_scored_and_the_rest_is_counted():
    summary = summarise(column(1.0, 0.0, 0.5, Unscored("no labels"), Failed("broke")))

    assert summary.mean == 0.5
    assert (summary.scored, summary.unscored, summary.failed) == (3, 1, 1)
    assert summary.reasons == {"no labels": 1, "broke": 1}
    assert summary.coverage == 0.75


def test_evidence_that_replies_lack_is_unscored_and_lowers_coverage():
    hidden = Absent("the reply does not show its passages")
    scores = (1.0, *[Unscored("no labels")] * 5, *[hidden] * 2, Failed("broke"))

    summary = summarise(
        column(*scores), [Slice("type=policy", bytes([1] * 7 + [0] * 2))]
    )

    counts = (summary.scored, summary.unscored, summary.failed, summary.absent)
    assert counts == (1, 7, 1, 2)
    assert (summary.due, summary.coverage) == (4, 0.25)
    assert list(summary.reasons) == ["broke", hidden.reason, "no labels"]
    part = summary.slices["type=policy"]
    assert (part.scored, part.unscored, part.absent, part.coverage) == (1, 6, 1, 0.5)


def test_what_a_system_never_shows_has_no_coverage():
    summary = summarise(column(Absent("no citations"), Absent("no citations")))

    assert (summary.absent, summary.coverage) == (2, None)


def test_a_case_that_was_never_scored_counts_as_failed():
    unfilled = Column(Measure("recall", registry["recall"]), 2)
    unfilled.put(0, 1.0)

    assert summarise(unfilled).failed == 1


def test_nothing_scored_has_no_mean():
    summary = summarise(column(Unscored("no labels")))

    assert (summary.mean, summary.coverage) == (None, None)


def test_slices_count_their_own_cases():
    summary = summarise(
        column(1.0, 0.0, Unscored("x"), Failed("y")),
        [Slice("type=policy", b"\x00\x01\x01\x01"), Slice("type=none", bytes(4))],
    )

    policy, nothing = summary.slices["type=policy"], summary.slices["type=none"]
    assert (policy.mean, policy.scored, policy.unscored, policy.failed) == (0, 1, 1, 1)
    assert (nothing.mean, nothing.scored) == (None, 0)


def test_mean_and_deviation_agree_with_numpy():
    values = list(np.random.default_rng(7).random(101))

    found = spread(values, (0.0, 1.0))

    assert found.mean == pytest.approx(np.mean(values))
    assert found.sd == pytest.approx(np.std(values, ddof=1))
    assert found.interval == bootstrap(values)


def test_intervals_of_shares_are_wilsons_and_stay_in_bounds():
    few = spread([1.0, 1.0, 0.0], (0.0, 1.0))
    skewed = spread([1.0] * 9 + [0.1], (0.0, 1.0))

    assert few.interval == wilson(2 / 3, 3)
    assert 0 < skewed.interval[0] < skewed.interval[1] <= 1


def test_percentiles_agree_with_numpy():
    values = list(np.random.default_rng(8).exponential(size=37))
    found = percentiles(values)

    assert [found[f"p{q}"] for q in (50, 90, 95, 99)] == pytest.approx(
        list(np.percentile(values, [50, 90, 95, 99]))
    )
    assert found["max"] == max(values)


def test_one_value_is_every_percentile():
    assert percentile([2.0], "p95") == 2.0


def test_accuracy_leaves_errors_and_undetermined_cases_out():
    outcomes = ["passed", "passed", "failed", "undetermined", "error"]
    found = run_level(outcomes, [], [Slice("tag=x", b"\x01\x00\x01\x00\x01")])

    assert found["accuracy"].mean == pytest.approx(2 / 3)
    assert (found["accuracy"].scored, found["accuracy"].unscored) == (3, 2)
    assert found["accuracy"].slices["tag=x"].mean == 0.5
    assert found["accuracy"].slices["tag=x"].unscored == 1
    assert found["error_rate"].mean == 0.2


def test_coverage_is_the_least_of_the_metrics():
    whole = Summary(layer="answer", better="higher", scored=4)
    half = Summary(layer="answer", better="higher", scored=2, failed=2)

    assert run_level(["passed"], [whole, half], [])["coverage"].mean == 0.5


def test_recall_has_a_ceiling_where_k_is_below_the_number_of_relevant_ids():
    ten = Case("a", "q", qrels={f"d{n}": 1 for n in range(10)})
    one = Case("b", "q", qrels={"d": 1, "e": 0})

    assert ceiling([ten], 5) == 0.5
    assert ceiling([ten, one], 5) == 0.75
    assert ceiling([one], 5) is None
    assert ceiling([], 5) is None


def test_the_histogram_doubles_its_edges_and_keeps_the_gaps():
    assert histogram([0.0005, 0.0011, 0.007]) == (
        (0.001, 1),
        (0.002, 1),
        (0.004, 0),
        (0.008, 1),
    )
    assert histogram([]) == ()

"""Intervals and p-values agree with SciPy; what cannot be known is not claimed."""

from itertools import product
from math import sqrt
from random import Random

import numpy as np
import pytest
from scipy import optimize, stats

from runner.inference import (
    CONFIDENCE,
    bootstrap,
    detectable,
    drop,
    is_binary,
    mcnemar,
    wilson,
)

COUNTS = [(0, 1), (1, 1), (0, 10), (3, 10), (40, 80), (79, 80), (999, 100_000)]


@pytest.mark.parametrize(("passed", "count"), COUNTS)
def test_wilson_is_scipys(passed, count):
    theirs = stats.binomtest(passed, count).proportion_ci(method="wilson")

    assert wilson(passed / count, count) == pytest.approx(theirs, abs=1e-12)


def samples():
    rng = np.random.default_rng(11)
    for count in (10, 40, 200):
        yield rng.beta(5, 1, count)
        yield rng.uniform(0, 1, count)
        yield rng.exponential(0.3, count)


@pytest.mark.parametrize("values", list(samples()))
def test_the_closed_form_is_where_resampling_leads(values):
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="BCa", rng=5
    ).confidence_interval
    width = theirs.high - theirs.low

    assert bootstrap(list(values)) == pytest.approx(theirs, abs=0.04 * width)


def test_many_values_give_the_normal_interval():
    values = np.random.default_rng(3).uniform(0, 1, 20_000)
    theirs = stats.norm.interval(0.95, values.mean(), stats.sem(values, ddof=0))

    assert bootstrap(list(values)) == pytest.approx(theirs, abs=1e-5)


def test_equal_values_give_no_width():
    assert bootstrap([0.7]) == bootstrap([0.7] * 5) == pytest.approx((0.7, 0.7))


def test_mcnemar_is_the_exact_binomial_test():
    for worse, better in product((0, 1, 2, 5, 6, 17, 400), repeat=2):
        flips = worse + better
        theirs = stats.binomtest(worse, flips).pvalue if flips else 1.0

        assert mcnemar(worse, better) == pytest.approx(theirs, abs=1e-10)


def flips(worse, better, same):
    return [1.0] * worse + [-1.0] * better + [0.0] * same


def test_a_drop_of_flips_has_the_one_sided_exact_p():
    for worse, better in ((0, 1), (3, 0), (5, 0), (9, 4), (30, 10)):
        found = drop(flips(worse, better, 60), binary=True)
        theirs = stats.binomtest(worse, worse + better, alternative="greater").pvalue

        assert found.p == pytest.approx(theirs, abs=1e-12)


def constrained(worse, better, pairs, difference):
    """Give the score statistic at a true difference, by numerical likelihood."""

    def loss(share):
        p_better, p_worse = share, share + difference
        same = 1 - p_better - p_worse
        parts = ((worse, p_worse), (better, p_better), (pairs - worse - better, same))
        return -sum(n * np.log(max(p, 1e-300)) for n, p in parts if n)

    low, high = max(0, -difference), (1 - difference) / 2
    best = optimize.minimize_scalar(
        loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x
    spread = sqrt((2 * best + difference - difference**2) * pairs)
    return (worse - better - pairs * difference) / spread


@pytest.mark.parametrize(
    ("worse", "better", "pairs"),
    [(5, 2, 40), (9, 4, 80), (30, 10, 200), (1, 7, 60), (12, 12, 50)],
)
def test_edges_of_flips_are_where_the_score_meets_the_normal_quantile(
    worse, better, pairs
):
    low, high = drop(flips(worse, better, pairs - worse - better), binary=True).interval
    z = stats.norm.ppf(CONFIDENCE)

    assert constrained(worse, better, pairs, low) == pytest.approx(z, abs=1e-4)
    assert constrained(worse, better, pairs, high) == pytest.approx(-z, abs=1e-4)


def test_few_that_moved_are_tested_over_every_pattern_of_signs():
    values = [0.5, 0.25, 0.2, -0.1, 1.0, 0.4, 0.3]
    theirs = stats.permutation_test(
        (np.array(values),),
        np.sum,
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    ).pvalue

    assert drop([*values, 0.0, 0.0], binary=False).p == pytest.approx(theirs)


@pytest.mark.parametrize("worse", [1, 2, 3, 4])
def test_four_cases_that_got_worse_may_be_chance(worse):
    assert not drop(flips(worse, 0, 80), binary=True).exceeds(0)


def test_five_one_way_are_not():
    assert drop(flips(5, 0, 75), binary=True).exceeds(0)


def test_a_drop_must_exceed_what_is_allowed_and_not_only_zero():
    found = drop(flips(14, 4, 182), binary=True)

    assert found.mean == pytest.approx(0.05)
    assert found.exceeds(0)
    assert not found.exceeds(0.04)


def test_nothing_moved_is_no_drop_and_leaves_room_for_one():
    found = drop([0.0] * 40, binary=False)

    assert (found.mean, found.p) == (0, 1)
    assert found.interval[0] < 0 < found.interval[1]


def test_what_got_better_never_exceeds():
    assert not drop([-0.5] * 30, binary=False).exceeds(0)


def test_a_detectable_drop_is_found_with_the_power_that_is_promised():
    pairs, discordance = 400, 0.2
    least = detectable(sqrt(discordance), pairs)
    rng = Random(8)

    def sample():
        for _ in range(pairs):
            at = rng.random()
            worse = (discordance + least) / 2
            yield 1.0 if at < worse else -1.0 if at < discordance else 0.0

    runs = 400
    found = sum(drop(list(sample()), binary=True).exceeds(0) for _ in range(runs))

    assert found / runs == pytest.approx(0.8, abs=0.06)


def test_six_flips_are_needed_whatever_the_spread():
    assert detectable(0.0, 80) == pytest.approx(6 / 80)


def test_only_zeros_and_ones_are_binary():
    assert is_binary([0.0, 1.0, 1])
    assert not is_binary([0.0, 0.5])

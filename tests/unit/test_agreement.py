"""Kappa and its interval agree with a second way to them; what is undefined says so."""

from math import sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runner.agreement import Contingency, auroc, tally

TABLES = st.builds(Contingency, *[st.integers(0, 200)] * 4)


def test_kappa_worked_by_hand():
    # 35 of 50 alike; by chance 25 * 30 + 25 * 20 of 2500, which is one half.
    assert Contingency(20, 5, 10, 15).kappa == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        pytest.param(Contingency(30, 0, 0, 20), 1.0, id="always alike"),
        pytest.param(Contingency(0, 25, 25, 0), -1.0, id="never alike"),
        pytest.param(
            Contingency(45, 15, 25, 15), 0.13043478260869, id="60 of 100 alike"
        ),
        pytest.param(
            Contingency(25, 35, 5, 35), 0.25925925925925, id="60, other habits"
        ),
        pytest.param(Contingency(40, 10, 0, 0), 0.0, id="one never says bad"),
        pytest.param(Contingency(50, 0, 0, 0), None, id="all good by both"),
        pytest.param(Contingency(0, 0, 0, 50), None, id="all bad by both"),
        pytest.param(Contingency(), None, id="no item"),
    ],
)
def test_kappa(table, kappa):
    assert table.kappa == (kappa if kappa is None else pytest.approx(kappa))
    assert (table.interval is None) == (kappa is None)


def kappa_of_labels(one, other):
    """Kappa as observed and expected agreement of two lists of labels."""
    alike = np.mean(one == other)
    chance = sum(np.mean(one == c) * np.mean(other == c) for c in (False, True))
    return (alike - chance) / (1 - chance)


@given(TABLES)
def test_kappa_is_that_of_two_lists_of_labels(table):
    one, other = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0).T
    if table.kappa is None:
        assert len(set(one) | set(other)) <= 1
    else:
        assert table.kappa == pytest.approx(kappa_of_labels(one, other), abs=1e-12)


def delta_method(cells):
    """Kappa's standard error from the covariance of the cells and its slopes."""
    total = sum(cells)
    shares = np.array(cells) / total

    def kappa(p):
        alike, one, two = p[0] + p[3], p[0] + p[1], p[0] + p[2]
        rest = p.sum() - one, p.sum() - two
        chance = one * two + rest[0] * rest[1]
        return (alike - chance) / (1 - chance)

    step = 1e-6
    slopes = np.array(
        [(kappa(shares + d) - kappa(shares - d)) / (2 * step) for d in np.eye(4) * step]
    )
    covariance = (np.diag(shares) - np.outer(shares, shares)) / total
    return kappa(shares), sqrt(max(0, slopes @ covariance @ slopes))


@pytest.mark.parametrize(
    "table",
    [
        Contingency(40, 6, 9, 45),
        Contingency(70, 20, 3, 7),
        Contingency(12, 8, 9, 21),
        Contingency(900, 50, 30, 20),
    ],
)
def test_the_interval_is_that_of_the_delta_method(table):
    kappa, error = delta_method([cell + 0.5 for cell in table])
    theirs = stats.norm.interval(0.95, kappa, error)

    assert table.interval == pytest.approx(theirs, abs=1e-7)


@given(TABLES)
def test_an_interval_holds_kappa_and_stays_in_range(table):
    if table.interval:
        low, high = table.interval
        assert -1 <= low <= table.kappa <= high <= 1
        assert low < high


@given(TABLES)
def test_it_makes_no_difference_who_is_first_or_what_is_good(table):
    good_first, first, second, bad = table
    other = Contingency(good_first, second, first, bad)
    turned = Contingency(bad, first, second, good_first)

    for same in (other, turned):
        assert same.kappa == pytest.approx(table.kappa) or table.kappa is None
        assert same.interval == pytest.approx(table.interval) or table.kappa is None


def test_perfect_agreement_on_few_items_is_not_certain():
    low, high = Contingency(5, 0, 0, 5).interval

    assert low < 0.6
    assert high == 1


@pytest.mark.parametrize("kappa", [0.2, 0.6, 0.8, 0.95])
@pytest.mark.parametrize("good", [0.5, 0.8])
@pytest.mark.parametrize("labels", [50, 200])
def test_the_interval_holds_the_true_kappa_as_often_as_it_says(kappa, good, labels):
    apart = good * (1 - good) * (1 - kappa)
    shares = [good - apart, apart, apart, 1 - good - apart]
    drawn = np.random.default_rng(3).multinomial(labels, shares, size=2_000)
    edges = [Contingency(*map(int, cells)).interval for cells in drawn]

    held = np.mean([low <= kappa <= high for low, high in edges])

    assert held > 0.92


def test_the_plain_interval_does_not_where_raters_hardly_ever_differ():
    shares = [0.792, 0.008, 0.008, 0.192]  # kappa 0.95, four good of five
    drawn = np.random.default_rng(7).multinomial(100, shares, size=1_000)
    plain = (delta_method(cells) for cells in drawn)

    held = np.mean([abs(kappa - 0.95) <= 1.96 * error for kappa, error in plain])

    assert 0.77 < held < 0.85


def test_a_tally_counts_pairs():
    pairs = [(True, True)] * 4 + [(True, False)] * 3 + [(False, True)] * 2
    pairs += [(False, False)]

    assert tally(pairs) == Contingency(4, 3, 2, 1)
    assert tally([]).share is None


def test_auroc_is_that_of_mann_and_whitney():
    rng = Random(5)
    good = [rng.random() < 0.6 for _ in range(300)]
    scores = [round(rng.gauss(0.6 if is_good else 0.4, 0.2), 1) for is_good in good]
    above = [s for s, is_good in zip(scores, good, strict=True) if is_good]
    below = [s for s, is_good in zip(scores, good, strict=True) if not is_good]
    theirs = stats.mannwhitneyu(above, below).statistic / (len(above) * len(below))

    assert auroc(scores, good) == pytest.approx(theirs, abs=1e-12)


def test_auroc_needs_both_kinds():
    assert auroc([0.1, 0.9], [True, True]) is None
    assert auroc([], []) is None

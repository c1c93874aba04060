"""The page on calibration tells what so many labels give, as it is computed."""

import re
from pathlib import Path
from random import Random

import pytest

from bench.kappa import GOOD, KAPPAS, SIZES, expected, held, let_through

PAGE = (Path(__file__).parents[2] / "docs/calibration.md").read_text("utf-8")


def rows(head):
    """Give the rows of the table that follows a sentence."""
    table = PAGE.partition(head)[2].partition("\n\n| labels")[2].partition("\n\n")[0]
    found = [re.split(r" ?\| ?", row)[1:-1] for row in table.splitlines()[2:]]
    assert found
    return found


@pytest.mark.parametrize(
    ("good", "head"),
    [(0.5, "with as many good as bad"), (0.8, "With four good of five")],
)
def test_the_intervals_of_the_page_are_those_of_the_code(good, head):
    computed = [
        [str(size)]
        + [
            "{:.2f} to {:.2f}".format(*expected(size, kappa, good).interval)
            for kappa in KAPPAS
        ]
        for size in SIZES
    ]

    assert rows(head) == computed


def test_the_page_tells_how_often_a_judge_is_let_through():
    told = rows("How often a judge of a true kappa may decide")

    assert len(told) == len(SIZES) * len(GOOD)
    for size, good, *shares in told[:: len(GOOD)]:
        for kappa, share in zip(KAPPAS, shares, strict=True):
            found = let_through(int(size), kappa, float(good), 300, Random(3))
            assert found == pytest.approx(float(share.rstrip(" %")) / 100, abs=0.09)


@pytest.mark.parametrize("size", SIZES)
def test_the_interval_holds_as_often_as_the_page_says(size):
    for kappa in KAPPAS:
        assert held(size, kappa, 0.7, 400, Random(5)) > 0.91

"""A confident gate rarely cries wolf, and finds what is there; seeded simulations."""

from random import Random

import pytest

from bench.gates import alarms

RUNS = 300


@pytest.mark.parametrize("size", [40, 80, 200])
@pytest.mark.parametrize("discordance", [0.05, 0.3])
def test_where_nothing_changed_it_fails_in_at_most_one_run_of_twenty(size, discordance):
    found = alarms(size, discordance, 0.0, RUNS, Random(3))

    assert found.confident <= 0.05
    assert found.plain > 0.3


def test_ten_points_among_two_hundred_cases_are_found():
    found = alarms(200, 0.2, 0.1, RUNS, Random(3))

    assert found.confident >= 0.9

"""Seeded faults are charged to what they broke, on data that others labelled."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.contract._attribution import alarms, attribute, judge
from tests.contract._labelled import collections, mtrag_right
from tests.contract._seeded import FAULTS

RIGHT = 0.95  # of the newly failing cases, charged to a cause of the fault
HARDER = {"make-up": 0.9}  # words of the passages' own subject can be anybody's
WORST = 0.88  # in any one collection
LEAST = 10  # newly failing cases, so that a share says something
QUIET = 0.08  # of the right answers, charged something that they have not


@pytest.fixture(scope="module")
def labelled(shared):
    return collections(shared)


@pytest.fixture(scope="module")
def healthy(labelled):
    return {name: judge(pairs) for name, pairs in labelled.items()}


@pytest.fixture(scope="module")
def tallies(labelled, healthy):
    """Give what each fault is charged to in each collection."""
    return {
        (name, fault): attribute(pairs, healthy[name], fault)
        for name, pairs in labelled.items()
        for fault in FAULTS
    }


def test_the_collections_are_large_enough_to_tell(labelled):
    sizes = [sum(bool(p.points) for p in pairs) for pairs in labelled.values()]

    assert min(sizes) >= 40


def test_what_people_called_right_passes(healthy):
    outcomes = Counter(r.outcome for found in healthy.values() for r in found.values())

    assert set(outcomes) == {"passed"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_is_charged_to_its_cause(tallies, fault):
    mine = [tally for (_, name), tally in tallies.items() if name == fault]
    failing = sum(tally.failing for tally in mine)
    right = sum(tally.right for tally in mine)
    wrong = [case for tally in mine for case in tally.wrong]

    assert failing >= LEAST
    assert right >= HARDER.get(fault, RIGHT) * failing, wrong


def test_no_language_and_no_ranking_is_charged_much_worse(tallies):
    shares = {
        key: tally.right / tally.failing
        for key, tally in tallies.items()
        if tally.failing >= LEAST
    }

    assert {key: share for key, share in shares.items() if share < WORST} == {}


def test_right_answers_are_seldom_charged_what_they_have_not(shared, labelled):
    right = list(mtrag_right(shared / "data/runs/mtrag_en.jsonl"))
    others = [p for name in labelled if name != "mtrag-en" for p in labelled[name]]
    extracted = [p for p in others if p.points]

    assert sum(alarms(right).values()) <= QUIET * len(right)
    assert sum(alarms(extracted).values()) <= QUIET * len(extracted)

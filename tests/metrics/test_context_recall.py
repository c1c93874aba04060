from fractions import Fraction
from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics.context_recall import context_recall
from runner.model import Absent, Passage, Unrated

TEN, NOTICE = "年假 10 天。", "Ask three days before."
PASSAGES = (Passage(text=TEN), Passage(text=NOTICE), Passage(text="Lunch is free."))
JUDGE = Scripted(
    claims={
        "ten days": ["ten days"],
        "ten days, asked for three days before": ["ten days", "three days before"],
        "ten days, and a bonus": ["ten days", "a bonus"],
        "a bonus": ["a bonus"],
        "see above": [],
    },
    support={"ten days": [TEN], "three days before": [NOTICE], "a bonus": []},
)


@pytest.mark.parametrize(
    ("reference", "passages", "expected"),
    [
        pytest.param("ten days", PASSAGES, 1.0, id="one of one"),
        pytest.param(
            "ten days, asked for three days before", PASSAGES, 1.0, id="two of two"
        ),
        pytest.param(
            "ten days, asked for three days before", PASSAGES[:1], 0.5, id="one of two"
        ),
        pytest.param("ten days, and a bonus", PASSAGES, 0.5, id="one nowhere"),
        pytest.param("a bonus", PASSAGES, 0.0, id="none of one"),
        pytest.param("ten days", PASSAGES[::-1], 1.0, id="whatever the rank"),
        pytest.param("ten days", (), 0.0, id="nothing retrieved"),
        pytest.param("ten days", (Passage(text=""),), 0.0, id="an empty passage"),
    ],
)
def test_share_of_the_reference_that_came(reference, passages, expected):
    assert context_recall("几天?", reference, passages, JUDGE) == expected


@pytest.mark.parametrize(
    ("reference", "passages", "why"),
    [
        pytest.param("see above", PASSAGES, "finds no claim", id="no claim"),
        pytest.param("ten days", (Passage("a"),), "no text", id="a passage of no text"),
    ],
)
def test_what_leaves_it_unscored(reference, passages, why):
    score = context_recall("几天?", reference, passages, JUDGE)

    assert isinstance(score, Absent)
    assert why in score.reason


def test_it_tells_what_did_not_come():
    told = context_recall("几天?", "ten days, and a bonus", PASSAGES, JUDGE)

    assert told.evidence == "'a bonus' of the reference is in no passage"


def test_it_is_exact_for_every_pattern_of_up_to_five_claims():
    for size in range(1, 6):
        for held in product([False, True], repeat=size):
            names = [f"claim {n}" for n in range(size)]
            judge = Scripted(
                claims={"all": names},
                support={
                    name: [TEN] * came for name, came in zip(names, held, strict=True)
                },
            )
            exact = Fraction(sum(held), size)

            assert context_recall("?", "all", PASSAGES, judge) == pytest.approx(
                float(exact), abs=1e-12
            )


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no claims of 'unknown'"):
        context_recall("几天?", "unknown", PASSAGES, JUDGE)

from fractions import Fraction
from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics.faithfulness import faithfulness
from runner.model import Absent, Passage, Unrated

PRICE, TERM = "产品 A 的价格是 299 元。", "支持 7 天退换货。"
PASSAGES = (Passage(id="d#1", text=PRICE), Passage(id="d#2", text=TERM))
JUDGE = Scripted(
    claims={
        "all": ["costs 299", "7 days to return"],
        "most": ["costs 299", "7 days to return", "two years of warranty"],
        "none": ["two years of warranty"],
        "both at once": ["299, and 7 days to return"],
        "twice": ["costs 299", "costs 299 ", "two years of warranty"],
        "politeness": [],
    },
    support={
        "costs 299": [PRICE],
        "7 days to return": [TERM],
        "299, and 7 days to return": [PRICE, TERM],
        "two years of warranty": [],
    },
)


@pytest.mark.parametrize(
    ("answer", "passages", "expected"),
    [
        pytest.param("all", PASSAGES, 1.0, id="two of two"),
        pytest.param("most", PASSAGES, 2 / 3, id="two of three"),
        pytest.param("none", PASSAGES, 0.0, id="none of one"),
        pytest.param("both at once", PASSAGES, 1.0, id="from two passages together"),
        pytest.param("all", PASSAGES[:1], 0.5, id="the passage of one did not come"),
        pytest.param("twice", PASSAGES, 0.5, id="a claim made twice counts once"),
    ],
)
def test_share_of_the_claims_that_follow_from_the_passages(answer, passages, expected):
    assert faithfulness("问?", answer, passages, JUDGE) == pytest.approx(expected)


@pytest.mark.parametrize("passages", [(), (Passage(text=""),)])
def test_nothing_retrieved_bears_nothing_out(passages):
    assert faithfulness("问?", "all", passages, JUDGE) == 0.0


@pytest.mark.parametrize(
    ("answer", "passages", "why"),
    [
        pytest.param("politeness", PASSAGES, "finds no claim", id="no claim"),
        pytest.param("all", (Passage(id="d#1"),), "no text", id="a passage of no text"),
    ],
)
def test_what_leaves_it_unscored(answer, passages, why):
    score = faithfulness("问?", answer, passages, JUDGE)

    assert isinstance(score, Absent)
    assert why in score.reason


class Counting(Scripted):
    """Notes how many claims it is asked about at once."""

    def rate(self, task, /, **texts):
        if task.name == "support":
            self.asked = [*getattr(self, "asked", []), len(texts["claims"])]
        return super().rate(task, **texts)


def test_many_claims_are_rated_in_several_questions():
    names = [f"claim {n}" for n in range(60)]
    support = {name: [PRICE] * (n >= 6) for n, name in enumerate(names)}
    judge = Counting(claims={"all": names}, support=support)

    found = faithfulness("?", "all", PASSAGES, judge)

    assert (found, found.evidence) == (0.9, "'claim 0' follows from no passage")
    assert judge.asked == [25, 25, 10]


def test_it_tells_the_first_claim_that_nothing_bears_out():
    told = faithfulness("问?", "most", PASSAGES, JUDGE)

    assert told.evidence == "'two years of warranty' follows from no passage"


def test_what_it_tells_of_a_long_claim_is_short_and_has_both_ends():
    long = "two years of " * 100 + "warranty"
    judge = Scripted(claims={"all": [long]}, support={long: []})

    told = faithfulness("问?", "all", PASSAGES, judge).evidence

    assert len(told) == 300
    assert told.startswith("'two years of")
    assert told.endswith("warranty' follows from no passage")


def test_it_is_exact_for_every_pattern_of_up_to_five_claims():
    for size in range(1, 6):
        for held in product([False, True], repeat=size):
            names = [f"claim {n}" for n in range(size)]
            support = {n: [PRICE] * came for n, came in zip(names, held, strict=True)}
            judge = Scripted(claims={"all": names}, support=support)
            exact = Fraction(sum(held), size)

            found = faithfulness("?", "all", PASSAGES, judge)
            assert found == pytest.approx(float(exact), abs=1e-12)


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no claims of 'unknown'"):
        faithfulness("问?", "unknown", PASSAGES, JUDGE)

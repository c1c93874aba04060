from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics.intent_completion import intent_completion
from runner.model import Explained, Unrated

STATUS = {"+": "complete", "~": "partial", "0": "missing"}


def score(signs):
    intents = tuple(f"第 {n} 件事" for n in range(len(signs)))
    judge = Scripted(
        intents={i: STATUS[s] for i, s in zip(intents, signs, strict=True)}
    )
    return intent_completion("问?", "一段回答", intents, judge)


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        pytest.param("+", 1.0, id="the one that there is"),
        pytest.param("0", 0.0, id="not"),
        pytest.param("~", 0.0, id="a part is not the whole"),
        pytest.param("++00", 0.5, id="two of four"),
        pytest.param("+~~0", 0.25, id="one whole of four"),
        pytest.param("++++", 1.0, id="all of four"),
    ],
)
def test_share_of_the_intents_that_are_settled_completely(signs, expected):
    assert score(signs) == expected


@pytest.mark.parametrize(
    ("signs", "evidence"),
    [
        ("+~0", "'第 1 件事' is only in part answered"),
        ("+0~", "'第 1 件事' is not answered"),
    ],
)
def test_it_tells_the_first_that_is_left(signs, evidence):
    assert score(signs).evidence == evidence


def test_it_is_a_plain_share_for_every_pattern():
    for size in range(1, 6):
        for signs in product("+~0", repeat=size):
            assert score(signs) == pytest.approx(signs.count("+") / size)


def test_a_full_score_needs_no_evidence():
    assert not isinstance(score("++"), Explained)


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no intents of"):
        intent_completion("问?", "一段回答", ("一件事",), Scripted())

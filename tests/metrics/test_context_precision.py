from fractions import Fraction
from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics._ranking import rank
from runner.metrics.context_precision import context_precision
from runner.metrics.map import map as average_precision
from runner.model import Passage, Unrated, Unscored


def passages(useful):
    """Give passages of which ``+`` are of use: ``+-+``."""
    return tuple(Passage(id=str(n), text=f"{n}{sign}") for n, sign in enumerate(useful))


def judge(useful):
    return Scripted(usefulness={p.text: "+" in p.text for p in passages(useful)})


@pytest.mark.parametrize(
    ("useful", "expected"),
    [
        pytest.param("+", 1.0, id="one of one"),
        pytest.param("-", 0.0, id="none of one"),
        pytest.param("++", 1.0, id="all"),
        pytest.param("+-", 1.0, id="first"),
        pytest.param("+---------", 1.0, id="first of ten"),
        pytest.param("-+", 1 / 2, id="second"),
        pytest.param("--+", 1 / 3, id="third"),
        pytest.param("+-+", (1 + 2 / 3) / 2, id="first and third"),
        pytest.param("-++", (1 / 2 + 2 / 3) / 2, id="second and third"),
        pytest.param("--++-", (1 / 3 + 1 / 2) / 2, id="third and fourth of five"),
        pytest.param("---", 0.0, id="none of three"),
    ],
)
def test_the_mean_of_precision_at_each_useful_passage(useful, expected):
    score = context_precision("Q?", "R", passages(useful), judge(useful))

    assert score == pytest.approx(expected)


def test_many_passages_are_rated_in_several_questions():
    useful = "-" * 29 + "+"

    score = context_precision("Q?", "R", passages(useful), judge(useful))

    assert score == pytest.approx(1 / 30)


@pytest.mark.parametrize("came", [(), (Passage(text=""),)])
def test_nothing_retrieved_is_zero(came):
    assert context_precision("Q?", "R", came, Scripted()) == 0.0


def test_a_passage_without_text_leaves_it_unscored():
    score = context_precision("Q?", "R", (Passage(id="a"),), Scripted())

    assert isinstance(score, Unscored)
    assert "no text" in score.reason


@pytest.mark.parametrize(
    ("useful", "evidence"),
    [
        ("--", "0 of 2 passages are of use"),
        ("-+", "the best passage of use ranks 2"),
        ("+-+", "2 of 3 passages are of use"),
    ],
)
def test_it_tells_where_the_useful_ones_stand(useful, evidence):
    told = context_precision("Q?", "R", passages(useful), judge(useful))

    assert told.evidence == evidence


def test_it_is_average_precision_over_what_came():
    for size in range(1, 8):
        for useful in product("+-", repeat=size):
            came = passages(useful)
            score = context_precision("Q?", "R", came, judge(useful))
            labels = {p.id: 1 for p in came if "+" in p.text}

            assert score == pytest.approx(float(worked(useful)), abs=1e-12)
            if labels:
                assert score == pytest.approx(average_precision(rank(came, labels)))


def worked(useful):
    """Give the definition in fractions, each rank counted anew."""
    hits = [n for n, sign in enumerate(useful, 1) if sign == "+"]
    return sum(Fraction(useful[:n].count("+"), n) for n in hits) / Fraction(
        max(len(hits), 1)
    )


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no usefulness of '0-'"):
        context_precision("Q?", "R", passages("-"), Scripted())

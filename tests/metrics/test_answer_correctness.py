from fractions import Fraction
from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics.answer_correctness import answer_correctness
from runner.model import Absent, Unrated


def score(answer, reference):
    """Hold claims against claims: ``a b`` claims a and b, and bears both out."""
    claimed = {text: text.split() for text in (answer, reference)}
    bearing = {
        claim: [text for text, made in claimed.items() if claim in made]
        for claim in (*claimed[answer], *claimed[reference])
    }
    judge = Scripted(claims=claimed, support=bearing)
    return answer_correctness("Q?", answer, reference, judge)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        pytest.param("a", "a", 1.0, id="the same"),
        pytest.param("b a", "a b", 1.0, id="in another order"),
        pytest.param("a", "b", 0.0, id="nothing in common"),
        pytest.param("a b", "a c", 0.5, id="one right, one wrong, one missing"),
        pytest.param("a", "a b", 2 / 3, id="one of two"),
        pytest.param("a b", "a", 2 / 3, id="one too many"),
        pytest.param("a b c d", "a", 2 / 5, id="three too many"),
        pytest.param("a", "a b c d", 2 / 5, id="three missing"),
        pytest.param("a b c", "b c d", 2 / 3, id="two of three each"),
        pytest.param("十天 带薪", "十天", 2 / 3, id="Chinese"),
    ],
)
def test_harmonic_mean_of_both_shares(answer, reference, expected):
    assert score(answer, reference) == pytest.approx(expected)


def test_claims_of_another_grain_are_counted_each_in_its_own_text():
    judge = Scripted(
        claims={"ten paid days": ["ten paid days"], "R": ["ten days", "they are paid"]},
        support={
            "ten paid days": ["R"],
            "ten days": ["ten paid days"],
            "they are paid": ["ten paid days"],
        },
    )

    assert answer_correctness("Q?", "ten paid days", "R", judge) == 1.0


@pytest.mark.parametrize(
    ("answer", "reference", "who"),
    [(" ", "a", "answer"), ("a", " ", "reference"), (" ", "  ", "answer")],
)
def test_without_a_claim_on_either_side_it_is_unscored(answer, reference, who):
    assert score(answer, reference) == Absent(f"the judge finds no claim in the {who}")


@pytest.mark.parametrize(
    ("answer", "reference", "evidence"),
    [
        ("a", "a b", "'b' is not answered"),
        ("a b", "a", "'b' is not in the reference"),
        ("a", "b", "'b' is not answered"),
    ],
)
def test_it_tells_what_is_missing_or_too_many(answer, reference, evidence):
    assert score(answer, reference).evidence == evidence


def test_it_is_the_f1_of_claims_for_every_pattern():
    for said, wanted in product(subsets("abcd"), repeat=2):
        both = len({*said} & {*wanted})
        exact = Fraction(2 * both, len(said) + len(wanted))

        assert score(" ".join(said), " ".join(wanted)) == pytest.approx(float(exact))


def subsets(letters):
    for kept in product([False, True], repeat=len(letters)):
        if any(kept):
            yield [c for c, keep in zip(letters, kept, strict=True) if keep]


def test_a_judge_that_cannot_tell_gives_no_number():
    with pytest.raises(Unrated, match="no claims of 'a'"):
        answer_correctness("Q?", "a", "b", Scripted())

from math import inf, nan

import pytest

from runner.metrics import Scripted
from runner.metrics.answer_relevancy import answer_relevancy
from runner.model import Unrated, Unscored


def score(asked, *back, answer="an answer"):
    """Hold the vector of a question against those of the ones asked back."""
    names = [f"question {n}" for n in range(len(back))]
    judge = Scripted(
        questions={answer: names},
        vectors={"Q?": asked, **dict(zip(names, back, strict=True))},
    )
    return answer_relevancy("Q?", answer, judge)


@pytest.mark.parametrize(
    ("asked", "back", "expected"),
    [
        pytest.param((1, 0), [(1, 0)] * 3, 1.0, id="the same"),
        pytest.param((1, 0), [(0, 1)] * 3, 0.0, id="at right angles"),
        pytest.param((3, 4), [(6, 8)] * 3, 1.0, id="lengths do not count"),
        pytest.param((1, 0), [(3, 4)] * 3, 0.6, id="three fifths"),
        pytest.param((1, 0), [(1, 0), (0, 1), (3, 4)], 1.6 / 3, id="the mean of three"),
        pytest.param((1, 0), [(1, 0), (1, 0), (-1, 0)], 1 / 3, id="one is opposed"),
        pytest.param((1, 0), [(-1, 0)] * 3, 0.0, id="below 0 is 0"),
        pytest.param((0.1,) * 7, [(0.1,) * 7] * 3, 1.0, id="never above 1"),
    ],
)
def test_mean_cosine_with_the_questions_asked_back(asked, back, expected):
    found = score(asked, *back)

    assert found == pytest.approx(expected)
    assert 0 <= found <= 1


def test_an_answer_that_commits_itself_to_nothing_is_zero():
    assert score((1, 0)) == 0.0


@pytest.mark.parametrize("answer", ["", " ", "...", "！？"])
def test_an_answer_without_a_word_is_unscored(answer):
    assert score((1, 0), answer=answer) == Unscored("the answer has no word")


@pytest.mark.parametrize(
    ("asked", "back", "why"),
    [
        pytest.param((1, 0), [(1, 0)] * 2, "2 questions of the 3", id="too few"),
        pytest.param((1, 0), [(1, 0)] * 4, "4 questions of the 3", id="too many"),
        pytest.param((0, 0), [(1, 0)] * 3, "no direction", id="no length"),
        pytest.param((), [()] * 3, "no direction", id="empty"),
        pytest.param((1,), [(1, 0)] * 3, "no direction", id="another size"),
        pytest.param((nan, 0), [(1, 0)] * 3, "no direction", id="not a number"),
        pytest.param((1, 0), [(inf, 0)] * 3, "no direction", id="infinite"),
    ],
)
def test_what_gives_no_number(asked, back, why):
    with pytest.raises(Unrated, match=why):
        score(asked, *back)


def test_a_judge_without_embeddings_gives_no_number():
    judge = Scripted(questions={"an answer": ["one", "two", "three"]})

    with pytest.raises(Unrated, match="no vectors"):
        answer_relevancy("Q?", "an answer", judge)


def test_a_question_asked_back_twice_counts_once():
    judge = Scripted(questions={"an answer": ["one", "one ", "two"]})

    with pytest.raises(Unrated, match="2 questions of the 3"):
        answer_relevancy("Q?", "an answer", judge)

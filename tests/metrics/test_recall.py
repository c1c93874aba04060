import pytest

from runner.metrics.recall import recall

TEN = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10"


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a b c", "a b", None, 1.0, id="all found"),
        pytest.param("x a y", "a b", None, 0.5, id="half found"),
        pytest.param("x y", "a", None, 0.0, id="none found"),
        pytest.param("x a b", "a b", 2, 0.5, id="what comes below k does not count"),
        pytest.param("a b", "a b", 10, 1.0, id="k beyond the list"),
        pytest.param("a a a", "a b", None, 0.5, id="a repeated id counts once"),
        pytest.param("a a b", "a b", 2, 0.5, id="a repeated id keeps its position"),
        pytest.param("", "a b", 5, 0.0, id="nothing retrieved"),
        pytest.param(TEN, TEN, 5, 0.5, id="the ceiling: five of ten"),
        pytest.param("A", "a", None, 0.0, id="ids compare in their own case"),
    ],
)
def test_share_of_the_relevant_that_came(ranked, retrieved, relevant, k, expected):
    assert recall(ranked(retrieved, relevant), k=k) == expected


def test_grades_do_not_weigh(ranked):
    assert recall(ranked("a", {"a": 3, "b": 1}), k=1) == 0.5


def test_a_document_judged_irrelevant_is_not_missed(ranked):
    assert recall(ranked("a x", {"a": 1, "b": 0}), k=2) == 1.0


def test_two_chunks_of_one_document_count_once(ranked):
    both = ranked("d#1 d#2 e#1", "d e", "document")

    assert [recall(both, k=2), recall(both, k=3)] == [0.5, 1.0]

import pytest

from runner.metrics.precision import precision


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a b", "a b", 2, 1.0, id="all relevant"),
        pytest.param("a x y z", "a b", 4, 0.25, id="one of four"),
        pytest.param("a", "a", 5, 0.2, id="the denominator is k when fewer came"),
        pytest.param("a", "a", None, 1.0, id="without k it is the number that came"),
        pytest.param("x y", "a", 2, 0.0, id="none"),
        pytest.param("", "a", 5, 0.0, id="nothing retrieved"),
        pytest.param("", "a", None, 0.0, id="nothing retrieved, no k"),
        pytest.param("a a", "a", 2, 0.5, id="a repeated id gains nothing"),
        pytest.param("x a b", "a b", 2, 0.5, id="what comes below k does not count"),
    ],
)
def test_share_of_the_ranks_that_are_relevant(ranked, retrieved, relevant, k, expected):
    assert precision(ranked(retrieved, relevant), k=k) == expected


def test_passages_of_a_relevant_document_each_count(ranked):
    assert precision(ranked("d#1 d#2 x#1 y#1", "d", "document")) == 0.5

import pytest

from runner.metrics.context_relevance import context_relevance


@pytest.mark.parametrize(
    ("retrieved", "relevant", "expected"),
    [
        pytest.param("a b", "a b c", 1.0, id="no noise"),
        pytest.param("a x y z", "a", 0.25, id="three of noise"),
        pytest.param("x", "a", 0.0, id="only noise"),
        pytest.param("a a", "a", 0.5, id="a repeated id is noise"),
        pytest.param("", "a", 0.0, id="nothing retrieved"),
    ],
)
def test_share_of_the_passages_that_are_relevant(ranked, retrieved, relevant, expected):
    assert context_relevance(ranked(retrieved, relevant)) == expected


def test_passages_of_a_relevant_document_each_count(ranked):
    assert context_relevance(ranked("d#1 d#2 x#1 x#2", "d", "document")) == 0.5

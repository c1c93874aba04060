import pytest

from runner.metrics.mrr import mrr


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a x y z w", "a", None, 1.0, id="first"),
        pytest.param("x a y z w", "a", None, 0.5, id="second"),
        pytest.param("x y z w a", "a", None, 0.2, id="fifth"),
        pytest.param("x y z w a", "a", 4, 0.0, id="just below k"),
        pytest.param("x b a", "a b", None, 0.5, id="only the first relevant counts"),
        pytest.param("x x x a", "a", None, 0.25, id="ranks are never compressed"),
        pytest.param("x", "a", None, 0.0, id="none"),
        pytest.param("", "a", None, 0.0, id="nothing retrieved"),
    ],
)
def test_reciprocal_of_the_first_relevant_rank(
    ranked, retrieved, relevant, k, expected
):
    assert mrr(ranked(retrieved, relevant), k=k) == expected

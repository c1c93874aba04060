import pytest

from runner.metrics.hit_rate import hit_rate


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a", "a b", None, 1.0, id="one is enough"),
        pytest.param("x a", "a", 2, 1.0, id="on the last rank that counts"),
        pytest.param("x a", "a", 1, 0.0, id="just below k"),
        pytest.param("x y", "a", None, 0.0, id="none"),
        pytest.param("", "a", 3, 0.0, id="nothing retrieved"),
    ],
)
def test_whether_any_relevant_came(ranked, retrieved, relevant, k, expected):
    assert hit_rate(ranked(retrieved, relevant), k=k) == expected

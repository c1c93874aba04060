import pytest

from runner.metrics.map import map as average_precision


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a b", "a b", None, 1.0, id="the best order"),
        pytest.param("a x b", "a b", None, (1 / 1 + 2 / 3) / 2, id="a gap"),
        pytest.param("x y a", "a", None, 1 / 3, id="late"),
        pytest.param("a", "a b c d", None, 0.25, id="over all relevant, not the found"),
        pytest.param("a x b", "a b", 2, 0.5, id="cut at k"),
        pytest.param("a a b", "a b", None, (1 + 2 / 3) / 2, id="a repeated id"),
        pytest.param("x", "a", None, 0.0, id="none"),
        pytest.param("", "a", None, 0.0, id="nothing retrieved"),
    ],
)
def test_mean_precision_at_each_relevant(ranked, retrieved, relevant, k, expected):
    found = average_precision(ranked(retrieved, relevant), k=k)

    assert found == pytest.approx(expected, abs=1e-12)

from math import log2

import pytest

from runner.metrics.ndcg import ndcg

GRADED = {"a": 3, "b": 2, "c": 1}
BEST = 3 + 2 / log2(3) + 1 / 2


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        pytest.param("a b c", GRADED, None, 1.0, id="the best order"),
        pytest.param("c b a", GRADED, None, 3.7618595071429146 / BEST, id="the worst"),
        pytest.param("x a", {"a": 1}, None, 1 / log2(3), id="second of two"),
        pytest.param("x a", {"a": 3}, None, 1 / log2(3), id="a lone grade cancels out"),
        pytest.param(
            "a x", GRADED, None, 3 / BEST, id="the ideal is over all relevant"
        ),
        pytest.param("b", GRADED, 1, 2 / 3, id="the ideal is cut at k"),
        pytest.param("x a", GRADED, 1, 0.0, id="just below k"),
        pytest.param("a a", GRADED, 2, 3 / (3 + 2 / log2(3)), id="a repeated id"),
        pytest.param("x", GRADED, None, 0.0, id="none"),
        pytest.param("", GRADED, 5, 0.0, id="nothing retrieved"),
    ],
)
def test_share_of_the_best_discounted_gain(ranked, retrieved, relevant, k, expected):
    found = ndcg(ranked(retrieved, relevant), k=k)

    assert found == pytest.approx(expected, abs=1e-12)


def test_a_list_of_five_thousand_is_discounted_to_its_end(ranked):
    late = " ".join(f"x{position}" for position in range(4999)) + " a"

    assert ndcg(ranked(late, "a")) == pytest.approx(1 / log2(5001), abs=1e-12)

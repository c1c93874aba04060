import pytest

from runner.metrics.cost import cost
from runner.model import Absent, Unscored

USED = {"input_tokens": 2_000, "output_tokens": 500}


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param({"cost": 0.02}, id="cost"),
        pytest.param({"total_cost": 0.02}, id="total_cost"),
        pytest.param({"totalCost": 0.02}, id="camel case"),
        pytest.param({"total_price": "0.02"}, id="Dify"),
        pytest.param({"usage": {"cost": 0.02}}, id="nested"),
    ],
)
def test_as_the_reply_states(usage):
    assert cost(usage) == 0.02


def test_tokens_at_the_prices_of_the_spec():
    assert cost(USED, input_per_million=3, output_per_million=15) == 0.0135


def test_prices_of_the_spec_go_before_a_stated_cost():
    usage = USED | {"cost": 99}

    assert cost(usage, input_per_million=3, output_per_million=15) == 0.0135


def test_what_no_reply_can_have_used_is_no_amount():
    usage = {"input_tokens": 0, "output_tokens": 1.2e307}
    found = cost(usage, input_per_million=3, output_per_million=15)

    assert found == Absent("the reply states no input and output tokens")


def test_a_price_of_nothing_is_a_price():
    assert cost(USED, input_per_million=3, output_per_million=0) == 0.006


@pytest.mark.parametrize(
    ("usage", "prices", "reason"),
    [
        pytest.param(USED, {}, "the reply states no cost", id="no cost"),
        pytest.param(
            {"total_tokens": 9},
            {"input_per_million": 3, "output_per_million": 15},
            "the reply states no input and output tokens",
            id="a total has no one price",
        ),
        pytest.param(
            USED | {"cost": 1},
            {"input_per_million": 3},
            "one of the two prices is not given",
            id="half a price list",
        ),
    ],
)
def test_what_cannot_be_priced_is_unscored(usage, prices, reason):
    assert cost(usage, **prices) == Unscored(reason)

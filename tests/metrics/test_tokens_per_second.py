"""How fast an answer grows, by hand, and where nothing can be said."""

import pytest

from runner.metrics.tokens_per_second import tokens_per_second
from runner.model import Absent, Unscored


@pytest.mark.parametrize(
    ("usage", "latency", "first", "expected"),
    [
        pytest.param({"completion_tokens": 101}, 2.5, 0.5, 50.0, id="OpenAI"),
        pytest.param({"outputTokens": 21}, 1.0, 0.0, 20.0, id="Bedrock"),
        pytest.param({"eval_count": 3}, 5.0, 1.0, 0.5, id="a slow one"),
        pytest.param({"output": "11"}, 1.2, 0.2, 10.0, id="a number in a string"),
        pytest.param(
            {"input_tokens": 900, "output_tokens": 41}, 3.0, 1.0, 20.0, id="input apart"
        ),
        pytest.param(
            {
                "completion_tokens": 501,
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            7.0,
            5.0,
            50.0,
            id="reasoning that is stated",
        ),
        pytest.param(
            {"output_tokens": 21, "output_tokens_details": {"reasoning_tokens": None}},
            2.0,
            1.0,
            20.0,
            id="no reasoning",
        ),
        pytest.param({"output": 10_001}, 2.0, 1.0, 10_000.0, id="the fastest there is"),
    ],
)
def test_tokens_but_for_the_first_by_the_time_after_it(usage, latency, first, expected):
    assert tokens_per_second(usage, latency, first) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("usage", "latency", "first", "kind", "reason"),
    [
        ({}, 2.0, 1.0, Absent, "the reply states no output tokens"),
        ({"total_tokens": 900}, 2.0, 1.0, Absent, "the reply states no output tokens"),
        ({"output": -5}, 2.0, 1.0, Absent, "the reply states no output tokens"),
        ({"output": 1}, 2.0, 1.0, Unscored, "the answer has fewer than two tokens"),
        ({"output": 0}, 2.0, 1.0, Unscored, "the answer has fewer than two tokens"),
        ({"output": 50}, 2.0, 2.0, Absent, "the answer came in one piece"),
        ({"output": 50}, 2.0, 1.9999, Absent, "the answer came in one piece"),
        ({"output": 50}, 2.0, 2.1, Absent, "the answer came in one piece"),
    ],
)
def test_what_cannot_be_told_has_a_reason(usage, latency, first, kind, reason):
    found = tokens_per_second(usage, latency, first)

    assert found == Unscored(reason)
    assert type(found) is kind

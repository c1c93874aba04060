import pytest

from runner.metrics.tokens import tokens
from runner.model import Unscored


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param({"total_tokens": 7}, 7.0, id="total"),
        pytest.param({"totalTokens": 7}, 7.0, id="camel case"),
        pytest.param({"prompt_tokens": 5, "completion_tokens": 2}, 7.0, id="OpenAI"),
        pytest.param({"input_tokens": 5, "output_tokens": 2}, 7.0, id="Anthropic"),
        pytest.param({"inputTokens": 5, "outputTokens": 2}, 7.0, id="Bedrock"),
        pytest.param(
            {"promptTokenCount": 5, "candidatesTokenCount": 2}, 7.0, id="Gemini"
        ),
        pytest.param(
            {"prompt_eval_count": 5, "eval_count": 2}, 7.0, id="Ollama's counts"
        ),
        pytest.param(
            {"total_tokens": 9, "input_tokens": 5, "output_tokens": 2},
            9.0,
            id="a stated total goes before the sum",
        ),
        pytest.param({"usage": {"total_tokens": 7}}, 7.0, id="nested"),
        pytest.param({"tokens": {"input": 5, "output": 2}}, 7.0, id="short, nested"),
        pytest.param({"total_tokens": "7"}, 7.0, id="a number in a string"),
        pytest.param({"total_tokens": 0}, 0.0, id="none used"),
        pytest.param(
            {"total_tokens": None, "input_tokens": 1, "output_tokens": 1},
            2.0,
            id="a total of null is absent",
        ),
    ],
)
def test_input_and_output_together(usage, expected):
    assert tokens(usage) == expected


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param({}, id="empty"),
        pytest.param({"input_tokens": 5}, id="half a count"),
        pytest.param({"total_tokens": True}, id="a flag"),
        pytest.param({"total_tokens": -1}, id="negative"),
        pytest.param({"total_tokens": float("nan")}, id="not a number"),
        pytest.param({"total_tokens": "many"}, id="a word"),
        pytest.param({"total_tokens": [7]}, id="a list"),
        pytest.param({"usage": "7"}, id="no mapping"),
        pytest.param({"total_tokens": 10**400}, id="beyond every float"),
    ],
)
def test_without_a_count_it_is_unscored(usage):
    assert tokens(usage) == Unscored("the reply states no token count")


def test_usage_that_nests_forever_ends():
    usage = {}
    usage["usage"] = usage

    assert tokens(usage) == Unscored("the reply states no token count")

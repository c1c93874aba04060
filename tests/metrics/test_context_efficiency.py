import pytest

from runner.metrics._ranking import rank
from runner.metrics.context_efficiency import context_efficiency
from runner.model import Passage, Unscored


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param({"a": "1234", "x": "1234"}, 0.5, id="half"),
        pytest.param({"x": "123456789", "a": "1"}, 0.1, id="a short one among noise"),
        pytest.param({"a": "年假十天"}, 1.0, id="characters, not bytes"),
        pytest.param({"a": "", "x": "12"}, 0.0, id="an empty relevant passage"),
        pytest.param({"x": "12"}, 0.0, id="only noise"),
        pytest.param({}, 0.0, id="nothing retrieved"),
    ],
)
def test_share_of_the_characters_that_are_relevant(texts, expected):
    passages = tuple(Passage(id=name, text=text) for name, text in texts.items())

    assert context_efficiency(passages, rank(passages, {"a": 1})) == expected


def test_a_passage_that_came_twice_is_paid_twice_and_helps_once():
    passages = (Passage("a", "1234"), Passage("a", "1234"))

    assert context_efficiency(passages, rank(passages, {"a": 1})) == 0.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [(None, "a passage came without text"), ("", "the passages hold no text")],
)
def test_without_text_it_is_unscored(text, reason):
    passages = (Passage("a", text),)

    assert context_efficiency(passages, rank(passages, {"a": 1})) == Unscored(reason)

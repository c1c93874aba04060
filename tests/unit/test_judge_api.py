import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.judges._api import addresses, answered, embedded, error_body, usage
from runner.judges._meter import Meter, Tokens
from runner.judges._replies import Invalid, read, tokens_about
from runner.metrics._tasks import CLAIMS, SUPPORT
from runner.model import Unrated
from runner.spec import JudgeSpec


def spec(**block):
    return JudgeSpec.model_validate({"url": "http://x/v1", "model": "m", **block})


@pytest.mark.parametrize(
    ("url", "chat", "embeddings"),
    [
        ("http://x/v1", "http://x/v1/chat/completions", "http://x/v1/embeddings"),
        ("http://x/v1/", "http://x/v1/chat/completions", "http://x/v1/embeddings"),
        ("http://x", "http://x/chat/completions", "http://x/embeddings"),
        (
            "http://x/v1/chat/completions",
            "http://x/v1/chat/completions",
            "http://x/v1/embeddings",
        ),
        (
            "http://x/a/b?api-version=1#c",
            "http://x/a/b/chat/completions?api-version=1",
            "http://x/a/b/embeddings?api-version=1",
        ),
    ],
)
def test_a_url_leads_to_chats_and_embeddings(url, chat, embeddings):
    found = addresses(spec(url=url, embeddings={"model": "e"}))

    assert [each.url for each in found] == [chat, embeddings]
    assert [each.key for each in found] == [("url",), ("url",)]


def test_embeddings_may_be_elsewhere_or_nowhere():
    elsewhere = addresses(spec(embeddings={"model": "e", "url": "http://y/v1"}))[1]

    assert elsewhere.url == "http://y/v1/embeddings"
    assert elsewhere.key == ("embeddings", "url")
    assert addresses(spec())[1] is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": "yes"}, "yes"),
        ({"content": ""}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"text": "b"}, 7]}, "ab"),
    ],
)
def test_the_text_of_a_reply_is_found(message, expected):
    assert answered({"choices": [{"message": message}]}) == expected


@pytest.mark.parametrize("value", [None, [], {"choices": "x"}, {"choices": [7]}])
def test_what_is_no_reply_of_a_chat_is_a_reason(value):
    with pytest.raises(Unrated, match="the judge's reply has no choices"):
        answered(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"usage": {"prompt_tokens": 7, "completion_tokens": 2}}, (7, 2)),
        ({"usage": {"input_tokens": 7, "output_tokens": 2}}, (7, 2)),
        ({"usage": {"prompt_tokens": 7}}, None),
        ({"usage": {"prompt_tokens": -7, "completion_tokens": 2}}, None),
        ({"usage": {"prompt_tokens": True, "completion_tokens": True}}, None),
        ({"usage": {"prompt_tokens": 10**400, "completion_tokens": 2}}, None),
        ({"usage": {"prompt_tokens": 10**10, "completion_tokens": 2}}, None),
        ({"usage": {"prompt_tokens": True, "completion_tokens": 2}}, None),
        ({"usage": None}, None),
        ([], None),
    ],
)
def test_the_tokens_that_a_server_states_are_read(value, expected):
    assert usage(value) == expected


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b'{"error": {"message": "no such model", "code": "x1"}}', "x1: no such model"),
        (b'{"error": {"message": "no", "type": "bad request"}}', "no"),
        (b'{"error": "it is off"}', "it is off"),
        (b'[{"error": {"message": "no"}}]', ""),
        (b"<html>", ""),
        (b"", ""),
        (b'{"error": {"message": "sent: the secret passage of it all"}}', ""),
    ],
)
def test_of_a_refusal_is_told_what_repeats_nothing(body, shown):
    assert error_body(body).shown("the secret passage of it all") == shown


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("a word", 2), ("退款", 2), ("退款 30 days", 4)],
)
def test_tokens_are_estimated_in_every_language(text, tokens):
    assert tokens_about(text) == tokens


def test_what_was_set_aside_is_put_right_by_what_a_call_took():
    price = {"input": 1, "output": 2}
    meter = Meter(spec(budget={"max_tokens": 1_000}, price=price), lambda: 0.0)
    first = meter.reserve(500)
    with pytest.raises(Unrated, match="max_tokens 1000"):
        meter.reserve(400)
    meter.settle(first, Tokens(100, 50))
    second = meter.reserve(600)
    meter.settle(second)

    found = meter.account()
    assert (found.calls, found.input_tokens, found.output_tokens) == (2, 100, 50)
    assert found.usd == pytest.approx(0.0002)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
TEXTS = {"question": "Q?", "passages": ["p"], "claims": ["a", "b"], "answer": "x"}
BRACES = st.text(alphabet='{}[]":,ab1 \\\n<think>/', max_size=60)


@given(st.text() | BRACES | ANYTHING.map(json.dumps))
def test_whatever_a_judge_says_is_a_reply_or_a_reason(said):
    for task in (CLAIMS, SUPPORT):
        with suppress(Invalid):
            assert task.reply.model_validate(read(task, TEXTS, said), context=TEXTS)


@given(ANYTHING)
def test_whatever_a_server_sends_is_an_answer_or_a_reason(value):
    with suppress(Unrated):
        assert isinstance(answered(value), str)
    with suppress(Unrated):
        assert len(embedded(value, 1)) == 1
    assert usage(value) is None or min(usage(value)) >= 0
    error_body(json.dumps(value).encode()).shown("material")


@given(st.binary())
def test_whatever_an_error_page_holds_is_read(body):
    assert len(error_body(body).shown("")) <= 250

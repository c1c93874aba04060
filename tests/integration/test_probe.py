"""`rag-eval probe` against servers that answer well, otherwise than mapped, or not."""

import json
import subprocess
import sys

import pytest
import yaml

from runner.errors import InputError
from runner.probe import probe
from tests.streaming import oddly, replaying

CASES = [
    {"id": "off", "question": "Who won?", "expect_refusal": True},
    {"id": "days", "question": "How many days?", "expected_doc_ids": ["r#3"]},
]
GOOD = {"answer": "Within 30 days.", "contexts": [{"id": "r#3", "text": "30 days."}]}
SECRET = "s3cret-token"  # noqa: S105 - a made-up one


@pytest.fixture
def server():
    with replaying() as replay:
        replay.cut = oddly
        replay.head = ("Content-Type: application/json",)
        replay.body = json.dumps(GOOD).encode()
        yield replay


@pytest.fixture
def ask(server, tmp_path):
    def asked(response=None, case=None, url=None, **endpoint):
        mapping = {"response": response} if response else {}
        one = {"url": url or server.url, "body": {"q": "{{ question }}"}}
        spec = {
            "endpoint": {
                "headers": {"Authorization": "Bearer ${TOKEN}"},
                **mapping,
                **({} if "steps" in endpoint else one),
                **endpoint,
            },
            "cases": "cases.json",
            "metrics": ["recall@5", "key_points", "time_to_first_token", "refusal"],
        }
        (tmp_path / "cases.json").write_text(json.dumps(CASES))
        (tmp_path / "spec.yaml").write_text(json.dumps(spec))
        return probe(tmp_path / "spec.yaml", tmp_path, {"TOKEN": SECRET}, case)

    return asked


def test_a_reply_that_is_mapped_whole_is_shown_and_ends_with_0(ask, server):
    found = ask()

    text = "\n".join(found.lines)
    assert found.status == 0
    assert "case      days: How many days?" in text
    assert f"asked     POST {server.url}" in text
    assert '{"q": "How many days?"}' in text
    assert "came      200 OK, application/json, in 0." in text
    assert f"  | {json.dumps(GOOD)}" in text
    assert "  answer           answer\n                     Within 30 days." in text
    assert "1 entry: r#3" in text
    assert "expected  r#3\nscored    recall@5 1.00" in text
    assert "the case has no key points" in text
    assert "unscored  time_to_first_token: the reply did not stream" in text
    assert "missing" not in text
    assert len(server.requests) == 1


def test_a_reply_that_retrieved_nothing_is_no_mistake_of_the_mapping(ask, server):
    server.body = b'{"answer": "I do not know.", "contexts": []}'

    found = ask()

    assert found.status == 0
    assert "0 entries" in "\n".join(found.lines)


def test_a_stream_is_shown_with_its_first_token(ask, server):
    server.body = b'data: {"t": "30"}\n\ndata: {"c": [{"id": "r#3", "text": "x"}]}\n\n'

    found = ask(
        {
            "stream": "sse",
            "answer": "join('', events[].data.t)",
            "contexts": "events[].data.c[]",
        }
    )

    text = "\n".join(found.lines)
    assert found.status == 0
    assert '  | data: {"t": "30"}' in text
    assert "first token      after 0.0" in text
    assert "scored    recall@5 1.00, time_to_first_token 0.0" in text


MISSED = [
    pytest.param(
        {"data": {"answer": "x", "contexts": []}},
        None,
        [
            "spec.yaml:1 endpoint.response.answer: `answer` finds nothing; the reply",
            "has the keys data.answer, data.contexts (did you mean data.answer?; or",
            "write answer: null if it is not shown)",
            "(did you mean data.contexts?; or write contexts: null",
        ],
        id="everything is one level deeper",
    ),
    pytest.param(
        {"answer": "x", "contexts": [{"chunk_id": "r#3", "content": "30 days."}]},
        None,
        [
            "endpoint.response.context.id: `id` finds nothing; the passage has",
            "the keys chunk_id, content",
            "endpoint.response.context.text: `text` finds nothing",
        ],
        id="passages with other keys",
    ),
    pytest.param(
        {"answer": "x", "contexts": None},
        {"contexts": "sort_by(contexts, &score)"},
        ["'sort_by(contexts, &score)' cannot take what the reply holds"],
        id="an expression that cannot take the reply",
    ),
    pytest.param(
        {"answer": {"text": "x"}, "contexts": ["x"]},
        {"context": {"id": None, "text": "@"}},
        ["endpoint.response.answer (`answer`) is an object"],
        id="an answer that is no text",
    ),
]


def test_a_filter_that_matches_no_event_is_told_with_the_events_that_came(ask, server):
    server.body = b'event: token\ndata: {"t": "30"}\n\ndata: [DONE]\n\n'
    mapping = {"stream": "sse", "answer": "join('', events[?event=='tok'].data.t)"}

    found = ask({**mapping, "contexts": "events[?event=='docs'].data[]"})

    assert found.status == 2
    assert [
        line.partition(" (")[0].partition("; ")[2] for line in found.lines[-2:]
    ] == ["the events hold event 'token': data.t; data '[DONE]'"] * 2


@pytest.mark.parametrize(("reply", "response", "told"), MISSED)
def test_what_the_mapping_misses_is_told_with_what_is_there(
    ask, server, reply, response, told
):
    server.body = json.dumps(reply).encode()

    found = ask(response)

    text = "\n".join(found.lines).partition("\nmissing\n")[2]
    assert found.status == 2
    for each in told:
        assert each in text


def test_a_mapping_that_misses_is_followed_by_one_that_fits(ask, server):
    reply = {
        "data": {
            "text": "Within 30 days [1].",
            "hits": [{"content": "30 days.", "meta": {"chunk_id": "r#3"}}],
        }
    }
    server.body = json.dumps(reply).encode()

    missed = ask()
    shown = "\n".join(missed.lines).partition("a mapping by the shape of this reply:\n")
    found = ask({**yaml.safe_load(shown[2])["response"], "usage": None})

    text = "\n".join(found.lines)
    assert (missed.status, found.status) == (2, 0)
    assert 'cited            ["r#3"]' in text
    assert "without marks    Within 30 days." in text


@pytest.mark.parametrize(
    ("answer", "response", "proposed"),
    [
        ("30 days [1].", {}, r'citations: {"pattern": "\\[(\\d+)\\]", "first": 1}'),
        ("30 days [0][1].", {}, r'citations: {"pattern": "\\[(\\d+)\\]", "first": 0}'),
        ("30 days【1】", {}, r'citations: {"pattern": "【(\\d+)】", "first": 1}'),
        ("30 days [doc2].", {}, r'"\\[(?:doc|ID:)\\s*(\\d+)\\]"'),
        ("30 days [sic].", {}, ""),
        ("30 days [1].", {"citations": {"pattern": r"\[(\d)\]", "first": 1}}, ""),
    ],
)
def test_marks_of_citations_that_nothing_reads_are_told(
    ask, server, answer, response, proposed
):
    server.body = json.dumps({**GOOD, "answer": answer}).encode()

    found = ask(response)

    text = "\n".join(found.lines)
    assert found.status == 0
    assert ("marks of citations, which nothing reads" in text) is bool(proposed)
    assert proposed in text


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        ("401 No", b'{"detail": "no token"}', "(service.http_error): http://"),
        ("200 OK", b"<html>", "is no JSON"),
        ("200 OK", b"", "is empty"),
    ],
)
def test_no_usable_reply_ends_with_3(ask, server, status, body, told):
    server.status, server.body = status, body

    found = ask()

    assert found.status == 3
    assert "no usable reply" in found.lines[-1]
    assert told in found.lines[-1]


def test_an_error_that_the_reply_states_ends_with_3(ask, server):
    server.body = b'{"code": 102, "message": "no such chat"}'

    found = ask({"error": "code && message"})

    assert found.status == 3
    assert found.lines[-1].endswith("the reply states an error: no such chat")


def test_where_nothing_listens_what_the_spec_would_start_is_told(ask):
    start = {"command": "python -m app"}

    found = ask(url="http://127.0.0.1:9/rag", start=start)

    assert found.status == 3
    assert found.lines[-1] == "start it first: python -m app"


def test_a_case_can_be_named(ask):
    assert "case      off: Who won?" in ask(case="off").lines

    with pytest.raises(InputError, match="did you mean days"):
        ask(case="day")


def test_secrets_are_masked_wherever_they_come_from(ask, server):
    echo = {**GOOD, "answer": f"you sent {SECRET}", "x": "y" * 1960 + SECRET}
    server.body = json.dumps(echo).encode()

    found = ask(body={"q": "{{ question }}", "key": "${TOKEN}"})

    text = "\n".join(found.lines)
    assert SECRET[:6] not in text
    assert "you sent ***" in text


def test_what_others_wrote_is_harmless_on_a_terminal(ask, server, tmp_path):
    server.body = json.dumps({**GOOD, "answer": "\x1b[2J::error::x"}).encode()
    server.body = server.body.replace(b"\\u001b", b"\x1b")
    server.body += b"\n::error::forged\n\x1b]0;x\x07"
    ask()

    command = [sys.executable, "-m", "runner", "probe", str(tmp_path / "spec.yaml")]
    done = subprocess.run(
        command, capture_output=True, check=False, env={"TOKEN": SECRET}
    )

    assert b"\x1b" not in done.stdout
    assert b"\n::error::" not in done.stdout
    assert b"forged" in done.stdout
    assert done.returncode == 3


STEPS = [
    {"name": "run", "url": "URL/start", "body": {"q": "{{ question }}"}},
    {"name": "said", "url": "URL/{{ run.id }}", "until": "done", "every": "100ms"},
]
SAID = {"answer": "said.answer", "contexts": "said.contexts"}


def stepwise(server, *replies):
    left = [json.dumps(reply).encode() for reply in replies]
    server.body = lambda _: left.pop(0)
    base = server.url.removesuffix("/rag")
    return [{**step, "url": step["url"].replace("URL", base)} for step in STEPS]


def test_each_step_is_shown_with_its_reply_and_how_often_it_was_sent(ask, server):
    steps = stepwise(server, {"id": 4}, {"done": False}, {"done": True, **GOOD})

    found = ask(SAID, steps=steps)

    text = "\n".join(found.lines)
    assert found.status == 0
    assert text.startswith(
        "case      days: How many days?\nstep      run\nasked     POS"
    )
    assert '\n\nthe reply\n  | {"id": 4}\n\nstep      said\nasked     GET ' in text
    assert "/4, 2 times\n" in text
    assert (
        "  answer           said.answer\n                     Within 30 days." in text
    )
    assert "scored    recall@5" in text
    assert len(server.requests) == 3


def test_a_step_that_fails_is_named_after_those_that_did_not(ask, server):
    found = ask(SAID, steps=stepwise(server, {"uuid": 4}))

    text = "\n".join(found.lines)
    assert found.status == 3
    assert "step      run" in text
    assert "step      said" not in text
    assert (
        "no usable reply (service.malformed): step said: spec.yaml:1 endpoint.step"
        in text
    )
    assert "has no attribute 'id'; the reply has the keys run.uuid" in text


def test_what_a_mapping_of_steps_does_not_find_is_shown_with_what_is_there(ask, server):
    steps = stepwise(server, {"id": 4}, {"done": True, "data": GOOD})

    found = ask(SAID, steps=steps)

    text = "\n".join(found.lines)
    assert found.status == 2
    assert (
        "`said.answer` finds nothing; the reply has the keys run.id, said.done, "
        in text
    )
    assert "did you mean said.data.answer?" in text


def test_a_stream_of_a_step_is_told_by_its_events(ask, server):
    base = server.url.removesuffix("/rag")
    step = {"name": "said", "url": f"{base}/x", "body": "{{ question }}"}
    server.body = b'data: {"type": "delta", "text": "Wit"}\n\ndata: [DONE]\n\n'
    mapped = {"answer": "join('', said.events[].data.txt)"}

    found = ask(mapped, steps=[{**step, "stream": "sse"}])

    text = "\n".join(found.lines)
    assert found.status == 2
    assert (
        "finds nothing; in said the events hold data.type 'delta': data.type," in text
    )

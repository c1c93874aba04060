"""`rag-eval probe URL`: a server that no spec describes, asked in the usual ways."""

import json
from pathlib import Path

import pytest
import yaml

from runner.endpoints import ReplyMap
from runner.errors import InputError
from runner.model import Response
from runner.probe import probe_url
from runner.spec import ResponseMap
from tests.streaming import oddly, replaying

RECIPES = Path(__file__).parents[2] / "specs/recipes"
SECRET = "s3cret-token"  # noqa: S105 - a made-up one


@pytest.fixture
def server():
    with replaying() as replay:
        replay.cut = oddly
        replay.head = ("Content-Type: application/json",)
        yield replay


def proposed(found):
    """Give the mapping that was proposed."""
    lines = iter(found.lines)
    for line in lines:
        if line == "    response:":
            break
    block = []
    for line in lines:
        if not line.startswith("      "):
            break
        block.append(line)
    return yaml.safe_load("\n".join(block))


def listening(server, key, reply):
    """Let a server take bodies with one key only."""

    def body(request):
        sent = json.loads(request.partition(b"\r\n\r\n")[2])
        server.status = "200 OK" if key in sent else "422 Unprocessable"
        return reply if key in sent else b'{"detail": "field required"}'

    server.body = body


OWN = [
    pytest.param(
        "message",
        {
            "reply": {"text": "Within 30 days."},
            "hits": [
                {"chunk_id": "r#3", "body": "30 days.", "score": 0.9},
                {"chunk_id": "r#4", "body": "Ten.", "score": 0.1},
            ],
        },
        id="keys of its own",
    ),
    pytest.param(
        "messages",
        {
            "choices": [{"message": {"role": "x", "content": "Within 30 days."}}],
            "retrieved-docs": [{"content": "30 days.", "metadata": {"source": "r#3"}}],
        },
        id="as OpenAI, with passages",
    ),
    pytest.param(
        "query",
        b'data: {"type": "doc", "docs": [{"id": "r#3", "text": "30 days."}]}\n\n'
        b'data: {"type": "tok", "token": "Within "}\n\n'
        b'data: {"type": "tok", "token": "30 days."}\n\ndata: [DONE]\n\n',
        id="a stream of pieces",
    ),
    pytest.param(
        "question",
        b'{"answer": "Within "}\n{"answer": "Within 30 days."}\n'
        b'{"sources": [{"id": "r#3", "text": "30 days."}]}\n',
        id="a stream that repeats what came",
    ),
]


@pytest.mark.parametrize(("key", "reply"), OWN)
def test_what_is_proposed_maps_the_reply(server, key, reply):
    sent = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    listening(server, key, sent)

    found = probe_url(server.url, {}, RECIPES)

    text = "\n".join(found.lines)
    assert found.status == 0
    assert f'    body: {{"{key}": ' in text
    assert "Within 30 days." in text.partition("what the mapping finds")[2]
    block = {"citations": None, "refused": None, "usage": None, **proposed(found)}
    if not isinstance(reply, bytes):
        mapped = ReplyMap(ResponseMap.model_validate(block)).read(reply)
        assert isinstance(mapped, Response)
        assert (mapped.answer, mapped.passages[0][:2]) == (
            "Within 30 days.",
            ("r#3", "30 days."),
        )


def test_a_reply_without_an_answer_is_shown_and_ends_with_2(server):
    server.body = b'{"ok": true, "items": [1, 2]}'

    found = probe_url(server.url, {}, RECIPES)

    assert found.status == 2
    assert "nothing in the reply looks like an answer or like passages" in found.lines
    assert '  | {"ok": true, "items": [1, 2]}' in found.lines


def test_a_server_that_refuses_every_body_ends_with_3_and_what_to_write(server):
    server.status, server.body = "401 No", b'{"detail": "no token"}'

    found = probe_url(server.url, {}, RECIPES)

    assert found.status == 3
    assert "answered 401 No" in "\n".join(found.lines)
    assert '          {"question": "What can I ask you about?"}' in found.lines
    assert "no better with the bodies that other servers take" in found.lines[-3]


def test_a_server_that_is_not_there_is_tried_once():
    found = probe_url("http://127.0.0.1:9/rag", {}, RECIPES)

    assert found.status == 3
    assert "nothing listens" in "\n".join(found.lines)


def test_the_token_goes_out_and_is_never_shown(server):
    server.body = json.dumps({"answer": f"you sent {SECRET}"}).encode()

    found = probe_url(server.url, {"RAG_TOKEN": SECRET}, RECIPES)

    assert f"Authorization: Bearer {SECRET}".encode() in server.requests[0]
    assert SECRET not in "\n".join(found.lines)
    assert "you sent ***" in "\n".join(found.lines)


@pytest.mark.parametrize("url", ["http://169.254.169.254/x", "http://[bad/x"])
def test_what_is_never_asked_is_not_asked(url):
    with pytest.raises(InputError):
        probe_url(url, {}, RECIPES)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/chat-messages", ["dify"]),
        ("/api/v1/chat/completions", ["fastgpt", "ragflow"]),
        ("/api/v1/openai/3fa/chat/completions", ["ragflow-openai"]),
        ("/api/v1/workspace/docs/chat", ["anythingllm"]),
        ("/v2/app/conversation/runs", ["baidu-appbuilder"]),
        ("/api/v1/run/my-flow?stream=false", ["langflow"]),
        ("/v1/chat-messages/more", []),
        ("/", []),
    ],
)
def test_an_address_tells_whose_it_is_where_the_reply_does_not(server, path, names):
    server.status, server.body = "400 Bad", b'{"code": "invalid_param"}'

    found = probe_url(f"{server.url.removesuffix('/rag')}{path}", {}, RECIPES)

    lines = [line.strip() for line in found.lines if "rag-eval init --for" in line]
    assert lines == [f"rag-eval init --for {name}" for name in names]
    assert found.status == 3

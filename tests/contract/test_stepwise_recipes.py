"""Recipes of several requests, from `init` to the verdict, against servers in steps.

Where a server's reply is a sample of the reference, what has to come of it is too.
"""

import json
import re
from collections import Counter
from contextlib import closing
from itertools import count
from threading import Lock

import pytest
import yaml

from runner.endpoints.http import HttpEndpoint
from runner.model import Case, Failure, Pending
from runner.spec import EndpointSpec
from tests.contract.test_recipes import (
    DECLINED,
    OFF,
    QUESTION,
    STEPWISE,
    TOKEN,
    cases,
    ran,  # noqa: F401 - a fixture
    recipe,
)
from tests.streaming import Said, bytewise, haltingly, oddly, replaying

SESSION = re.compile(r"session-\d+")
VECTOR = {"data": [{"embedding": [0.25, -1.5]}]}
TEXT = "签收后 30 天内可以退货。"
CHOICE = {"choices": [{"message": {"content": TEXT}}]}
CALLED = """\
event: generating
data: ["签收后"]

event: heartbeat
data: null

event: complete
data: ["签收后 30 天内可以退货。"]

"""
SERVERS = {
    "maxkb": {
        "/chat/api/open": {"code": 200, "message": "成功", "data": "SESSION"},
        "/chat/api/chat_message/session": "maxkb.blocking",
        "/historical_conversation/session-1/record/r1": "maxkb-record.blocking",
    },
    "quivr": {
        "/chat/session-1/question/stream": "quivr.stream",
        "/chat": {"chat_id": "SESSION", "chat_name": "rag-eval"},
    },
    "baidu-appbuilder": {
        "/v2/app/conversation/runs": "baidu-appbuilder.blocking",
        "/v2/app/conversation": {"request_id": "r", "conversation_id": "SESSION"},
    },
    "chroma": {
        "/v1/embeddings": VECTOR,
        "/collections/app-1/query": "chroma.blocking",
    },
    "chroma-llm": {
        "/v1/embeddings": VECTOR,
        "/collections/app-1/query": "chroma.blocking",
        "/v1/chat/completions": CHOICE,
    },
    "qdrant-vector": {
        "/v1/embeddings": VECTOR,
        "/collections/app-1/points/query": "qdrant.blocking",
    },
    "milvus-vector": {
        "/v1/embeddings": VECTOR,
        "/v2/vectordb/entities/search": "milvus.blocking",
    },
    "postgrest-vector": {
        "/v1/embeddings": VECTOR,
        "/rest/v1/rpc/app-1": "postgrest.blocking",
    },
    "opensearch-serverless": {
        "/v1/embeddings": VECTOR,
        "/app-1/_search": "elasticsearch.blocking",
    },
    "coze-polling": {
        "/v3/chat/retrieve?conversation_id=session-1&chat_id=1": [
            {"code": 0, "data": {"status": "in_progress"}},
            {"code": 0, "data": {"status": "completed", "usage": {"token_count": 60}}},
        ],
        "/v3/chat/message/list?conversation_id=session-1&chat_id=1": "coze.stream",
        "/v3/chat": {
            "code": 0,
            "data": {"id": "1", "conversation_id": "SESSION", "status": "created"},
        },
    },
    "gradio": {
        "/gradio_api/call/app-1/session": CALLED,
        "/gradio_api/call/app-1": {"event_id": "SESSION"},
    },
}
"""By recipe: what a path that holds a key is answered with; a name is of a sample.

Of a list a session is given one after the other, the last for ever.
"""

EXPECTED = {
    "maxkb": "maxkb-record.blocking",
    "quivr": "quivr.stream",
    "baidu-appbuilder": "baidu-appbuilder.blocking",
    "chroma": "chroma.blocking",
    "qdrant-vector": "qdrant.blocking",
    "milvus-vector": "milvus.blocking",
    "postgrest-vector": "postgrest.blocking",
    "opensearch-serverless": "elasticsearch.blocking",
    "coze-polling": "coze.stream",
}
OF_SAMPLES = {*EXPECTED.values(), "maxkb.blocking"}
ANSWERED = {"chroma-llm": "chroma.blocking", "gradio": None}
"""Where the answer is not of a sample, of which one the passages are."""


def samples(shared, stem):
    folder = shared / "data/endpoint-samples"
    mapping = json.loads((folder / "mappings.json").read_text("utf-8"))[stem]
    text = (folder / mapping["file"]).read_text("utf-8")
    return listed(text) if stem == "coze.stream" else text


def listed(stream):
    """Give the messages of a stream of Coze as the list that is fetched by polling."""
    blocks = [block.split("\n") for block in stream.split("\n\n")]
    whole = [rest for event, *rest in blocks if event.endswith("message.completed")]
    said = [json.loads(data.removeprefix("data: ")) for [data] in whole]
    return json.dumps({"code": 0, "data": said}, ensure_ascii=False)


def expected(shared, name):
    folder = shared / "data/endpoint-samples"
    stem = EXPECTED.get(name) or ANSWERED[name]
    found = {"contexts": [], "citations": None, "refused": None}
    if stem:
        found = json.loads((folder / f"{stem}.expected.json").read_text("utf-8"))
    return found if name in EXPECTED else {**found, "answer": TEXT}


class Stepwise:
    """A server whose requests belong together: it knows what a session asked."""

    def __init__(self, shared, name):
        self.replies = {
            part: samples(shared, said) if str(said) in OF_SAMPLES else said
            for part, said in SERVERS[name].items()
        }
        self.numbers = count(1)
        self.off = {}
        self.given = Counter()
        self.lock = Lock()

    def __call__(self, request):
        head, _, body = request.partition(b"\r\n\r\n")
        path = head.split(b" ")[1].decode()
        asked = str(json.loads(body)) if body else ""
        plain = SESSION.sub("session-1", path)
        said = next(said for part, said in self.replies.items() if part in plain)
        with self.lock:
            named = SESSION.search(path + asked)
            session = named[0] if named else f"session-{next(self.numbers)}"
            if isinstance(said, list):
                said = said[min(self.given[session], len(said) - 1)]
                self.given[session] += 1
            if not isinstance(said, str):
                said = json.dumps(said, ensure_ascii=False)
            if QUESTION in asked or OFF in asked:
                self.off[session] = OFF in asked
            if self.off.get(session):
                for words, instead in DECLINED.items():
                    said = said.replace(words, instead)
        return Said(said.replace("SESSION", session).encode())


def test_every_recipe_of_several_requests_has_a_server_here():
    assert sorted(SERVERS) == STEPWISE


@pytest.mark.parametrize("name", STEPWISE)
def test_a_recipe_in_steps_leads_from_init_to_a_verdict(shared, tmp_path, ran, name):  # noqa: F811
    spec = tmp_path / "evals/rag.yaml"
    with replaying() as server:
        server.cut, server.body = oddly, Stepwise(shared, name)
        url = server.url.removesuffix("/rag")
        assert ran(url, "init", "--for", name, str(tmp_path))[0] == 0
        assert ran(url, "validate", str(spec))[0] == 0
        text = cases(expected(shared, name))
        (tmp_path / "evals/cases/first.yaml").write_text(text, "utf-8")

        status, told = ran(url, "probe", str(spec))
        assert (status, "missing" in told) == (0, False), told
        assert all(f"step      {each}" in told for each in steps(name))
        out = tmp_path / "results"
        status, told = ran(url, "run", str(spec), "--out", str(out), "--quiet")
        heard = len(server.requests)
        again = tmp_path / "again"
        replay = ("--replay", str(out / "responses.jsonl"), "--out", str(again))
        replayed, _ = ran(url, "run", str(spec), *replay, "--quiet")

    results = json.loads((out / "results.json").read_text("utf-8"))
    assert (status, results["verdict"]) == (0, "passed"), told
    assert results["totals"]["errors"] == 0
    assert (replayed, len(server.requests)) == (0, heard)
    each = len(steps(name)) + (name == "coze-polling")  # which is not done at first
    assert heard == each * (1 + len(yaml.safe_load(text)))
    if "RAG_TOKEN}" in spec.read_text("utf-8"):
        assert all(TOKEN.encode() in request for request in to_rag(server.requests))


def steps(name):
    return [step["name"] for step in recipe(name)["endpoint"]["steps"]]


def to_rag(requests):
    """Give the requests that do not go to a model beside the server."""
    return [request for request in requests if b" /v1/" not in request]


@pytest.fixture
def answered(shared):
    """Give what comes of one question to a recipe's server, cut into odd pieces."""

    def ask(name, cut, **instead):
        written = json.dumps(recipe(name)["endpoint"])
        names = set(re.findall(r"\$\{(\w+)[:}]", written))
        environ = dict.fromkeys(names, "app-1") | {"RAG_TOKEN": TOKEN}
        with replaying() as server:
            stepwise = Stepwise(shared, name)
            kept = {k: v for k, v in stepwise.replies.items() if k not in instead}
            stepwise.replies = {**instead, **kept}
            server.cut, server.body = cut, stepwise
            url = server.url.removesuffix("/rag")
            at = {key: url for key in names if key.endswith("_URL")}
            spec = EndpointSpec.model_validate(yaml.safe_load(written))
            with closing(HttpEndpoint(spec, {**environ, **at})) as endpoint:
                found = endpoint.ask(Case("qa-1", QUESTION))
                while isinstance(found, Pending):
                    found = found.failed or found.proceed()
        return found

    return ask


@pytest.mark.parametrize("cut", [bytewise, oddly, haltingly])
@pytest.mark.parametrize("name", STEPWISE)
def test_every_sample_gives_its_expected_result_in_steps(shared, answered, name, cut):
    found = answered(name, cut)

    passages = found.passages or ()
    assert {
        "answer": found.answer,
        "contexts": [{"id": p.id, "text": p.text, "score": p.score} for p in passages],
        "citations": None if found.citations is None else list(found.citations),
        "refused": found.refused,
    } == expected(shared, name)


def error(shared):
    return samples(shared, "baidu-appbuilder.error")


@pytest.mark.parametrize(
    ("name", "part", "said", "message"),
    [
        (
            "baidu-appbuilder",
            "/v2/app/conversation/runs",
            error,
            "step reply: the reply states an error: bad conversation",
        ),
        (
            "baidu-appbuilder",
            "/v2/app/conversation",
            error,
            "step chat: the reply states an error: bad conversation",
        ),
        (
            "maxkb",
            "/open",
            {"code": 1002, "message": "身份验证信息不正确", "data": None},
            "step chat: the reply states an error: 身份验证信息不正确",
        ),
        (
            "gradio",
            "/gradio_api/call/app-1/session",
            "event: error\ndata: null\n\n",
            "step reply: the reply states an error: the app says no more",
        ),
        (
            "chroma",
            "/query",
            {"error": "NotFoundError", "message": "Collection does not exist"},
            "step search: the reply states an error: Collection does not exist",
        ),
        (
            "qdrant-vector",
            "/v1/embeddings",
            {"error": {"message": "no such model"}},
            "step embed: the reply states an error: no such model",
        ),
    ],
)
def test_an_error_in_a_step_is_told_with_its_step(
    shared, answered, name, part, said, message
):
    said = said(shared) if callable(said) else said

    found = answered(name, oddly, **{part: said})

    assert isinstance(found, Failure)
    assert (found.cause, found.message) == ("service.http_error", message)


def test_a_step_that_streams_gives_the_answer_of_the_sample(shared):
    """MaxKB streams too; then each event names the record that has the passages."""
    written = recipe("maxkb")["endpoint"]
    chat, reply, record = written["steps"]
    reply = {**reply, "stream": "sse", "error": None}
    record["url"] = record["url"].replace(
        "reply.data.id", "reply.events[0].data.chat_record_id"
    )
    mapped = {**written["response"], "answer": "join('',reply.events[].data.content)"}
    stepwise = Stepwise(shared, "maxkb")
    part = "/chat/api/chat_message/session"
    stepwise.replies[part] = samples(shared, "maxkb.stream")
    spec = {**written, "steps": [chat, reply, record], "response": mapped}
    with replaying() as server:
        server.cut, server.body = haltingly, stepwise
        environ = {"RAG_URL": server.url.removesuffix("/rag"), "RAG_TOKEN": TOKEN}
        made = HttpEndpoint(EndpointSpec.model_validate(spec), environ)
        with closing(made) as endpoint:
            attempt = endpoint.fetch(Case("qa-1", QUESTION))
            found = endpoint.read(attempt)

    wanted = expected(shared, "maxkb")
    assert (found.answer, len(found.passages)) == (wanted["answer"], 2)
    assert 0 < found.time_to_first_token <= found.latency

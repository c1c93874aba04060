"""Each recipe, from `init` to the verdict, against a server that replays its reply."""

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from runner.cli import commands
from runner.endpoints import ReplyMap
from runner.probe import probe_url
from runner.spec import ResponseMap
from tests.streaming import oddly, replaying

RECIPES = Path(__file__).parents[2] / "specs/recipes"
PAGE = Path(__file__).parents[2] / "docs/recipes.md"
PAGES = PAGE.with_suffix("")
SAMPLES = {
    "anythingllm-search": "anythingllm-search.blocking",
    "azure-on-your-data": "azure-oyd.blocking",
    "bedrock": "bedrock-rag.blocking",
    "bedrock-retrieval": "bedrock-retrieve.blocking",
    "cohere": "cohere-chat.blocking",
    "cohere-rerank": "rerank-cohere.blocking",
    "tei-rerank": "rerank-tei.blocking",
    "dify-retrieval": "dify-retrieve.blocking",
    "gemini": "gemini-rag.stream",
    "openai-file-search": "openai-responses.blocking",
    "ragflow-retrieval": "ragflow-retrieval.blocking",
    "vertex-retrieval": "vertex-retrieve.blocking",
}
"""Where the sample has another name than the recipe."""

QUESTION, OFF = "退货期限是多少天？", "公司明年会裁员吗？"
DECLINED = {"签收后 30 天": "抱歉，知识库中", "内可以退货": "没有相关信息"}
NAMES = sorted(path.stem for path in RECIPES.glob("*.yaml"))
STEPWISE = [
    name for name in NAMES if "steps:" in (RECIPES / f"{name}.yaml").read_text("utf-8")
]
"""Those of several requests, which have tests of their own."""

ONE = sorted({*NAMES} - {*STEPWISE})
VARIABLE = re.compile(r"\$\{(\w+)[:}]")
DOCUMENTS = ["退货运费由买家承担。", "商品签收后 30 天内可申请退货。"]
TOKEN = "s3cret-token"  # noqa: S105 - a made-up one


def sample(shared, name):
    """Give the reply of a server as text, what has to come of it, and its mapping."""
    folder = shared / "data/endpoint-samples"
    stem = SAMPLES.get(name, name)
    if "." not in stem:
        streams = "stream" in recipe(name)["endpoint"]["response"]
        stem = f"{stem}.{'stream' if streams else 'blocking'}"
    mapping = json.loads((folder / "mappings.json").read_text("utf-8"))[stem]
    expected = json.loads((folder / f"{stem}.expected.json").read_text("utf-8"))
    return (folder / mapping["file"]).read_text("utf-8"), expected, mapping["response"]


def recipe(name):
    return yaml.safe_load((RECIPES / f"{name}.yaml").read_text("utf-8"))


def answering(text):
    """Give a server's answer by the question: the sample, or one that declines."""
    declined = text
    for said, instead in DECLINED.items():
        declined = declined.replace(said, instead)

    def body(request):
        _, _, sent = request.partition(b"\r\n\r\n")
        json.loads(sent)
        asked = json.loads(b'"%b"' % OFF.encode()) in str(json.loads(sent))
        return (declined if asked else text).encode()

    return body


@pytest.fixture
def ran(tmp_path):
    """Give what runs a command in a folder of its own, with a recipe's variables."""
    written = "".join(path.read_text("utf-8") for path in RECIPES.glob("*.yaml"))
    environ = dict.fromkeys(VARIABLE.findall(written), "app-1")

    def run(url, *words):
        given = {**environ, "RAG_TOKEN": TOKEN, "SEARCH_KEY": TOKEN}
        given |= dict.fromkeys(("RAG_URL", "EMBED_URL", "LLM_URL"), url)
        given["GITHUB_WORKSPACE"] = str(tmp_path)
        done = CliRunner().invoke(
            commands, words, env=given, standalone_mode=False, catch_exceptions=False
        )
        return done.return_value or 0, done.output

    return run


@pytest.mark.parametrize("name", ONE)
def test_a_recipe_leads_from_init_to_a_verdict(shared, tmp_path, ran, name):
    text, expected, _ = sample(shared, name)
    spec = tmp_path / "evals/rag.yaml"
    with replaying() as server:
        server.cut, server.body = oddly, answering(text)
        status, told = ran(server.url, "init", "--for", name, str(tmp_path))
        assert (status, f"about {name}:\n  It " in told) == (0, True)
        assert "\n  Ids for `expected_doc_ids`: " in told
        assert ran(server.url, "validate", str(spec))[0] == 0
        (tmp_path / "evals/cases/first.yaml").write_text(cases(expected), "utf-8")

        status, told = ran(server.url, "probe", str(spec))
        assert (status, "missing" in told) == (0, False), told
        out = tmp_path / "results"
        status, told = ran(server.url, "run", str(spec), "--out", str(out), "--quiet")

    results = json.loads((out / "results.json").read_text("utf-8"))
    assert (status, results["verdict"]) == (0, "passed"), told
    assert results["totals"]["errors"] == 0
    assert_heard(server.requests, spec)


def cases(expected):
    """Give a question of the sample, and one that its server declines."""
    first = next((p["id"] for p in expected["contexts"]), "none")
    kept = {"documents": DOCUMENTS}
    days = {"id": "days", "question": QUESTION, "expected_doc_ids": [first]}
    off = {"id": "off", "question": OFF, "expect_refusal": True, "tags": ["must-hold"]}
    days["meta"] = off["meta"] = kept
    if expected["answer"] is None:
        return yaml.safe_dump([days])
    return yaml.safe_dump([{**days, "must_include": ["30 天"]}, off])


def assert_heard(requests, spec):
    """See that each request carried its question, and the key where there is one."""
    keyed = "RAG_TOKEN}" in spec.read_text("utf-8")
    for request in requests:
        _, _, sent = request.partition(b"\r\n\r\n")
        said = str(json.loads(sent))
        assert QUESTION in said or OFF in said
        assert not keyed or TOKEN.encode() in request
        assert "meta.documents" not in spec.read_text("utf-8") or DOCUMENTS[0] in said


@pytest.mark.parametrize("name", ONE)
def test_a_recipe_maps_as_the_reference_does(shared, name):
    *_, reference = sample(shared, name)
    written = recipe(name)["endpoint"]["response"]
    for mapping in (written, reference):
        for key in ("text", "score"):  # null where a server gives none, or a stub
            mapping.get("context", {}).pop(key, None)

    known = {key: value for key, value in written.items() if value is not None}
    assert {**known, "scope": None} == {**reference, "scope": None}


@pytest.mark.parametrize("name", ONE)
def test_a_reply_is_recognised_as_that_of_its_server(shared, name):
    text, *_ = sample(shared, name)
    with replaying() as server:
        server.cut, server.body = oddly, text.encode()
        found = probe_url(server.url, {}, RECIPES)

    assert found.status == 0
    assert f"    rag-eval init --for {name}" in found.lines


@pytest.mark.parametrize(
    "score", [0.9, [{"type": "embedding", "value": 0.9, "index": 0}, {"value": 0.1}]]
)
def test_the_scores_of_fastgpt_are_read_as_old_and_new_ones_give_them(score):
    quotes = [{"id": "q1", "q": "签收后 30 天。", "score": score}]
    nodes = [{"moduleType": "chatNode", "quoteList": quotes}]
    said = {"choices": [{"delta": {"content": "30 天。"}}]}
    events = [{"event": "answer", "data": said}]
    events.append({"event": "flowResponses", "data": nodes})
    spec = ResponseMap(**recipe("fastgpt")["endpoint"]["response"])

    [passage] = ReplyMap(spec).read({"events": events}).passages
    assert (passage.id, passage.score, passage.text) == ("q1", 0.9, "签收后 30 天。\n")


@pytest.mark.parametrize(
    ("stem", "path"),
    [
        ("dify.blocking", "conversation_id"),
        ("ragflow.blocking", "data.session_id"),
        ("bailian.blocking", "output.session_id"),
        ("openai-responses.blocking", "id"),
    ],
)
def test_a_reply_names_its_conversation(shared, stem, path):
    folder = shared / "data/endpoint-samples"
    mapping = json.loads((folder / "mappings.json").read_text("utf-8"))[stem]
    reply = json.loads((folder / mapping["file"]).read_text("utf-8"))
    spec = ResponseMap(**{**mapping["response"], "session": path})

    assert ReplyMap(spec).read(reply).session


@pytest.mark.parametrize("name", ONE)
def test_a_recipe_that_needs_nothing_more_tells_turns_apart(name):
    page = (PAGE.parent / "conversations.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if "they send `uuid`" in line)
    sent = str(recipe(name)["endpoint"].get("body"))

    assert (f"`{name}`" in row) == ("session" in sent.lower() and "{{ uuid }}" in sent)


def test_each_recipe_has_a_row_and_a_page_and_no_page_is_without_one():
    listed = re.findall(
        r"^\| \[`(.+?)`\]\((.+?)\) \| .+ \| (.+?) \|$",
        PAGE.read_text("utf-8"),
        re.MULTILINE,
    )
    pages = {path.stem: path.read_text("utf-8") for path in PAGES.iterdir()}

    assert sorted(name for name, *_ in listed) == NAMES == sorted(pages)
    for name, link, layers in listed:
        assert link == f"recipes/{name}.md"
        assert f"\n`rag-eval init --for {name}`. " in pages[name]
        assert f"\nLayers that can be judged: {layers}.\n" in pages[name]
        assert f"docs/recipes/{name}.md" in (RECIPES / f"{name}.yaml").read_text(
            "utf-8"
        )


def test_an_unknown_server_is_answered_with_those_there_are(tmp_path, ran):
    with pytest.raises(Exception, match="did you mean dify"):
        ran("http://localhost", "init", "--for", "difi", str(tmp_path))
    with pytest.raises(Exception, match="there are anythingllm"):
        ran("http://localhost", "init", "--for", "../x", str(tmp_path))

    assert list(tmp_path.iterdir()) == []

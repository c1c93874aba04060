"""Conversations: handed over as they are, or played against a server with a memory."""

import json
import sys

import pytest
import yaml

from runner.probe import probe
from tests.program import rag_eval
from tests.streaming import replaying

ENGLISH = {
    "id": "laptop",
    "turns": [
        {"role": "user", "content": "Can I return an opened phone?"},
        {"role": "assistant", "content": "Yes, within 14 days."},
        {"role": "user", "content": "I bought it 9 days ago."},
    ],
    "question": "And a laptop?",
    "expected_doc_ids": ["returns#laptop"],
    "must_include": ["30 days"],
}
CHINESE = {
    "id": "zh",
    "messages": [
        {"role": "user", "content": "手机拆封后可以退吗？"},
        {"role": "assistant", "content": "可以，14 天内。"},
        {"role": "user", "content": "那笔记本电脑呢？"},
    ],
    "expected_doc_ids": ["returns#laptop"],
    "must_include": ["30 天"],
}
ENGLISH["turns"] = [*ENGLISH["turns"], {"role": "assistant", "content": "Good."}]
QUESTION = ENGLISH["question"]
REPLIES = {
    "And a laptop?": "A laptop within 30 days; you bought it 9 days ago.",
    "那笔记本电脑呢？": "笔记本电脑在 30 天内可以退。",
}


class Desk:
    """A server that keeps each conversation under an id, and knows only what it heard.

    A question without the one before it finds nothing.
    """

    def __init__(self) -> None:
        self.talks: dict[str, list[str]] = {}
        self.bodies: list[dict] = []
        self.broken = ""

    def __call__(self, request: bytes) -> bytes:
        body = json.loads(request.partition(b"\r\n\r\n")[2])
        self.bodies.append(body)
        name = (
            body.get("conversation_id") or body.get("uuid") or f"talk-{len(self.talks)}"
        )
        heard = self.talks.setdefault(name, [])
        earlier = [*heard, *(turn["content"] for turn in body.get("history") or ())]
        heard.append(body["query"])
        if body["query"] == self.broken:
            return b'{"error": "no model"}'
        text = f"About: {body['query']}"
        if body["query"] in REPLIES:
            known = any("phone" in said or "手机" in said for said in earlier)
            text = REPLIES[body["query"]] if known else "What do you mean?"
        found = [{"id": "returns#laptop", "text": text}]
        return json.dumps(
            {"answer": text, "contexts": found, "conversation_id": name}
        ).encode()


@pytest.fixture
def desk():
    with replaying() as server:
        server.body = server.desk = Desk()
        server.head = ("Content-Type: application/json",)
        yield server


@pytest.fixture
def run(desk, tmp_path):
    """Give what runs a spec over the two conversations."""

    def ran(body=None, does="run", **endpoint):
        url = {"url": desk.url, "body": {"query": "{{ question }}", **(body or {})}}
        asked = {} if endpoint.keys() & {"command", "steps"} else url
        endpoint = {**asked, "concurrency": 1, **endpoint}
        spec = {"endpoint": endpoint, "cases": "cases.json"}
        spec["metrics"] = ["recall@5", "number_support", "key_points"]
        spec["thresholds"] = {"accuracy": {"min": 1}, "number_support": {"min": 1}}
        (tmp_path / "cases.json").write_text(json.dumps([ENGLISH, CHINESE]))
        (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))
        return rag_eval(does, "spec.yaml", cwd=tmp_path)

    return ran


def test_what_was_said_is_handed_over_as_history(desk, run):
    ended = run({"history": "{{ history }}"})

    assert ended.exit == 0, ended.out
    first, second = desk.desk.bodies
    assert first["history"] == ENGLISH["turns"]
    assert second == {"query": "那笔记本电脑呢？", "history": CHINESE["messages"][:2]}


def test_a_loop_over_it_writes_any_other_shape(desk, run):
    text = "{% for turn in history %}{{ turn.role }}: {{ turn.content }}\n{% endfor %}"
    ended = run({"query": f"{text}{{{{ question }}}}"})

    assert ended.exit == 1  # the desk takes it for another question
    assert desk.desk.bodies[1]["query"].splitlines() == [
        *(
            "user: 手机拆封后可以退吗？",
            "assistant: 可以，14 天内。",
            "那笔记本电脑呢？",
        )
    ]


def test_a_request_that_leaves_it_out_is_doubted_and_fails(run):
    ended = run({})

    said = " ".join(ended.out.split())
    assert ended.exit == 1
    assert "nothing in the request reads {{ history }}" in said
    assert "write turns: live" in said
    assert "nothing in the request reads {{ history }}" in run({}, "validate").out


@pytest.mark.parametrize(
    ("body", "response"),
    [
        ({"uuid": "{{ uuid }}"}, {}),
        ({"conversation_id": "{{ session }}"}, {"session": "conversation_id"}),
    ],
    ids=["under our name", "under the server's"],
)
def test_a_conversation_is_played_under_one_name(desk, run, body, response):
    ended = run(body, turns="live", response=response)

    assert ended.exit == 0, ended.out
    assert [body["query"] for body in desk.desk.bodies] == [
        "Can I return an opened phone?",
        "I bought it 9 days ago.",
        "And a laptop?",
        "手机拆封后可以退吗？",
        "那笔记本电脑呢？",
    ]
    assert len(desk.desk.talks) == 2


def test_what_is_played_is_kept_and_the_history_is_what_really_came(
    desk, run, tmp_path
):
    ended = run({"history": "{{ history }}"}, turns="live")

    assert ended.exit == 0, ended.out
    sent = [body["history"] for body in desk.desk.bodies[:3]]
    first = {"role": "assistant", "content": "About: Can I return an opened phone?"}
    assert [len(each) for each in sent] == [0, 2, 4]
    assert sent[1][1] == first
    lines = (tmp_path / "rag-eval-results/responses.jsonl").read_text().splitlines()
    kept = json.loads(lines[0])["response"]
    assert kept["turns"] == sent[2]
    assert kept["answer"] == REPLIES["And a laptop?"]


def test_a_failure_in_an_earlier_turn_says_in_which(desk, run):
    desk.desk.broken = "I bought it 9 days ago."

    ended = run({"uuid": "{{ uuid }}"}, turns="live", response={"error": "error"})

    [failed] = ended.results["failures"]
    assert (failed["layer"], failed["cause"]) == ("service", "service.http_error")
    assert failed["evidence"] == ("in turn 2 of 3: the reply states an error: no model")
    assert failed["question"] == "And a laptop?"
    assert [body["query"] for body in desk.desk.bodies[:3]] == [
        *("Can I return an opened phone?", "I bought it 9 days ago."),
        "手机拆封后可以退吗？",
    ]


def test_what_was_answered_before_a_turn_failed_is_kept(desk, run, tmp_path):
    desk.desk.broken = "I bought it 9 days ago."

    run({"uuid": "{{ uuid }}"}, turns="live", response={"error": "error"})

    lines = (tmp_path / "rag-eval-results/responses.jsonl").read_text().splitlines()
    kept = json.loads(lines[0])
    assert kept["failure"]["cause"] == "service.http_error"
    assert [turn["content"] for turn in kept["response"]["turns"]] == [
        "Can I return an opened phone?",
        "About: Can I return an opened phone?",
    ]


def test_a_name_of_the_conversation_that_is_none_is_a_failed_call(run):
    ended = run(
        {"conversation_id": "{{ session }}"},
        turns="live",
        response={"session": "contexts"},
    )

    [failed, _] = ended.results["failures"]
    assert failed["cause"] == "service.malformed"
    assert "in turn 1 of 3: session is a list" in failed["evidence"]


def test_an_earlier_answer_that_is_empty_is_one_too(desk, run):
    desk.desk.broken = "nothing"
    REPLIES["I bought it 9 days ago."] = " "
    try:
        ended = run({"uuid": "{{ uuid }}"}, turns="live")
    finally:
        del REPLIES["I bought it 9 days ago."]

    [failed] = ended.results["failures"]
    assert failed["cause"] == "service.empty_answer"
    assert failed["evidence"] == "in turn 2 of 3: the answer is empty"


def test_turns_that_no_server_could_put_together_are_doubted(run):
    ended = run({}, turns="live")

    said = " ".join(ended.out.split())
    assert "nothing in the request reads {{ uuid }}, {{ session }} or" in said


def test_a_probe_plays_the_conversation_and_shows_the_last_reply(desk, run, tmp_path):
    body = {"conversation_id": "{{ session }}"}
    run(body, turns="live", response={"session": "conversation_id"})
    before = len(desk.desk.bodies)

    found = probe(tmp_path / "spec.yaml", tmp_path, {}, "laptop")

    text = "\n".join(found.lines)
    assert found.status == 0
    assert len(desk.desk.bodies) == before + 3
    assert '{"conversation_id": "talk-2", "query": "And a laptop?"}' in text
    assert "  session          conversation_id\n                     talk-" in text
    assert REPLIES["And a laptop?"] in text


def test_a_program_is_given_the_history_and_can_be_played(run, desk):
    code = (
        "import json; asked = json.loads(input()); said = asked['history'];"
        "print(json.dumps({'answer': '30 days 30 天 ' + str(len(said)), 'contexts': "
        "[{'id': 'returns#laptop', 'text': '30 days 30 天 4 2'}]}))"
    )
    command = f'{sys.executable} -c "{code}"'

    given, live = run(command=command), run(turns="live", command=command)

    assert (given.exit, live.exit) == (0, 0), given.out + live.out
    assert desk.desk.bodies == []


@pytest.mark.parametrize(
    ("said", "status"),
    [("My order is ZEBRA-7.", 0), ("My order is late.", 1)],
)
def test_what_the_user_said_before_is_no_leak_and_what_nobody_said_is_one(
    tmp_path, desk, said, status
):
    found = [{"id": "d#1", "text": "Orders come in 3 days."}]
    answer = {"answer": "Order ZEBRA-7 comes in 3 days.", "contexts": found}
    desk.body = json.dumps(answer).encode()
    case = {
        "question": "When does it come?",
        "turns": [{"role": "user", "content": said}, {"role": "ai", "text": "I see."}],
        "canaries": ["ZEBRA-7", "LION-9"],
        "must_include": ["3 days"],
    }
    body = {"query": "{{ question }}", "history": "{{ history }}"}
    spec = {"endpoint": {"url": desk.url, "body": body}, "cases": "cases.json"}
    (tmp_path / "cases.json").write_text(json.dumps([case]))
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(spec))

    ended = rag_eval("run", "spec.yaml", cwd=tmp_path)

    assert ended.exit == status, ended.out
    leaking = ended.results["summaries"]["leakage"]["mean"]
    assert leaking == float(status)


def test_a_session_of_the_servers_is_opened_once_in_a_conversation(desk, run):
    steps = [
        {"name": "session", "url": desk.url, "body": {"query": "open"}},
        {
            "name": "chat",
            "url": desk.url,
            "body": {
                "query": "{{ question }}",
                "conversation_id": "{{ session.conversation_id }}",
            },
        },
    ]
    mapped = {"answer": "chat.answer", "contexts": "chat.contexts"}

    ended = run(turns="live", steps=steps, response=mapped)

    assert ended.exit == 0, ended.out + ended.err
    asked = [body["query"] for body in desk.desk.bodies]
    assert asked.count("open") == 2
    assert asked[:4] == [
        "open",
        *(t["content"] for t in ENGLISH["turns"][::2]),
        QUESTION,
    ]

"""Each case asked several times, live and from a recording, by the command line."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread

import pytest

from tests.program import rag_eval

pytestmark = pytest.mark.e2e

SPEC = """
endpoint: {{url: {url}, body: {{question: "{{{{ question }}}}"}}, concurrency: 3}}
cases: cases.jsonl
metrics: [recall@5]
trials: {{times: 3, passes: {passes}}}
"""


class Desk(ThreadingHTTPServer):
    """Answers a flaky question wrongly at every third time that it is asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = {}
        self.lock = Lock()

    def answer(self, question):
        with self.lock:
            times = next(self.asked.setdefault(question, count(1)))
        wrong = question == "flaky" and times % 3 == 0
        return "two" if wrong else "one"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        question = json.loads(self.rfile.read(length))["question"]
        answer = self.server.answer(question)
        body = {"answer": answer, "contexts": [{"id": "d1", "text": answer}]}
        sent = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def desk():
    with Desk() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def team(tmp_path):
    rows = [
        {
            "id": name,
            "question": name,
            "expected_doc_ids": ["d1"],
            "must_include": ["one"],
        }
        for name in ("steady", "flaky", "calm")
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "cases.jsonl").write_text(lines, "utf-8")
    return tmp_path


def run(team, desk, *options, passes="majority"):
    url = f"http://127.0.0.1:{desk.server_port}/"
    (team / "rag.yaml").write_text(SPEC.format(url=url, passes=passes), "utf-8")
    done = rag_eval("run", "rag.yaml", "--quiet", *options, cwd=team)
    assert done.exit in (0, 1), done.err
    return done.results


def kept(team, name):
    lines = (team / "rag-eval-results" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_case_is_asked_so_often_and_every_reply_is_kept(team, desk):
    found = run(team, desk)

    replies = [
        (line["case_id"], line["trial"]) for line in kept(team, "responses.jsonl")
    ]
    assert sorted(replies) == sorted(
        (name, trial) for name in ("steady", "flaky", "calm") for trial in (1, 2, 3)
    )
    assert found["totals"]["cases"] == 3
    assert found["trials"]["flaky"] == {"flaky": "2 of 3"}
    assert found["summaries"]["accuracy"]["mean"] == 1.0
    told = "1 case is flaky, and passed in some of its trials only: flaky (2 of 3)"
    assert told in found["notices"]


def test_a_case_of_which_one_trial_fails_fails_where_all_must_pass(team, desk):
    found = run(team, desk, passes="all")

    [case] = found["failures"]
    assert (case["id"], case["answer"]) == ("flaky", "two")
    assert found["summaries"]["key_points"]["mean"] == pytest.approx(8 / 9)


def test_a_recording_holds_every_trial(team, desk):
    live = run(team, desk)
    (team / "rag-eval-results/responses.jsonl").rename(team / "log.jsonl")

    again = run(team, desk, "--replay", "log.jsonl")

    assert again["trials"] == live["trials"]
    assert again["summaries"]["recall@5"] == live["summaries"]["recall@5"]


def test_the_command_line_says_how_often(team, desk):
    found = run(team, desk, "--trials", "1")

    assert found["trials"] is None
    assert len(kept(team, "responses.jsonl")) == 3

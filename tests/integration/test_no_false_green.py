"""What an endpoint can do to look healthy, over real HTTP: none of it ends green."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
FACTS = {
    "How long is the trial?": "The trial lasts 14 days.",
    "How many seats are there?": "The team plan has 25 seats.",
    "Where is the data?": "All data is stored in Frankfurt.",
    "How large is an upload?": "An upload may be up to 200 MB.",
}
POINTS = ("14 days", "25 seats", "Frankfurt", "200 MB")
SPEC = """
name: loopback
endpoint:
  url: ${RAG_URL}
  body: {query: "{{ question }}"}
  timeout: 1s
  retries: 0
  concurrency: 2
cases: cases.json
thresholds:
  recall@5: {min: 0.85}
  accuracy: {min: 0.8}
  latency_p95: {max: 800ms}
"""


def good(question: str) -> dict[str, Any]:
    text = FACTS[question]
    return {"answer": text, "contexts": [{"id": text, "text": text, "score": 0.9}]}


def sent(
    handler: BaseHTTPRequestHandler,
    body: bytes | str,
    status: int = 200,
    kind: str = "application/json",
    **headers: str,
) -> None:
    raw = body.encode() if isinstance(body, str) else body
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    named = {"Content-Length": str(len(raw)), **headers}
    for name, value in named.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(raw)


class Asked(NamedTuple):
    question: str
    count: int
    """How many requests came to this path so far, this one among them."""


Behaviour = Callable[[BaseHTTPRequestHandler, Asked], None]


def healthy(handler, asked):
    sent(handler, json.dumps(good(asked.question)))


def error_with_a_good_body(handler, asked):
    sent(handler, json.dumps(good(asked.question)), 500)


def half_of_the_calls_fail(handler, asked):
    if asked.count % 2:
        sent(handler, '{"detail": "boom"}', 500)
    else:
        healthy(handler, asked)


def a_login_page(handler, _asked):
    sent(handler, "<html><body>Please log in.</body></html>", kind="text/html")


def a_redirect_to_a_login_page(handler, _asked):
    sent(handler, "", 302, Location="/a_login_page")


def an_empty_body(handler, _asked):
    sent(handler, "")


def no_answer_in_some_replies(handler, asked):
    reply = good(asked.question)
    if asked.count == 1:
        reply["answer"] = None
    sent(handler, json.dumps(reply))


def an_error_in_a_good_status(handler, asked):
    reply = {**good(asked.question), "failure": "the model is overloaded"}
    sent(handler, json.dumps(reply))


def half_a_body(handler, asked):
    body = json.dumps(good(asked.question))
    sent(handler, body[: len(body) // 2], Content_Length=str(len(body)))
    handler.close_connection = True


def slower_than_the_timeout(handler, asked):
    if asked.count == 1:
        time.sleep(1.5)
    healthy(handler, asked)


def slower_than_the_limit(handler, asked):
    time.sleep(0.9)
    healthy(handler, asked)


def always_the_same_answer(handler, _asked):
    sent(handler, json.dumps(good("How long is the trial?")))


def not_a_number(handler, asked):
    reply = good(asked.question)
    reply["contexts"][0]["score"] = float("nan")
    sent(handler, json.dumps(reply))


def turns_bad(handler, asked):
    if asked.count <= len(FACTS):
        healthy(handler, asked)
    else:
        sent(handler, json.dumps({"answer": "No idea.", "contexts": []}))


BEHAVIOURS: dict[str, Behaviour] = {
    function.__name__: function
    for function in (
        healthy,
        error_with_a_good_body,
        half_of_the_calls_fail,
        a_login_page,
        a_redirect_to_a_login_page,
        an_empty_body,
        no_answer_in_some_replies,
        an_error_in_a_good_status,
        half_a_body,
        slower_than_the_timeout,
        slower_than_the_limit,
        always_the_same_answer,
        not_a_number,
        turns_bad,
    )
}


COUNTS: Counter[str] = Counter()
LOCK = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        name = self.path.strip("/")
        with LOCK:
            COUNTS[name] += 1
            count = COUNTS[name]
        BEHAVIOURS[name](self, Asked(body.get("query", ""), count))

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server():
    COUNTS.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


class Ran(NamedTuple):
    exit: int
    said: str
    report: dict[str, Any] | None


def run(folder: Path, url: str, spec: str = SPEC) -> Ran:
    cases = [
        {"id": f"c{n}", "question": question, "expected_doc_ids": [text]}
        | {"must_include": [POINTS[n]]}
        for n, (question, text) in enumerate(FACTS.items())
    ]
    (folder / "spec.yaml").write_text(spec, "utf-8")
    (folder / "cases.json").write_text(json.dumps(cases), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "runner", "run", "spec.yaml", "--quiet"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "GITHUB_WORKSPACE": "",
            "RAG_URL": url,
        },
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    results = folder / "rag-eval-results" / "results.json"
    report = json.loads(results.read_text("utf-8")) if results.exists() else None
    return Ran(done.returncode, done.stdout + done.stderr, report)


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        ("healthy", 0),
        ("error_with_a_good_body", 3),
        ("half_of_the_calls_fail", 3),
        ("a_login_page", 3),
        ("a_redirect_to_a_login_page", 3),
        ("an_empty_body", 3),
        ("no_answer_in_some_replies", 3),
        ("half_a_body", 3),
        ("slower_than_the_timeout", 3),
        ("slower_than_the_limit", 1),
        ("always_the_same_answer", 1),
    ],
)
def test_what_an_endpoint_does_decides_the_exit_status(
    server, tmp_path, behaviour, status
):
    ran = run(tmp_path, f"{server}/{behaviour}")

    assert ran.exit == status, ran.said
    assert "Traceback" not in ran.said
    assert ran.report["verdict"] == {0: "passed", 1: "failed", 3: "error"}[status]


def test_failed_calls_move_no_quality_metric(server, tmp_path):
    ran = run(tmp_path, f"{server}/half_of_the_calls_fail")

    assert ran.report["totals"]["errors"] == 2
    assert ran.report["summaries"]["recall@5"]["mean"] == 1.0
    assert ran.report["summaries"]["recall@5"]["scored"] == 2


def test_nobody_listens(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    ran = run(tmp_path, f"http://127.0.0.1:{port}/rag")

    assert ran.exit == 3, ran.said
    assert ran.report["totals"]["errors"] == len(FACTS)


def test_an_error_in_a_good_status_is_an_error_where_the_mapping_says_so(
    server, tmp_path
):
    mapped = SPEC.replace("  retries: 0", "  retries: 0\n  response: {error: failure}")

    ran = run(tmp_path, f"{server}/an_error_in_a_good_status", mapped)

    assert ran.exit == 3, ran.said
    assert "the model is overloaded" in ran.report["failures"][0]["evidence"]


def test_a_number_that_is_none_neither_breaks_the_run_nor_the_results(server, tmp_path):
    ran = run(tmp_path, f"{server}/not_a_number")

    assert ran.exit == 3, ran.said
    folder = tmp_path / "rag-eval-results"
    for name in ("cases.jsonl", "responses.jsonl"):
        for line in (folder / name).read_text("utf-8").splitlines():
            json.loads(line, parse_constant=pytest.fail)
    json.loads((folder / "results.json").read_text("utf-8"), parse_constant=pytest.fail)


def test_nothing_is_remembered_from_one_run_to_the_next(server, tmp_path):
    before = run(tmp_path, f"{server}/turns_bad")
    after = run(tmp_path, f"{server}/turns_bad")

    assert (before.exit, after.exit) == (0, 1)
    assert COUNTS["turns_bad"] == 2 * len(FACTS)

"""A secret reaches the endpoint and nothing else, however hard the endpoint tries."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SECRET = "hunter2-A1b2C3d4E5f6G7h8I9j0-K1l2M3n4"  # noqa: S105  made up
CASE = {"id": "a", "question": "How long?", "must_include": ["14 days"]}
SPEC = """
endpoint:
  url: {url}
  headers: {{Authorization: "Bearer ${{TOKEN}}"}}
  body: {{query: "{{{{ question }}}}"}}
  retries: 0
{more}
cases: cases.json
thresholds: {{accuracy: {{min: 0.5}}}}
"""


class Echo(BaseHTTPRequestHandler):
    """Sends back what came, in the place that the path names."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        place, _, padding = self.path.strip("/").partition("/")
        said = "x" * int(padding or 0) + str(self.headers["Authorization"])
        reply = {
            "answer": said if place == "answer" else "14 days",
            "contexts": [{"id": "d", "text": said if place == "text" else "14 days"}],
            "error": said if place == "error" else None,
            "usage": {said if place == "usage" else "tokens": 5},
        }
        reply |= {said: 1, "answer": None} if place == "key" else {}
        reply |= {"citations": [{said: said}]} if place == "cited" else {}
        body = (said if place in ("garbage", "status") else json.dumps(reply)).encode()
        self.send_response(500 if place == "status" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def url():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def told(folder, url, more="", command="run"):
    """Give everything that one command says and leaves behind."""
    (folder / ".git").mkdir()
    (folder / "cases.json").write_text(json.dumps([CASE]), "utf-8")
    (folder / "spec.yaml").write_text(SPEC.format(url=url, more=more), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "runner", command, "spec.yaml"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TOKEN": SECRET},
        capture_output=True,
        timeout=60,
        check=False,
    )
    files = (folder / "rag-eval-results").glob("*")
    texts = [done.stdout, done.stderr, *(path.read_bytes() for path in files)]
    return done.returncode, b"\n".join(texts).decode("utf-8")


def beginning(text):
    """Give what of the secret's beginning stands in a text, if it tells anything."""
    sizes = range(len(SECRET), 5, -1)
    return next((SECRET[:size] for size in sizes if SECRET[:size] in text), "")


@pytest.mark.parametrize(
    ("place", "more"),
    [
        ("answer", ""),
        ("answer/1980", ""),  # a report keeps 2,000 characters of an answer
        ("text", ""),
        ("usage", ""),
        ("key", ""),
        ("key/10", ""),
        ("cited", ""),
        ("garbage", ""),
        ("garbage/170", ""),
        ("status/270", ""),
        ("error/270", "  response: {error: error}"),
        ("answer", "  response: {answer: sum(answer)}"),
        ("answer/170", "  response: {answer: sum(answer)}"),
    ],
)
def test_what_an_endpoint_echoes_is_told_nowhere(tmp_path, url, place, more):
    status, text = told(tmp_path, f"{url}/{place}", more)

    assert status in (0, 1, 2, 3)
    assert beginning(text) == ""


@pytest.mark.parametrize(
    "more",
    [
        "  timeout: ${TOKEN}",
        "  match: ${TOKEN}",
        "  response: {strip: ['(${TOKEN}']}",
        "  response: {answer: '${TOKEN}('}",
        "  wait_for: {url: 'http://127.0.0.1:9/${TOKEN}', timeout: 100ms}",
        "  wait_for: {url: 'http://${TOKEN}:x/', timeout: 100ms}",
        "  start: {command: '${TOKEN} --port 1'}",
        "  start: {command: 'sh -c \"echo ${TOKEN}; exit 3\"'}",
        "  query: {key: \"{{ '${TOKEN}' * 2 }}\"}",
    ],
)
@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_mistake_beside_a_secret_does_not_tell_it(tmp_path, more, command):
    status, text = told(tmp_path, "http://127.0.0.1:9/", more, command)

    assert status in ((2, 3) if command == "run" else (0, 2))
    assert beginning(text) == ""


def test_a_wrong_url_does_not_tell_its_credentials(tmp_path):
    status, text = told(tmp_path, "http://me:${TOKEN}@127.0.0.1:99999/")

    assert (status, beginning(text)) == (2, "")

"""Requests that prove who asks: tokens that are renewed, and signatures, over HTTP."""

import json
import shlex
import socket
import sys
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from runner.endpoints._auth import NoToken, printed
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError
from runner.files import named
from runner.model import Case, Failure
from runner.redact import Redactor
from runner.responses import Limits, collect
from runner.spec import EndpointSpec
from runner.templating import by_path
from tests.program import rag_eval
from tests.streaming import Said, replaying

CASE = Case("qa-1", "退货期限?")
GOOD = json.dumps({"answer": "30 days.", "contexts": []}).encode()
REFUSED = Said(b"expired", "401 Unauthorized")


class Gate:
    """A server that takes one token at a time, and keeps what it was shown."""

    def __init__(self, valid):
        self.valid = valid
        self.shown = []

    def __call__(self, request):
        token = request.partition(b"Authorization: Bearer ")[2].split(b"\r")[0].decode()
        self.shown.append(token)
        return Said(GOOD) if token == self.valid else REFUSED


@pytest.fixture
def asking(tmp_path):
    """Give what makes an endpoint with a bearer, whose spec lies in a folder."""

    def made(url, bearer, redactor=None, **spec):
        spec = {"url": url, "body": {"q": "{{ question }}"}, "timeout": "5s", **spec}
        return HttpEndpoint(
            EndpointSpec.model_validate({**spec, "auth": {"bearer": bearer}}),
            {},
            secrets=redactor or (),
            find=lambda written, where: named(
                written, spec="rag.yaml", root=tmp_path, where=where
            ),
        )

    return made


def program(tmp_path, text):
    """Give a command that runs a little program in the folder of the spec."""
    (tmp_path / "token.py").write_text(text)
    return [sys.executable, "token.py"]


COUNTING = """
from pathlib import Path
seen = Path("calls")
seen.write_text(str(int(seen.read_text()) + 1) if seen.exists() else "1")
print("token-" + seen.read_text())
"""


def test_a_token_is_read_once_and_again_when_it_is_refused(tmp_path, asking):
    command = program(tmp_path, COUNTING)
    with replaying() as server:
        server.body = gate = Gate("token-1")
        with closing(asking(server.url, {"command": command})) as endpoint:
            first = [endpoint.ask(CASE) for _ in range(3)]
            gate.valid = "token-2"
            second = [endpoint.ask(CASE) for _ in range(3)]

    assert {each.answer for each in (*first, *second)} == {"30 days."}
    assert gate.shown == ["token-1"] * 4 + ["token-2"] * 3


def test_a_token_of_a_file_is_read_anew_when_it_is_refused(tmp_path, asking):
    (tmp_path / "token").write_text("token-1\n")
    with replaying() as server:
        server.body = gate = Gate("token-1")
        with closing(asking(server.url, {"file": "token"})) as endpoint:
            assert endpoint.ask(CASE).answer == "30 days."
            (tmp_path / "token").write_text("token-2\n")
            gate.valid = "token-2"
            assert endpoint.ask(CASE).answer == "30 days."

    assert gate.shown == ["token-1", "token-1", "token-2"]


def test_many_threads_that_are_refused_read_one_token(tmp_path, asking):
    command = program(tmp_path, "import time; time.sleep(1.5)" + COUNTING)
    cases = [Case(f"qa-{number}", "Why?") for number in range(64)]
    lock = threading.Lock()
    with replaying() as server:
        gate = Gate("token-2")
        server.cut = lambda body: [body]

        def body(request):
            with lock:
                return gate(request)

        server.body = body
        with closing(asking(server.url, {"command": command})) as endpoint:
            exchanges = [
                *collect(
                    endpoint,
                    cases,
                    Limits(concurrency=16, retries=0),
                    clock=time.monotonic,
                    uniform=lambda low, _: low,
                    now=lambda: datetime.now(UTC),
                )
            ]

    assert {each.result.answer for each in exchanges} == {"30 days."}
    assert (tmp_path / "calls").read_text() == "2"
    assert gate.shown.count("token-1") <= 16
    # Reading a token is nobody's latency.
    assert max(each.result.latency for each in exchanges) < 1.2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print()", "gives no token: it is empty"),
        ("print('a b')", "gives more than a token: it has to stand there alone"),
        ("print('a'); print('b')", "gives more than a token"),
        ("print('Schl\\xfcssel')", "no token: it is no ASCII text"),
        ("print('t' * 70000)", "gives more than a token"),
        (
            "import sys; print('s3cr3t'); sys.exit('log in\\nfirst: az login')",
            "ended with status 1 instead of a token; its standard error ends with: fi",
        ),
        ("import os; os.kill(os.getpid(), 9)", "ended with status -9 instead"),
    ],
)
def test_a_command_that_gives_no_token_fails_the_case(tmp_path, asking, text, message):
    command = program(tmp_path, text)
    with replaying() as server:
        with closing(asking(server.url, {"command": command})) as endpoint:
            found = endpoint.ask(CASE)
        assert server.requests == []

    assert isinstance(found, Failure)
    assert (found.cause, found.retryable) == ("service.unreachable", True)
    assert found.message.startswith("endpoint.auth.bearer.command: ")
    assert message in found.message
    assert "s3cr3t" not in found.message


def test_a_token_that_cannot_be_renewed_is_told_with_the_refusal(tmp_path, asking):
    text = f"{COUNTING}\nimport sys\nif seen.read_text() == '2': sys.exit('logged out')"
    command = program(tmp_path, text.replace('print("token', '(lambda: 0)("token'))
    command = program(tmp_path, text)
    with replaying() as server:
        server.body = Gate("another")
        with closing(asking(server.url, {"command": command})) as endpoint:
            found = endpoint.ask(CASE)

    assert found.cause == "service.http_error"
    assert "answered 401 Unauthorized" in found.message
    assert found.message.endswith("its standard error ends with: logged out")


def test_a_new_token_that_is_refused_too_is_not_tried_for_ever(tmp_path, asking):
    command = program(tmp_path, COUNTING)
    with replaying() as server:
        server.body = gate = Gate("another")
        with closing(asking(server.url, {"command": command})) as endpoint:
            found = endpoint.ask(CASE)

    assert "401 Unauthorized (it takes no token that auth gives)" in found.message
    assert gate.shown == ["token-1", "token-2"]


def test_the_same_token_is_not_sent_twice(tmp_path, asking):
    (tmp_path / "token").write_text("token-1")
    with replaying() as server:
        server.body = gate = Gate("another")
        with closing(asking(server.url, {"file": "token"})) as endpoint:
            assert "answered 401" in endpoint.ask(CASE).message

    assert gate.shown == ["token-1"]


@pytest.mark.parametrize(
    ("bearer", "message"),
    [
        (
            {"command": ["no-such-program"]},
            "endpoint.auth.bearer.command: no-such-program cannot be started: No such",
        ),
        (
            {"file": "not-there"},
            "endpoint.auth.bearer.file: no token can be read: No such file or",
        ),
        ({"file": "../outside"}, "endpoint.auth.bearer.file: ../outside leads out of"),
    ],
)
def test_a_source_that_is_none_is_an_error_of_the_spec(asking, bearer, message):
    with pytest.raises(InputError) as caught, replaying() as server:
        asking(server.url, bearer).ask(CASE)

    assert str(caught.value).startswith(message)


def test_a_token_is_masked_as_soon_as_it_is_read(tmp_path, asking):
    (tmp_path / "token").write_text("s3cret-token-of-a-file")
    redactor = Redactor(["other-secret"])
    with replaying() as server:
        server.body = lambda request: Said(request, "500 Down")
        with closing(asking(server.url, {"file": "token"}, redactor)) as endpoint:
            found = endpoint.ask(CASE)

    assert "Authorization: Bearer ***" in found.message
    assert redactor.text("s3cret-token-of-a-file, other-secret") == "***, ***"


def test_a_redirect_within_the_service_is_shown_the_token_and_no_other(
    tmp_path, asking
):
    (tmp_path / "token").write_text("token-1")
    with replaying() as server:
        gate = Gate("token-1")

        def body(request):
            if b" /rag " in request:
                return Said(b"", "307 Moved", ("Location: /new",))
            return gate(request)

        server.body = body
        with closing(asking(server.url, {"file": "token"})) as endpoint:
            assert endpoint.ask(CASE).answer == "30 days."

    assert gate.shown == ["token-1"]


KEYS = {
    "region": "eu-west-1",
    "service": "bedrock",
    "access_key_id": "AKIDEXAMPLE",
    "secret_access_key": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
}


def test_each_request_is_signed_and_a_redirect_anew():
    with replaying() as server:
        server.body = lambda request: (
            Said(b"", "307 Moved", ("Location: /new?a=b",))
            if b" /rag " in request
            else Said(GOOD)
        )
        spec = {"url": server.url, "body": {"q": "{{ question }}"}}
        spec["auth"] = {"aws_sigv4": KEYS}
        with closing(HttpEndpoint(EndpointSpec.model_validate(spec), {})) as endpoint:
            assert endpoint.ask(CASE).answer == "30 days."

    signatures = []
    for request in server.requests:
        head = request.decode("latin-1").lower()
        assert "authorization: aws4-hmac-sha256 credential=akidexample/" in head
        assert (
            "/eu-west-1/bedrock/aws4_request, signedheaders=content-type;host;" in head
        )
        assert KEYS["secret_access_key"].lower() not in head
        signatures.append(head.partition("signature=")[2].split("\r")[0])
    assert len(set(signatures)) == 2


def test_keys_that_are_refused_point_at_auth():
    with replaying() as server:
        server.body = Said(b'{"message": "expired"}', "403 Forbidden")
        server.body = lambda _: Said(b'{"message": "expired"}', "403 Forbidden")
        spec = {"url": server.url, "auth": {"aws_sigv4": KEYS}}
        with closing(HttpEndpoint(EndpointSpec.model_validate(spec), {})) as endpoint:
            found = endpoint.ask(CASE)

    assert "403 Forbidden (check the keys, region and service in auth)" in found.message


def test_a_step_may_show_something_else_than_the_others(tmp_path):
    (tmp_path / "token").write_text("token-1")
    with replaying() as server:
        server.body = lambda _: Said(GOOD)
        spec = {
            "auth": {"bearer": {"file": "token"}},
            "steps": [
                {"name": "a", "url": f"{server.url}/a"},
                {"name": "b", "url": f"{server.url}/b", "auth": {"aws_sigv4": KEYS}},
            ],
            "response": {"answer": "b.answer"},
        }
        made = EndpointSpec.model_validate(spec)
        find = lambda written, _: tmp_path / written  # noqa: E731 - a stand-in
        with closing(HttpEndpoint(made, {}, find=find)) as endpoint:
            attempt = endpoint.fetch(CASE)
            assert endpoint.read(attempt).answer == "30 days."

    assert b"Authorization: Bearer token-1" in server.requests[0]
    assert b"AWS4-HMAC-SHA256" in server.requests[1]


@pytest.fixture
def team(tmp_path):
    """A repository whose spec reads a token that its server gives back in answers."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "evals").mkdir()
    cases = [{"id": "a", "question": "Why?"}, {"id": "b", "question": "Who?"}]
    (tmp_path / "evals/cases.json").write_text(json.dumps(cases))
    (tmp_path / "evals/token").write_text("s3cret-token-of-a-file")

    def written(url, auth):
        endpoint = {"url": url, "body": {"q": "{{ question }}"}, "auth": auth}
        spec = {"endpoint": endpoint, "cases": "cases.json", "metrics": ["key_points"]}
        (tmp_path / "evals/rag.yaml").write_text(yaml.safe_dump(spec))
        return tmp_path

    return written


def echo(request):
    """Say the token back, in an answer to one question, and a failure to the other."""
    shown = request.partition(b"Authorization: ")[2].split(b"\r")[0].decode()
    if b"Why?" in request:
        return Said(json.dumps({"answer": f"You sent {shown}."}).encode())
    return Said(f"bad {shown}".encode(), "400 Bad")


@pytest.mark.parametrize(
    "bearer",
    [
        {"file": "token"},
        {"command": shlex.join([sys.executable, "-c", "print(open('token').read())"])},
    ],
)
def test_a_token_is_in_nothing_that_a_run_leaves(team, bearer):
    with replaying() as server:
        server.body = echo
        folder = team(server.url, {"bearer": bearer})
        probed = rag_eval("probe", "evals/rag.yaml", cwd=folder)
        ended = rag_eval("run", "evals/rag.yaml", "--out", "out", cwd=folder)

    assert "You sent Bearer ***." in probed.out
    records = (folder / "out/responses.jsonl").read_text("utf-8")
    assert "You sent Bearer ***." in records
    assert "bad Bearer ***" in records
    left = [probed.out, probed.err, ended.out, ended.err]
    left += [path.read_text("utf-8") for path in Path(folder / "out").iterdir()]
    assert not [text for text in left if "s3cret-token-of-a-file" in text]


def test_no_command_is_run_inside_of_the_container(team):
    with replaying() as server:
        folder = team(server.url, {"bearer": {"command": ["az", "token"]}})
        inside = {"INPUT_SPEC": "evals/rag.yaml", "GITHUB_WORKSPACE": str(folder)}
        ended = rag_eval("action", cwd=folder, **inside)

    told = ended.out + ended.err
    assert ended.exit == 2
    assert "az is not run inside of the action's container" in told
    assert "bearer: {file: ...}" in told
    assert server.requests == []


def test_what_cannot_be_signed_is_an_error_of_the_spec():
    spec = {"url": "http://127.0.0.1:9/", "auth": {"aws_sigv4": KEYS}}
    spec["headers"] = {"X-Amz-Target": 'a "b'}
    with (
        closing(HttpEndpoint(EndpointSpec.model_validate(spec), {})) as endpoint,
        pytest.raises(InputError, match="cannot sign: No closing quot"),
    ):
        endpoint.ask(CASE)


def test_a_command_that_does_not_end_is_ended(tmp_path):
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    began = time.monotonic()

    with pytest.raises(NoToken, match=r"printed no token within 0\.5 s"):
        printed(words, tmp_path, by_path("auth"), patience=0.5)

    assert time.monotonic() - began < 10


LOUD = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Loud(BaseHTTPRequestHandler):
    def do_POST(self):
        print("got", self.headers["Authorization"], flush=True)
        said = json.dumps({"answer": "30 days."}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

HTTPServer(("127.0.0.1", int(sys.argv[1])), Loud).serve_forever()
"""


def test_a_token_is_masked_in_the_log_of_a_service_that_is_started(team):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = team(f"http://127.0.0.1:{port}/rag", {"bearer": {"file": "token"}})
    (folder / "evals/loud.py").write_text(LOUD)
    spec = yaml.safe_load((folder / "evals/rag.yaml").read_text())
    spec["endpoint"]["start"] = {"command": f"{sys.executable} loud.py {port}"}
    (folder / "evals/rag.yaml").write_text(yaml.safe_dump(spec))

    ended = rag_eval("run", "evals/rag.yaml", "--out", "out", cwd=folder)

    log = (folder / "out/service.log").read_text("utf-8")
    assert "got Bearer ***" in log, ended
    assert "s3cret-token-of-a-file" not in log

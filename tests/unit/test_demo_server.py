import http.client
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import perf_counter

import pytest

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server

ROOT = Path(__file__).parents[2]
QUESTION = {"query": "How long is a coupon valid?", "tenant_id": "a", "top_k": 3}


@pytest.fixture(scope="module")
def pipeline():
    return Pipeline(Index(load()))


@pytest.fixture(scope="module")
def server(pipeline):
    with Server("127.0.0.1", 0, Desk(pipeline)) as running:
        Thread(target=running.serve_forever, args=(0.02,)).start()
        yield running
        running.shutdown()


@pytest.fixture
def connection(server):
    opened = http.client.HTTPConnection(*server.server_address, timeout=10)
    yield opened
    opened.close()


def call(connection, method="POST", path="/rag", body=None, headers=None):
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, content, headers or {})
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def test_answers_a_question(connection):
    status, reply = call(connection, body=QUESTION)

    assert (status, reply["citations"], reply["refused"]) == (200, ["coupons#2"], False)


def test_says_that_it_is_up(connection):
    assert call(connection, "GET", "/health") == (200, {"status": "ok"})


BAD = {
    "no JSON": (b"{", "not JSON"),
    "no text": (b"\xff\xfe", "not JSON"),
    "nested without end": (b"[" * 200_000, "not JSON"),
    "no object": ([1], "must be an object"),
    "no query": ({}, "query must be"),
    "a query of another type": ({"query": 7}, "query must be"),
    "an empty query": ({"query": " \n"}, "query must be"),
    "an endless query": ({"query": "why " * 1000}, "query must be"),
    "a tenant of another type": ({"query": "why", "tenant_id": 7}, "tenant_id must be"),
    "a top_k of another type": ({"query": "why", "top_k": "8"}, "top_k must be"),
    "a top_k that is a truth": ({"query": "why", "top_k": True}, "top_k must be"),
    "a top_k of none": ({"query": "why", "top_k": 0}, "top_k must be"),
    "a top_k of too many": ({"query": "why", "top_k": 51}, "top_k must be"),
}


@pytest.mark.parametrize(("body", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_says_what_is_wrong(connection, body, message):
    status, reply = call(connection, body=body)

    assert status == 400
    assert message in reply["error"]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("GET", "/rag"), ("POST", "/health")]
)
def test_other_paths_are_not_found(connection, method, path):
    assert call(connection, method, path, QUESTION)[0] == 404


@pytest.mark.parametrize("length", ["", "-1", "x", "1000001"])
def test_a_body_of_unknown_or_great_length_is_not_read(connection, length):
    connection.putrequest("POST", "/rag")
    connection.putheader("Content-Length", length)
    connection.endheaders()
    reply = connection.getresponse()

    assert (reply.status, reply.getheader("Connection")) == (400, "close")


def test_half_a_character_is_answered(connection):
    assert call(connection, body=b'{"query": "\\ud800 coupon"}')[0] == 200


def test_a_connection_serves_many_requests_also_after_errors(connection):
    connection.connect()
    opened = connection.sock
    statuses = [
        call(connection, body=body)[0] for body in (QUESTION, {}, b"{", QUESTION)
    ]
    statuses.append(call(connection, "POST", "/nowhere", QUESTION)[0])
    statuses.append(call(connection, "GET", "/health")[0])

    assert statuses == [200, 400, 400, 200, 404, 200]
    assert connection.sock is opened


def test_a_reply_does_not_wait_for_a_full_packet(connection):
    call(connection, body=QUESTION)
    started = perf_counter()
    for _ in range(20):
        call(connection, body=QUESTION)

    assert (perf_counter() - started) / 20 < 0.03


def test_a_client_that_hangs_up_stops_nobody(server, connection):
    hasty = http.client.HTTPConnection(*server.server_address)
    hasty.request("POST", "/rag", json.dumps(QUESTION).encode())
    hasty.close()

    assert call(connection, "GET", "/health")[0] == 200


SPOILED = {
    "http-500": (500, False),
    "garbage": (200, False),
    "over-refuse": (200, True),
}


@pytest.mark.parametrize(
    ("fault", "status", "is_json"),
    [(fault, *outcome) for fault, outcome in SPOILED.items()],
    ids=SPOILED.keys(),
)
def test_a_fault_spoils_some_replies(pipeline, fault, status, is_json):
    desk, healthy = Desk(pipeline, fault), Desk(pipeline)
    bodies = [
        json.dumps({**QUESTION, "query": f"Is coupon {number} valid?"}).encode()
        for number in range(30)
    ]
    struck = [reply for b in bodies if (reply := desk.reply(b)) != healthy.reply(b)]

    assert struck
    assert {reply[0] for reply in struck} == {status}
    assert all((b'"refused": true' in reply[1]) is is_json for reply in struck)


@pytest.mark.e2e
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_starts_says_where_and_stops_when_told(stop):
    command = [sys.executable, "-m", "demo", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as demo:
        line = demo.stdout.readline()
        host, port = re.fullmatch(r"listening on http://(.*):(\d+)\n", line).groups()
        idle = http.client.HTTPConnection(host, int(port), timeout=10)
        status = call(idle, body=QUESTION)[0]
        demo.send_signal(stop)
        code = demo.wait(timeout=5)
        idle.close()

    assert (status, code) == (200, 0)


@pytest.mark.e2e
def test_an_unknown_fault_is_refused():
    command = [sys.executable, "-m", "demo", "--fault", "typo"]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 2
    assert "drop-gold" in ended.stderr

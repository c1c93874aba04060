"""Asking real servers on loopback, among them every kind that misbehaves."""

import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any

import pytest
from requests.exceptions import InvalidSchema, InvalidURL, ProxyError

from runner.endpoints._failures import block_of
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError, Problems, Unavailable
from runner.http_client._failures import from_error
from runner.model import Case, Failure, Response
from runner.responses import Limits, collect
from runner.spec import EndpointSpec, WaitFor
from tests.streaming import end

CASE = Case("qa-1", "退货?", tenant="a")
GOOD = {"answer": "Within 30 days.", "contexts": [{"id": "r#3", "text": "30 days."}]}
SOON = 8.0  # seconds; what a bounded call must stay below
TOKEN = "s3cret-token"  # noqa: S105 - a made-up one

Script = Callable[[socket.socket, bytes], object]
"""Given a connection and a request, sends what it likes."""


class Server:
    """Raw HTTP on loopback: a script answers each request on its connection."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[bytes] = []
        self.firsts: list[bytes] = []
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.url = f"http://{self.host}/rag"
        self.ended = threading.Event()
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(
                    target=self.serve, args=(connection,), daemon=True
                ).start()

    def serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while (request := self.receive(connection)) is not None:
                self.requests.append(request)
                if self.script(connection, request) is False:
                    return

    def receive(self, connection: socket.socket) -> bytes | None:
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return None
            data += part
        self.firsts.append(data)
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r")[0] or 0)
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def close(self) -> None:
        self.ended.set()
        end(self.listener, self.accepting)


@pytest.fixture
def serve() -> Iterator[Callable[[Script], Server]]:
    with ExitStack() as stack:

        def start(script: Script) -> Server:
            server = Server(script)
            stack.callback(server.close)
            return server

        yield start


def reply(
    status: str = "200 OK", body: bytes | None = None, **headers: str
) -> Callable[[socket.socket, bytes], None]:
    """Give a script that always sends one whole reply."""
    body = json.dumps(GOOD).encode() if body is None else body
    lines = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = [f"HTTP/1.1 {status}", *(f"{k}: {v}" for k, v in lines.items())]
    data = "\r\n".join([*head, "", ""]).encode("latin-1") + body
    return lambda connection, _: connection.sendall(data)


def endpoint(
    url: str, secrets: tuple[str, ...] = (TOKEN,), **spec: Any
) -> HttpEndpoint:
    spec = {"timeout": "2s", "body": {"query": "{{ question }}"}, **spec}
    return HttpEndpoint(
        EndpointSpec(url=url, **spec),
        {"TOKEN": TOKEN},
        secrets=secrets,
        wall=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp(),
        new_uuid=lambda: "f00d",
    )


def ask(url: str, **spec: Any) -> Response | Failure:
    asked = endpoint(url, **spec)
    try:
        return asked.ask(CASE)
    finally:
        asked.close()


def parsed(request: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def test_a_reply_is_read_and_timed(serve):
    response = ask(serve(reply()).url)

    assert response._replace(latency=None) == Response(
        answer="Within 30 days.", passages=response.passages
    )
    assert 0 < response.latency < SOON


def test_a_request_goes_out_as_the_spec_writes_it(serve):
    server = serve(reply())
    headers = {"Authorization": "Bearer ${TOKEN}", "X-Call": "{{ uuid }}"}
    query = {"tenant": "{{ tenant }}", "q": "{{ question }}"}

    ask(f"{server.url}?v=1", headers=headers, query=query)
    first, lines, body = parsed(server.requests[0])

    assert first == "POST /rag?v=1&tenant=a&q=%E9%80%80%E8%B4%A7%3F HTTP/1.1"
    assert json.loads(body) == {"query": "退货?"}
    assert lines["Host"] == server.host
    assert lines["Authorization"] == f"Bearer {TOKEN}"
    assert lines["X-Call"] == "f00d"
    assert lines["Content-Type"] == "application/json"
    assert lines["Content-Length"] == str(len(body))
    assert lines["User-Agent"].startswith("rag-eval-action/")


def test_head_and_body_go_out_in_one_piece(serve):
    server = serve(reply())

    ask(server.url)

    assert server.firsts == server.requests


def test_a_get_has_no_body(serve):
    server = serve(reply())

    ask(server.url, body=None, query={"q": "x"})
    first, lines, body = parsed(server.requests[0])

    assert (first, body) == ("GET /rag?q=x HTTP/1.1", b"")
    assert not {"Content-Length", "Content-Type"} & set(lines)


def test_a_body_that_is_text_is_sent_as_it_is(serve):
    server = serve(reply())
    headers = {"content-type": "application/graphql"}

    ask(server.url, body="{ find(q: {{ question | tojson }}) }", headers=headers)
    _, lines, body = parsed(server.requests[0])

    assert body.decode() == '{ find(q: "退货?") }'
    assert lines["content-type"] == "application/graphql"


def test_credentials_in_the_url_become_a_header(serve):
    server = serve(reply("500 Oops"))

    failure = ask(f"http://user:{TOKEN}@{server.host}/rag")
    _, lines, _ = parsed(server.requests[0])

    assert lines["Authorization"].startswith("Basic ")
    assert TOKEN not in failure.message


def test_a_thread_keeps_its_connection(serve):
    server = serve(reply())
    asked = endpoint(server.url)

    for _ in range(5):
        asked.ask(CASE)

    assert (server.connections, len(server.requests)) == (1, 5)
    asked.close()


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(serve):
    good = reply()
    server = serve(lambda connection, request: good(connection, request) or False)
    asked = endpoint(server.url)

    answers = []
    for _ in range(3):
        answers.append(asked.ask(CASE).answer)
        sleep(0.05)

    assert (answers, server.connections) == (["Within 30 days."] * 3, 3)
    asked.close()


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip"])
def test_a_compressed_reply_is_read(serve, encoding):
    body = gzip.compress(json.dumps(GOOD).encode())

    assert ask(serve(reply(body=body, Content_Encoding=encoding)).url).answer


def test_a_chunked_reply_is_read(serve):
    body = json.dumps(GOOD).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (1, body[n : n + 1]) for n in range(len(body)))
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    data = head + chunks + b"0\r\n\r\n"

    assert ask(serve(lambda connection, _: connection.sendall(data)).url).answer


@pytest.mark.parametrize(
    "body",
    [b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), json.dumps(GOOD, indent=4).encode()],
)
@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "text/html"])
def test_json_is_read_whatever_it_is_called(serve, body, kind):
    assert ask(serve(reply(body=body, Content_Type=kind)).url).answer


# What misbehaves: each is a failure with a cause, in bounded time.


@pytest.mark.parametrize(
    ("status", "body", "retryable", "message"),
    [
        ("500 Oops", b"stack trace", False, "answered 500 Oops: stack trace"),
        ("502 Bad Gateway", b"", True, "answered 502 Bad Gateway, without a body"),
        ("503 Busy", b"{}", True, "answered 503 Busy: {}"),
        ("504 Late", b"{}", True, "answered 504 Late: {}"),
        ("429 Slow", b"{}", True, "answered 429 Slow: {}"),
        (
            "401 No",
            b"{}",
            False,
            "answered 401 No (check the token in endpoint.headers)",
        ),
        ("404 No", b"{}", False, "answered 404 No (check endpoint.url): {}"),
        ("422 No", b'{"detail": 1}', False, 'check endpoint.body): {"detail": 1}'),
        ("304 Same", b"", False, "answered 304 Same"),
        ("599 \x1b[31m", b"a\x00b \xff", False, "answered 599"),
        ("500 Oops", b"x" * 10**6, False, "x..."),
        ("500 Oops", TOKEN.encode(), False, "answered 500 Oops: ***"),
    ],
)
def test_a_status_other_than_2xx_is_a_failure(serve, status, body, retryable, message):
    failure = ask(serve(reply(status, body)).url)

    assert (failure.cause, failure.retryable) == ("service.http_error", retryable)
    assert message in failure.message
    assert len(failure.message) < 600


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("Mon, 30 Nov 2026 12:00:09 GMT", 9.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Mon, 30 Nov 2026 12:00:09 -0000", 9.0),
        ("soon", None),
        ("-3", None),
        ("9" * 400, None),
        ("Mon, 99 Nov 2026 12:00:09 GMT", None),
        ("\xb2", None),
        (f"Mon, 30 Nov {'9' * 20} 12:00:09 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(serve, header, seconds):
    failure = ask(serve(reply("429 Slow down", b"", Retry_After=header)).url)

    assert (failure.retryable, failure.retry_after) == (True, seconds)


@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        (b"<html>Sign in</html>", {"Content_Type": "text/html"}, "begins with: <html>"),
        (b"<html>", {"Content_Type": "text/html; x=1"}, "its type is text/html, "),
        (b"", {}, "is empty"),
        (b'{"answer": NaN}', {}, "is no JSON: "),
        (b'{"answer": "a", "contexts": [{"score": Infinity}]}', {}, "is no JSON: "),
        (b'{"answer": "\xb2\xe2"}', {}, "is no JSON: "),
        (b"[" * 100_000, {}, "is no JSON: recursion limit"),
        (b'{"a":' * 100_000, {}, "is no JSON: recursion limit"),
        (b'{"answer": "cut', {}, "is no JSON: "),
        (b"data: {}\n\n", {"Content_Type": "text/event-stream"}, "streams its reply"),
        (b"x", {"Content_Encoding": "br"}, "the encoding 'br'"),
        (b"no gzip at all", {"Content_Encoding": "gzip"}, "the body is no gzip"),
        (gzip.compress(b"{}")[:-9], {"Content_Encoding": "gzip"}, "cut off within"),
        (b"[1]", {}, "no answer"),
        (TOKEN.encode(), {}, "begins with: ***"),
    ],
)
def test_a_body_that_cannot_be_read_is_malformed(serve, body, headers, message):
    failure = ask(serve(reply(body=body, **headers)).url)

    assert (failure.cause, failure.retryable) == ("service.malformed", False)
    assert message in failure.message


def endless(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b'{"answer": "')
    with suppress(OSError):
        while True:
            connection.sendall(b"x" * 2**20)
    return False


def a_gigabyte(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
    with suppress(OSError):
        for _ in range(1024):
            connection.sendall(b"x" * 2**20)
    return False


def endless_chunks(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    with suppress(OSError):
        while True:
            connection.sendall(b"100000\r\n" + b"x" * 2**20 + b"\r\n")
    return False


def gzip_bomb(connection: socket.socket, _: bytes) -> None:
    packer = zlib.compressobj(9, wbits=31)
    body = b"".join(packer.compress(b" " * 2**20) for _ in range(300)) + packer.flush()
    reply(body=body, Content_Encoding="gzip")(connection, b"")


def chunk_of_size_minus_one(connection: socket.socket, _: bytes) -> bool:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
    connection.sendall(head)
    with suppress(OSError):
        while True:
            connection.sendall(b"x" * 2**20)
    return False


@pytest.mark.parametrize(
    "script",
    [endless, a_gigabyte, endless_chunks, chunk_of_size_minus_one, gzip_bomb],
)
def test_a_reply_that_is_too_large_is_left_unread(serve, script):
    started = monotonic()

    failure = ask(serve(script).url, timeout="8s", max_response="1MiB")

    assert failure.cause == "service.malformed"
    assert "larger than endpoint.max_response" in failure.message
    assert monotonic() - started < SOON


def drip(*parts: bytes) -> Script:
    """Give a script that sends its last part byte by byte, again and again."""

    def script(connection: socket.socket, _: bytes) -> bool:
        connection.sendall(b"".join(parts[:-1]))
        with suppress(OSError):
            while True:
                for byte in parts[-1]:
                    connection.sendall(bytes([byte]))
                    sleep(0.02)
        return False

    return script


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "script",
    [
        lambda *_: sleep(SOON),
        drip(b"HTTP/1.1 200 OK"),
        drip(OK, b"X-A: 1\r\n"),
        drip(OK, b"X-A: 1"),
        drip(OK + b"\r\n", b'{"answer": "'),
        drip(OK + b"Content-Length: 99999\r\n\r\n", b"x"),
        drip(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        drip(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        drip(OK + b"Content-Encoding: gzip\r\n\r\n", b"\x1f\x8b"),
        drip(b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=range(10),
)
def test_a_reply_that_drips_is_cut_at_the_time_out(serve, script):
    started = monotonic()

    failure = ask(serve(script).url, timeout="600ms")

    assert (failure.cause, failure.retryable) == ("service.timeout", True)
    assert "within 0.6 s (endpoint.timeout)" in failure.message
    assert 0.5 < monotonic() - started < 2
    assert 0.5 < failure.latency < 2


def test_a_peer_that_reads_nothing_is_cut_at_the_time_out():
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    started = monotonic()

    failure = ask(url, timeout="600ms", body={"pad": "x" * 2**23})
    listener.close()

    assert failure.cause == "service.timeout"
    assert monotonic() - started < 3


def test_where_nothing_listens_the_failure_says_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    failure = ask(f"http://127.0.0.1:{port}/rag?key={TOKEN}")

    assert (failure.cause, failure.retryable) == ("service.unreachable", True)
    assert failure.message == (
        f"nothing listens at http://127.0.0.1:{port}/rag (is the service started, and "
        "the port right? `wait_for` waits for it)"
    )


def reset(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(OK + b"Content-Length: 1000\r\n\r\n" + b'{"answer"')
    sleep(0.05)
    linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    return False


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (lambda _connection, _: False, "closed the connection without a reply"),
        (lambda c, _: c.sendall(b"SSH-2.0-x\r\n") or False, "does not speak HTTP"),
        (lambda c, _: c.sendall(b"\x00" * 99_999) or False, "the connection to"),
        (reset, "the connection to"),
        (
            lambda c, _: c.sendall(OK + b"Content-Length: 9\r\n\r\n{") or False,
            "broke off",
        ),
        (
            lambda c, _: c.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}"),
            "breaks the rules of HTTP",
        ),
        (
            lambda c, _: c.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n{}"),
            "breaks the rules of HTTP",
        ),
        (lambda c, _: c.sendall(OK + b"X: 1\r\n" * 500 + b"\r\n{}"), "the connection"),
        (lambda c, _: c.sendall(OK + b"X" * 99_999), "the connection to"),
    ],
    ids=range(9),
)
def test_a_connection_that_breaks_is_a_failure(serve, script, message):
    started = monotonic()

    failure = ask(serve(script).url)

    assert (failure.cause, failure.retryable) == ("service.unreachable", True)
    assert message in failure.message
    assert monotonic() - started < SOON


def test_tls_with_a_server_that_has_none_is_a_failure(serve):
    server = serve(reply())
    server.receive = lambda connection: connection.recv(1)
    server.script = lambda connection, _: connection.sendall(OK) or False

    failure = ask(server.url.replace("http:", "https:"))

    assert (failure.cause, failure.retryable) == ("service.unreachable", False)
    assert "TLS with https://" in failure.message


def test_a_header_that_breaks_the_line_does_not_reach_the_server(serve):
    server = serve(reply())
    case = CASE._replace(tenant="a\r\nX-Admin: 1")

    with pytest.raises(InputError, match=r"endpoint\.headers\.X-Tenant"):
        endpoint(server.url, headers={"X-Tenant": "{{ tenant }}"}).ask(case)
    assert server.requests == []


# Redirects.


def test_a_redirect_within_the_service_is_followed_with_its_body(serve):
    good, moved = reply(), reply("307 Moved", b"", Location="/v2/rag?x=1")
    server = serve(
        lambda c, request: (good if b" /v2/rag?x=1 " in request else moved)(c, request)
    )

    response = ask(server.url, headers={"Authorization": "Bearer ${TOKEN}"})

    assert response.answer
    first, lines, body = parsed(server.requests[1])
    assert (first[:4], json.loads(body)) == ("POST", {"query": "退货?"})
    assert lines["Authorization"] == f"Bearer {TOKEN}"


def test_see_other_asks_for_a_get(serve):
    good, moved = reply(), reply("303 See Other", b"", Location="result")
    server = serve(
        lambda c, request: (good if b"GET /result " in request else moved)(c, request)
    )

    assert ask(server.url).answer
    assert "Content-Length" not in parsed(server.requests[1])[1]


def test_a_redirect_to_another_service_takes_no_credentials_along(serve):
    other = serve(reply())
    location = f"{other.url}?token={TOKEN}"
    server = serve(reply("302 Found", b"", Location=location))

    failure = ask(server.url, headers={"Authorization": "Bearer ${TOKEN}"})

    assert failure.cause == "service.http_error"
    assert f"redirects to {other.url}, which is another service" in failure.message
    assert (other.requests, TOKEN in failure.message) == ([], False)


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/",
        "//evil.example/x",
        "file:///etc/passwd",
        "http://[",
        "x:y",
    ],
)
def test_a_redirect_to_anything_else_is_not_followed(serve, location):
    failure = ask(serve(reply("301 Moved", b"", Location=location)).url)

    assert failure.cause in ("service.http_error", "service.unreachable")
    assert failure.retryable is False


def test_redirects_in_a_circle_end(serve):
    server = serve(reply("308 Moved", b"", Location="/rag"))

    failure = ask(server.url)

    assert "answered 308 Moved" in failure.message
    assert len(server.requests) == 6


# Waiting, leaving, and what is wrong before the first request.


def test_waiting_ends_when_the_service_is_ready(serve):
    answers = [reply(), reply("503 Starting", b""), reply("503 Starting", b"")]

    def script(connection: socket.socket, request: bytes) -> None:
        answers.pop()(connection, request)

    server = serve(script)
    slept: list[float] = []

    wait = WaitFor(url=f"http://{server.host}/health", timeout="30s")
    endpoint(server.url, wait_for=wait).wait(slept.append)

    assert (len(slept), parsed(server.requests[0])[0]) == (2, "GET /health HTTP/1.1")


def test_waiting_in_vain_says_what_came_last(serve):
    server = serve(reply("503 Starting", f"loading {TOKEN}".encode()))

    wait = WaitFor(url=f"http://{server.host}/health?k={TOKEN}", timeout="300ms")
    asked = endpoint(server.url, wait_for=wait)

    with pytest.raises(Unavailable, match=r"not ready within 0.3 s; the last") as error:
        asked.wait()

    assert "answered 503 Starting: loading ***" in str(error.value)
    assert TOKEN not in str(error.value)


def test_waiting_stops_when_the_started_service_has_ended():
    def check() -> None:
        raise Unavailable("it has ended")

    wait = WaitFor(url="http://127.0.0.1:9/", timeout="30s")
    asked = endpoint("http://127.0.0.1:9/", wait_for=wait)

    with pytest.raises(Unavailable, match="it has ended"):
        asked.wait(check=check)


def test_a_spec_without_wait_for_does_not_wait():
    assert endpoint("http://127.0.0.1:9/").wait() is None


def test_closing_ends_a_call_in_flight(serve):
    server = serve(lambda *_: sleep(60))
    asked = endpoint(server.url, timeout="60s")
    threading.Timer(0.3, asked.close).start()
    started = monotonic()

    first, second = asked.ask(CASE), asked.ask(CASE)

    assert {first.cause, second.cause} == {"service.unreachable"}
    assert monotonic() - started < SOON


def test_a_consumer_who_leaves_waits_for_no_reply(serve):
    good = reply()
    server = serve(lambda c, r: good(c, r) if len(server.requests) == 1 else sleep(60))
    exchanges = collect(
        endpoint(server.url, timeout="60s"),
        [CASE] * 20,
        Limits(concurrency=4),
        clock=monotonic,
        uniform=lambda low, _high: low,
        now=lambda: datetime.now(UTC),
    )
    next(exchanges)
    sleep(0.3)
    started = monotonic()

    exchanges.close()

    assert monotonic() - started < 2
    assert not [t for t in threading.enumerate() if t.name == "ask"]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"headers": {"content-length": "3"}},
            "content-length is set by the connection",
        ),
        ({"body": "{{ x }}"}, "unknown name 'x'"),
        ({"response": {"answer": "["}}, "no JMESPath"),
    ],
)
def test_what_is_wrong_with_the_spec_is_known_before_the_first_request(spec, error):
    with pytest.raises((InputError, Problems), match=error):
        endpoint("http://127.0.0.1:9/", **spec)


@pytest.mark.parametrize(
    ("meta", "error"),
    [({"v": float("nan")}, "cannot be sent"), ({"v": {1, 2}}, "cannot hold|be sent")],
)
def test_what_json_cannot_hold_is_not_sent(meta, error):
    with pytest.raises(InputError, match=rf"endpoint\.body.*{error}"):
        endpoint("http://127.0.0.1:9/", body={"a": "{{ meta }}"}).ask(
            CASE._replace(meta=meta)
        )


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://a b/"])
def test_a_url_that_is_none_is_an_input_error(url):
    with pytest.raises(InputError, match=r"endpoint\.url: .*is no URL"):
        ask(url)


def test_a_wrong_url_is_told_at_its_key_without_its_credentials():
    with pytest.raises(InputError, match=r"endpoint\.url: .*is no URL") as error:
        ask(f"http://me:{TOKEN}@127.0.0.1:99999/")

    assert TOKEN not in str(error.value)


def test_a_wrong_url_to_wait_for_is_told_at_its_own_key():
    wait = WaitFor(url="http://[::1/")

    with pytest.raises(InputError, match=r"endpoint\.wait_for\.url: .*is no URL"):
        endpoint("http://127.0.0.1:9/", wait_for=wait).wait()


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (ProxyError("http://me:s3cret@proxy refused"), True),
        (InvalidURL("Failed to parse: http://me:s3cret@no url"), False),
        (InvalidSchema("Missing dependencies for SOCKS support."), False),
    ],
)
def test_a_proxy_that_fails_is_blamed_and_not_the_endpoint(error, retryable):
    failure = from_error(error, "http://rag/ask", 30, block_of())

    assert (failure.cause, failure.retryable) == ("service.unreachable", retryable)
    assert failure.message.startswith("the proxy on the way to http://rag/ask cannot")
    assert "s3cret" not in failure.message

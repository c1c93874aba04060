"""Asking servers that stream, among them those that break off, drip or never end."""

import gzip
import time
import tracemalloc
from itertools import repeat

import pytest

from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError
from runner.hosts import Access, allowed
from runner.model import Case, Failure
from runner.spec import EndpointSpec
from tests.streaming import PAUSE, oddly, replaying

CASE = Case("qa-1", "退货?")
SECRET = "s3cret-token"  # noqa: S105 - a made-up one
DELTAS = (
    b'data: {"answer": "Within "}\n\n: ping\n\ndata: {"answer": "30 days."}\n\n'
    b'data: [DONE]\n\ndata: {"contexts": [{"id": "r#3", "text": "30 days."}]}\n\n'
)
MAPPING = {
    "stream": "sse",
    "answer": "join('', events[].data.answer)",
    "contexts": "events[].data.contexts[]",
    "error": "events[?event=='error'] | [0].data",
}


@pytest.fixture
def server():
    with replaying() as replay:
        replay.cut = oddly
        replay.body = DELTAS
        yield replay


def ask(url, access=None, **spec):
    given = {"timeout": "2s", "response": MAPPING, "body": {"q": "x"}, **spec}
    extra = {"access": access} if access else {}
    endpoint = HttpEndpoint(
        EndpointSpec(url=url, **given), {}, secrets=[SECRET], **extra
    )
    try:
        return endpoint.ask(CASE)
    finally:
        endpoint.close()


def test_a_stream_is_read_to_its_end_past_the_closing_word(server):
    found = ask(server.url)

    assert found.answer == "Within 30 days."
    assert [(p.id, p.text) for p in found.passages] == [("r#3", "30 days.")]


def test_a_stream_is_asked_for_and_not_compressed(server):
    ask(server.url)

    head = server.requests[0].decode().lower()
    assert "accept: text/event-stream" in head
    assert "accept-encoding: identity" in head


def test_the_first_token_comes_before_the_end(server):
    def slowly(body):
        first, _, rest = body.partition(b": ping\n\n")
        yield b": thinking\n\n"
        yield from [PAUSE] * 80
        yield first
        yield from [PAUSE] * 80
        yield rest

    server.cut = slowly

    found = ask(server.url)

    assert 0.2 <= found.time_to_first_token < found.latency - 0.1


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/json", DELTAS), ("text/plain", DELTAS.replace(b"\n", b"\r\n"))],
)
def test_the_spec_decides_the_framing_and_not_the_content_type(server, kind, body):
    server.head, server.body = (f"Content-Type: {kind}",), body

    assert ask(server.url).answer == "Within 30 days."


def test_a_compressed_stream_is_read_nevertheless(server):
    server.head, server.body = ("Content-Encoding: gzip",), gzip.compress(DELTAS)

    assert ask(server.url).answer == "Within 30 days."


def test_a_thread_keeps_its_connection(server):
    endpoint = HttpEndpoint(EndpointSpec(url=server.url, response=MAPPING), {})
    for _ in range(3):
        assert endpoint.ask(CASE).answer == "Within 30 days."
    endpoint.close()

    assert server.connections == 1


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        pytest.param(DELTAS[:40], False, id="without the end of the body"),
        pytest.param(DELTAS[:60], True, id="within an event"),
    ],
)
def test_a_stream_that_breaks_off_is_a_failure_with_the_part_that_came(
    server, body, whole
):
    server.body, server.whole = body, whole

    found = ask(server.url)

    assert isinstance(found, Failure)
    assert (found.cause, found.retryable) == ("service.unreachable", True)
    assert found.message.endswith("broke off; until then it had answered: Within")


def test_a_chunk_without_a_size_breaks_the_rules_and_not_off(server):
    server.cut = lambda body: [body[:40]]
    server.ending = b"zz\r\n"

    assert "breaks the rules of HTTP" in ask(server.url).message


def test_an_error_that_a_stream_states_is_a_failure_with_the_part_that_came(server):
    server.body = DELTAS + b"event: error\ndata: quota exceeded\n\n"

    found = ask(server.url)

    assert found.cause == "service.http_error"
    assert found.message == (
        "the reply states an error: quota exceeded; "
        "until then it had answered: Within 30 days."
    )


def test_a_secret_in_the_part_that_came_is_masked(server):
    server.body = b'data: {"answer": "' + SECRET.encode() + b'"}\n\ndata: {"b'

    found = ask(server.url)

    assert isinstance(found, Failure)
    assert "***" in found.message
    assert SECRET not in found.message


def test_a_stream_that_never_ends_is_cut_at_the_time_out(server):
    def drip(body):
        yield body
        for _ in range(2000):
            yield b": ping\n\n"
            yield PAUSE

    server.cut = drip
    started = time.monotonic()

    found = ask(server.url, timeout="300ms")

    assert time.monotonic() - started < 2.0
    assert found.cause == "service.timeout"
    assert "within 0.3 s" in found.message
    assert found.message.endswith("until then it had answered: Within 30 days.")


EVENT = b'data: {"answer": "' + b"a" * 1000 + b'"}\n\n'


@pytest.mark.parametrize(
    ("block", "message"),
    [
        pytest.param(EVENT * 64, "larger than endpoint.max_response", id="events"),
        pytest.param(b"a" * 65536, "larger than endpoint.max_response", id="a line"),
        pytest.param(b"data:1\n\n" * 8192, "has more than 100,000 events", id="small"),
    ],
)
def test_a_stream_of_100_mb_is_cut_at_its_limit_in_flat_memory(server, block, message):
    sent = []

    def flood(_):
        for piece in repeat(block, 100 * 2**20 // len(block)):
            sent.append(len(piece))
            yield piece

    server.cut = flood
    tracemalloc.start()
    try:
        found = ask(server.url, max_response="1MiB", timeout="30s")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found.cause == "service.malformed"
    assert message in found.message
    assert sum(sent) < 16 * 2**20
    assert peak < 24 * 2**20


def test_what_inflates_is_cut_at_its_limit(server):
    server.head = ("Content-Encoding: gzip",)
    server.body = gzip.compress(b": " + b"\0" * 20 * 2**20)
    server.cut = lambda body: oddly(body, 1, 4096)

    assert "larger than endpoint.max_response" in ask(server.url).message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b'{"message": "no chat"}',
            'its type is text/event-stream, it begins with: {"message": "no chat"}',
        ),
        (b"", "is empty"),
        (b": ping\n\n", "holds no event"),
    ],
)
def test_a_body_without_an_event_is_malformed(server, body, message):
    server.body = body

    found = ask(server.url)

    assert found.cause == "service.malformed"
    assert message in found.message


def test_an_error_page_is_read_as_one_and_not_as_a_stream(server):
    server.status, server.body = "503 Busy", b'{"detail": "try again"}'

    found = ask(server.url)

    assert (found.cause, found.retryable) == ("service.http_error", True)
    assert 'answered 503 Busy: {"detail": "try again"}' in found.message


def test_a_redirect_to_another_service_is_not_followed(server):
    with replaying() as other:
        server.status, server.head = "307 Moved", (f"Location: {other.url}",)

        found = ask(server.url)

        assert "redirects to" in found.message
        assert other.requests == []


def test_a_redirect_within_the_service_is_followed(server):
    def moved(request):
        here = b"/stream" not in request.split(b"\r\n")[0]
        server.status = "307 Moved" if here else "200 OK"
        return b"gone" if here else DELTAS

    server.body, server.head = moved, ("Location: /stream",)

    assert ask(server.url).answer == "Within 30 days."


def test_no_stream_is_asked_for_at_an_address_that_is_never_asked():
    with pytest.raises(InputError, match="metadata"):
        ask("http://169.254.169.254/rag")


def test_no_stream_is_asked_for_at_a_host_that_is_not_allowed(server):
    with pytest.raises(InputError, match="allowed"):
        ask(server.url, access=Access(allowed("rag.example.com")))

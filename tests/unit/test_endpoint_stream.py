"""Bytes in pieces become events: the framings, and how they meet what servers send."""

import random

import pytest
from urllib3.exceptions import IncompleteRead

from runner.endpoints._attempt import RoundTrip
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._stream import MOST_EVENTS, Stream
from runner.errors import Problems
from runner.files._yaml import parse_yaml
from runner.http_client._body import Reply, Unreadable
from runner.metrics import registry
from runner.model import Response
from runner.spec import ResponseMap, parse
from tests.streaming import bytewise, oddly, plainly, slowly

STREAMS = 10_000
FRAMINGS = ("sse", "ndjson", "prefixed")


def events(framing, body, pieces=None):
    """Give name and value of each event of a body that comes in pieces."""
    stream = Stream(framing, lambda: 0.0)
    for piece in [body] if pieces is None else pieces:
        stream.take(piece)
    stream.end()
    return [(e["event"], e["data"]) for e in stream.collected()["events"]]


SSE = [
    pytest.param(b"data: 1 day\n\n", [(None, "1 day")], id="text"),
    pytest.param(b"data:x\n\n", [(None, "x")], id="no space"),
    pytest.param(b"data:  x \n\n", [(None, " x ")], id="one space is taken, no more"),
    pytest.param(b'data: {"a": 1}\n\n', [(None, {"a": 1})], id="JSON"),
    pytest.param(b"data: [DONE]\n\ndata: x\n\n", [(None, "[DONE]"), (None, "x")]),
    pytest.param(b'data: {"a":\ndata: 1}\n\n', [(None, {"a": 1})], id="two lines"),
    pytest.param(b"data: a\ndata\ndata: b\n\n", [(None, "a\n\nb")], id="a bare field"),
    pytest.param(b"event: ping\n\ndata: x\n\n", [(None, "x")], id="no data, no event"),
    pytest.param(b": hello\n\ndata: x\n\n", [(None, "x")], id="comment"),
    pytest.param(b"event: end\ndata: \n\n", [("end", "")], id="empty data"),
    pytest.param(b"event: a\nevent: b\ndata: x\n\n", [("b", "x")], id="last name"),
    pytest.param(
        b"message:\ndata:x\n\nmessage\ndata:y\n\n",
        [(None, "x"), (None, "y")],
        id="unknown fields",
    ),
    pytest.param(b"id: 7\nretry: 10\ndata: x\n\n", [(None, "x")], id="id and retry"),
    pytest.param(b"data: x\r\n\r\ndata: y\r\n\r\n", [(None, "x"), (None, "y")]),
    pytest.param(b"data: x\r\rdata: y\r\r", [(None, "x"), (None, "y")], id="CR"),
    pytest.param(b"data: x\n\r\ndata: y\r\n\n", [(None, "x"), (None, "y")], id="mixed"),
    pytest.param(b"\xef\xbb\xbfdata: x\n\n", [(None, "x")], id="BOM"),
    pytest.param(b"data: x", [(None, "x")], id="no line end at the end"),
    pytest.param(b"data: x\n", [(None, "x")], id="no blank line at the end"),
    pytest.param(b"data: [DONE]", [(None, "[DONE]")], id="no JSON at the end"),
    pytest.param("data: 签收\n\n".encode(), [(None, "签收")], id="Chinese"),
    pytest.param("data: a\u2028b\x85c\n\n".encode(), [(None, "a\u2028b\x85c")]),
    pytest.param(b"data: \xff\xe7\xad\n\n", [(None, "\ufffd\ufffd")], id="no UTF-8"),
    pytest.param(b"", [], id="nothing"),
    pytest.param(b"\n\n\r\n", [], id="blank"),
]


@pytest.mark.parametrize(("body", "expected"), SSE)
@pytest.mark.parametrize("cut", [None, bytewise, lambda body: oddly(body, 3, 5)])
def test_server_sent_events_are_read_by_the_standard(body, expected, cut):
    assert events("sse", body, cut and cut(body)) == expected


LINES = [
    pytest.param("ndjson", b'{"a": 1}\n\n  \n[2]\r\n', [(None, {"a": 1}), (None, [2])]),
    pytest.param("ndjson", b"data: x\n", [(None, "data: x")], id="as the spec says"),
    pytest.param("ndjson", b"oops\n", [(None, "oops")], id="no JSON"),
    pytest.param("prefixed", b'0:"a"\n8:[{"b": 1}]', [("0", "a"), ("8", [{"b": 1}])]),
    pytest.param("prefixed", b'\n{"detail": "x"}\n', [(None, {"detail": "x"})]),
    pytest.param("prefixed", b"0: \n", [("0", " ")], id="no value"),
]


@pytest.mark.parametrize(("framing", "body", "expected"), LINES)
@pytest.mark.parametrize("cut", [None, bytewise])
def test_lines_are_read_whatever_they_call_themselves(framing, body, expected, cut):
    assert events(framing, body, cut and cut(body)) == expected


VALUES = [
    pytest.param("30", "30", id="a word of an answer, not a number"),
    pytest.param(" 1.10", " 1.10", id="its spaces count"),
    pytest.param("true", "true", id="another word"),
    pytest.param("null", None, id="null"),
    pytest.param('"30"', "30", id="a string"),
    pytest.param('{"score": NaN, "n": 1}', {"score": None, "n": 1}, id="NaN"),
    pytest.param(r'{"delta": "\ud83d"}', {"delta": "?"}, id="half an emoji"),
    pytest.param("{broken", "{broken", id="no JSON"),
    pytest.param("[" * 5000, "[" * 5000, id="deep"),
    pytest.param("9" * 5000, "9" * 5000, id="long"),
]


@pytest.mark.parametrize(("data", "expected"), VALUES)
def test_data_is_json_or_the_text_as_it_was_sent(data, expected):
    assert events("sse", f"data: {data}\n\n".encode()) == [(None, expected)]


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("sse", b'data: {"answer": "Wit'),
        ("sse", b'data: "Wit'),
        ("sse", b'data: [{"a": 1}, {"b'),
        ("ndjson", b'{"a": 1}\n{"b": '),
        ("prefixed", b'0:"Within'),
    ],
)
def test_a_body_that_ends_within_a_value_was_cut(framing, body):
    with pytest.raises(IncompleteRead):
        events(framing, body)


def test_too_many_events_are_refused():
    stream = Stream("sse", lambda: 0.0)
    stream.take(b"data:1\n\n" * MOST_EVENTS)

    with pytest.raises(Unreadable, match="more than 100,000 events"):
        stream.take(b"data:1\n\n")


FRAGMENTS = [
    *(b"data:", b"data: ", b"data", b"event:", b"event: answer", b"id: 1", b"retry:"),
    *(b"\n", b"\n\n", b"\r", b"\r\n", b"\r\n\r\n", b"\n", b"\n\n", b":", b": ping"),
    *(b'{"a": "b"}', b'{"a":', b"[1, 2]", b"[DONE]", b'"x"', b"null", b"30", b"NaN"),
    *(b" ", b"\t", b"\x0b", b"\xef\xbb\xbf", b"\xff", b"\xe7\xad", b"\x00", b"message"),
    *("签收后".encode(), "\u2028".encode(), "\x85".encode(), "\N{OWL}".encode()),
    *(b"0:", b'8:[{"b": 1}]', b"3:", b"d:{}", b"}", b"\\"),
]


@pytest.mark.parametrize("framing", FRAMINGS)
def test_any_bytes_in_any_pieces_give_what_a_slow_reader_gives(framing):
    chance = random.Random(f"{framing} 20261130")
    for number in range(STREAMS):
        body = b"".join(chance.choices(FRAGMENTS, k=chance.randint(0, 40)))
        expected = [(name, plainly(data)) for name, data in slowly(framing, body)]
        stream = Stream(framing, iter(range(10**6)).__next__)
        for piece in oddly(body, number, chance.choice([1, 2, 7, 200])):
            stream.take(piece)
        try:
            stream.end()
        except IncompleteRead:
            cut = expected.pop()
            assert isinstance(cut[1], str), body
        found = stream.collected()["events"]
        assert [(e["event"], e["data"]) for e in found] == expected, body


def read(stream, replies, started):
    reply = Reply(200, "OK", {}, b"")
    asked, where = "POST http://rag", "http://rag"
    found = RoundTrip(asked, where, None, reply, started, 9.0, stream)
    return found.alone(replies).result(replies)


def test_the_first_token_is_the_first_event_with_text_of_the_answer():
    body = b"\n\n".join(
        [
            b'data: {"type": "sources", "answer": null}',
            b'data: {"answer": ""}',
            b'data: {"answer": "\\n"}',
            b'data: {"answer": "Within"}',
            b'data: {"answer": " 30 days."}',
            b"data: [DONE]",
        ]
    )
    clock = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).__next__
    stream = Stream("sse", clock)
    for event in body.split(b"\n\n"):
        stream.take(event + b"\n\n")
    stream.end()
    spec = ResponseMap(stream="sse", answer="join('', events[].data.answer)")

    found = read(stream, ReplyMap(spec), 0.5)

    assert found == Response(
        answer="\nWithin 30 days.", latency=9.0, time_to_first_token=3.5
    )


def test_an_answer_that_needs_several_events_has_no_first_token():
    stream = Stream("sse", lambda: 1.0)
    stream.take(b"data: a\n\ndata: b\n\n")
    spec = ResponseMap(stream="sse", answer="events[1].data")

    found = read(stream, ReplyMap(spec), 0.0)

    assert (found.answer, found.time_to_first_token) == ("b", None)


def test_an_answer_that_no_event_has_is_told_with_what_the_events_hold():
    stream = Stream("sse", lambda: 1.0)
    stream.take(b'event: token\ndata: {"type": "delta", "text": "Wit"}\n\n' * 3)
    stream.take(b"data: [DONE]\n\n")
    replies = ReplyMap(ResponseMap(stream="sse", answer="join('', events[].data.txt)"))
    read(stream, replies, 0.0)

    told = str(replies.missing())

    assert "found nothing in 1 reply" in told
    assert (
        "the events hold event 'token' data.type 'delta': data.type, data.text; "
        "data '[DONE]'" in told
    )


def spec_of(response):
    text = (
        "endpoint:\n  url: http://localhost/rag\n  body: {q: '{{ question }}'}\n"
        f"  response: {response}\ncases: cases.json\nmetrics: [recall@5]\n"
    )
    return parse(parse_yaml(text, file="spec.yaml"), registry=registry, environ={})


def test_a_stream_maps_only_what_the_spec_writes():
    response = spec_of("{stream: ndjson, answer: 'events[0].data.a'}").endpoint.response

    assert (response.contexts, response.citations) == (None, None)
    assert (response.refused, response.usage) == (None, None)


def test_a_stream_without_answer_is_an_error_of_the_spec():
    with pytest.raises(Problems, match="has `stream` and no `answer`"):
        spec_of("{stream: sse}")

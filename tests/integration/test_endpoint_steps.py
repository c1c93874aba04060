"""Servers that take several requests for a case, over real HTTP on loopback."""

import json
import time
from contextlib import closing
from datetime import UTC, datetime
from itertools import count

import pytest

from runner.endpoints import check
from runner.endpoints.http import HttpEndpoint
from runner.errors import InputError
from runner.hosts import Access, allowed
from runner.model import Case, Failure, Response
from runner.responses import Limits, collect
from runner.spec import EndpointSpec
from runner.templating import by_path
from tests.streaming import Said, oddly, replaying

CASE = Case("qa-1", "退货期限?", tenant="a")
TOKEN = "s3cret-token"  # noqa: S105 - a made-up one
RECORD = {"answer": "30 days.", "contexts": [{"id": "p71", "text": "30 days."}]}
CHAT = {"name": "chat", "url": "URL/open", "method": "GET"}
REPLY = {"name": "reply", "url": "URL/chat/{{ chat.data }}"}
REPLY |= {"body": {"message": "{{ question }}", "trace": "{{ uuid }}"}}
RECORDS = {"name": "record", "url": "URL/records/{{ reply.id }}"}
MAPPED = {"answer": "record.answer", "contexts": "record.contexts"}
THREE = (CHAT, REPLY, RECORDS)


def served(**routes):
    """Give what a server says by the last but one part of a path, else by the last.

    A list is said one after the other, its last entry for ever.
    """
    queues = {key: [*said] for key, said in routes.items() if isinstance(said, list)}

    def body(request):
        path = request.split(b" ", 2)[1].decode().partition("?")[0]
        key = next(part for part in path.split("/") if part in routes)
        said = routes[key]
        if key in queues:
            said = queues[key].pop(0) if len(queues[key]) > 1 else queues[key][0]
        return said if isinstance(said, Said) else Said(json.dumps(said).encode())

    return body


def endpoint(server, steps=THREE, response=MAPPED, clock=time.monotonic, **spec):
    url = server.url.removesuffix("/rag")
    steps = [{**step, "url": step["url"].replace("URL", url)} for step in steps]
    numbers = count(1)
    spec = {"timeout": "2s", "steps": steps, "response": response, **spec}
    return HttpEndpoint(
        EndpointSpec.model_validate(spec),
        {"TOKEN": TOKEN},
        secrets=[TOKEN],
        clock=clock,
        new_uuid=lambda: f"u{next(numbers)}",
    )


def asked(server, retries=2, slept=None, rate=None, **given):
    """Give the exchange of one case, as a run asks it; waits are only noted."""
    with closing(endpoint(server, **given)) as made:
        exchanges = collect(
            made,
            [CASE],
            Limits(concurrency=1, retries=retries, rate_limit=rate),
            clock=time.monotonic,
            uniform=lambda _, high: high,
            now=lambda: datetime.now(UTC),
            sleep=(slept if slept is not None else []).append,
        )
        return next(iter(exchanges))


def lines(server):
    """Give method and path of every request."""
    return [request.split(b" HTTP", 1)[0].decode() for request in server.requests]


def sent(request):
    return json.loads(request.partition(b"\r\n\r\n")[2])


def test_each_reply_is_visible_to_later_steps_and_to_the_mapping():
    with replaying() as server:
        server.body = served(open={"data": "c/1"}, chat={"id": 7}, records=RECORD)
        found = asked(server)

    assert found.attempts == 1
    assert found.result.answer == "30 days."
    assert [passage.id for passage in found.result.passages] == ["p71"]
    assert lines(server) == ["GET /open", "POST /chat/c%2F1", "GET /records/7"]
    assert sent(server.requests[1]) == {"message": "退货期限?", "trace": "u1"}


BUSY = Said(b"busy", "503 Busy")
DOWN = Said(b"no", "500 Down")


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        pytest.param(
            {"open": DOWN}, ("step chat: ", "answered 500 Down: no"), id="a status"
        ),
        pytest.param(
            {"chat": Said(b"<html>")}, ("step reply: ", "is no JSON"), id="no JSON"
        ),
        pytest.param(
            {"chat": Said(b"")}, ("step reply: ", "is empty"), id="an empty reply"
        ),
        pytest.param(
            {"open": {"code": 500}},
            (
                "step reply: endpoint.steps[1].url: the template fails for case qa-1: ",
                "has no attribute 'data'; the reply has the keys chat.code",
            ),
            id="a reply without what the next one takes",
        ),
        pytest.param(
            {"open": {"data": None}},
            ("step reply: endpoint.steps[1].url: ", "is absent"),
            id="a null in a URL",
        ),
        pytest.param(
            {"records": {"answer": None}},
            ("no answer: endpoint.response.answer (`record.answer`) is null", ""),
            id="no answer at the end",
        ),
        pytest.param(
            {"records": Said(b"[" + b"1," * 3000 + b"1]")},
            ("step record: ", "is larger than endpoint.max_response"),
            id="a reply that is too large",
        ),
        pytest.param(
            {
                "records": Said(
                    b"", "302 Found", ("Location: http://other.example/secret",)
                )
            },
            ("step record: ", "(write that URL as endpoint.steps[2].url if it is"),
            id="a redirect to somebody else",
        ),
        pytest.param(
            {"chat": Said(f"you sent {TOKEN}".encode(), "400 Bad")},
            ("step reply: ", "answered 400 Bad (check endpoint.steps[1].body): you"),
            id="a secret that comes back",
        ),
    ],
)
def test_a_failure_names_its_step(routes, expected):
    usual = {"open": {"data": "c1"}, "chat": {"id": 7}, "records": RECORD}
    with replaying() as server:
        server.body = served(**usual | routes)
        found = asked(server, retries=0, max_response="4KiB").result

    assert isinstance(found, Failure)
    assert found.message.startswith(expected[0])
    assert expected[1] in found.message
    assert TOKEN not in found.message


def test_a_step_that_does_not_answer_ends_with_its_own_time_out():
    steps = (CHAT, {**REPLY, "timeout": "200ms"}, RECORDS)
    with replaying() as server:
        server.body = served(open={"data": "c1"}, chat={"id": 7}, records=RECORD)
        server.cut = lambda body: (
            iter([time.sleep(1) or body]) if b'"id"' in body else [body]
        )
        found = asked(server, retries=0, steps=steps).result

    assert found.cause == "service.timeout"
    assert found.message.startswith("step reply: no whole reply from http://127.0.0.1")
    assert found.message.endswith("within 0.2 s (endpoint.steps[1].timeout)")


ERRED = {"code": 1002, "message": "no such chat", "data": None}
BY_CODE = "code && code != `200` && message"


def test_an_error_that_a_step_states_is_its_own():
    steps = ({**CHAT, "error": BY_CODE}, REPLY, RECORDS)
    with replaying() as server:
        server.body = served(open=ERRED)
        found = asked(server, steps=steps)

    assert found.result.cause == "service.http_error"
    assert found.result.message == "step chat: the reply states an error: no such chat"
    assert (found.attempts, len(server.requests)) == (1, 1)


def test_an_error_of_the_whole_mapping_is_looked_for_at_the_end():
    mapped = {**MAPPED, "error": "record.error || reply.warning"}
    with replaying() as server:
        server.body = served(
            open={"data": 1}, chat={"id": 7, "warning": "quota"}, records=RECORD
        )
        found = asked(server, response=mapped).result

    assert found.message == "the reply states an error: quota"


def test_a_step_that_failed_is_tried_again_alone():
    with replaying() as server:
        server.body = served(
            open=[BUSY, BUSY, {"data": "c1"}],
            chat={"id": 7},
            records=[BUSY, BUSY, RECORD],
        )
        found = asked(server, retries=2)

    assert (found.result.answer, found.attempts) == ("30 days.", 5)
    assert lines(server) == [
        *["GET /open"] * 3,
        "POST /chat/c1",
        *["GET /records/7"] * 3,
    ]


def test_a_question_in_a_session_is_asked_again_in_a_new_one():
    with replaying() as server:
        server.body = served(
            open=[{"data": "c1"}, {"data": "c2"}],
            chat=[BUSY, {"id": 7}],
            records=RECORD,
        )
        found = asked(server)

    assert (found.result.answer, found.attempts) == ("30 days.", 2)
    assert [line for line in lines(server) if "/chat/" in line] == [
        "POST /chat/c1",
        "POST /chat/c2",
    ]
    traces = [sent(r)["trace"] for r in server.requests if r.startswith(b"POST")]
    assert traces == ["u1", "u2"]


@pytest.mark.parametrize("broken", ["open", "chat", "records"])
def test_no_step_is_tried_more_often_than_the_spec_allows(broken):
    usual = {"open": {"data": "c1"}, "chat": {"id": 7}, "records": RECORD}
    with replaying() as server:
        server.body = served(**usual | {broken: BUSY})
        found = asked(server, retries=3)

    assert isinstance(found.result, Failure)
    assert found.attempts == 4
    assert sum(f"/{broken}" in line for line in lines(server)) == 4


def test_the_server_says_when_a_step_is_tried_again():
    late = Said(b"", "429 Slow", ("Retry-After: 7",))
    slept = []
    with replaying() as server:
        server.body = served(open={"data": 1}, chat={"id": 7}, records=[late, RECORD])
        found = asked(server, slept=slept)

    assert found.result.answer == "30 days."
    assert slept == [7.5]


def test_every_request_takes_its_turn_in_the_rate():
    slept = []
    with replaying() as server:
        server.body = served(open={"data": 1}, chat={"id": 7}, records=RECORD)
        asked(server, rate=0.01, slept=slept)

    assert [round(wait, -1) for wait in slept] == [100, 200]


POLL = {"name": "run", "url": "URL/runs/{{ start.id }}", "method": "GET"}
POLL |= {"until": "status=='done'", "error": "status=='failed' && why"}
START = {"name": "start", "url": "URL/start", "body": {"q": "{{ question }}"}}
ANSWERS = {"answer": "run.answer"}
GOING, DONE = {"status": "going"}, {"status": "done", "answer": "30 days."}


def test_a_step_is_sent_until_its_reply_says_that_it_is_done():
    slept = []
    with replaying() as server:
        server.body = served(start={"id": 4}, runs=[GOING, GOING, DONE])
        found = asked(
            server,
            steps=(START, {**POLL, "every": "250ms"}),
            response=ANSWERS,
            slept=slept,
        )

    assert (found.result.answer, found.attempts) == ("30 days.", 1)
    assert lines(server) == ["POST /start", *["GET /runs/4"] * 3]
    assert slept == [0.25, 0.25]
    assert found.result.latency > 0.5  # the waits are in it


def test_a_poll_that_fails_is_one_more_poll():
    with replaying() as server:
        server.body = served(start={"id": 4}, runs=[GOING, BUSY, GOING, BUSY, DONE])
        found = asked(server, steps=(START, POLL), response=ANSWERS, retries=1)

    assert (found.result.answer, found.attempts) == ("30 days.", 3)
    assert lines(server) == ["POST /start", *["GET /runs/4"] * 5]


def test_polling_ends_with_the_time_out_of_its_step_and_the_case_begins_anew():
    steps = (START, {**POLL, "timeout": "1200ms"})
    with replaying() as server:
        server.body = served(start={"id": 4}, runs=[GOING])
        found = asked(server, steps=steps, response=ANSWERS, retries=1)

    assert (found.result.cause, found.attempts) == ("service.timeout", 2)
    assert found.result.message.startswith(
        "step run: endpoint.steps[1].until was not so within 1.2 s "
        "(endpoint.steps[1].timeout), in "
    )
    assert found.result.message.endswith("in the last the reply has the keys status")
    assert lines(server).count("POST /start") == 2


def test_polling_ends_at_an_error_that_the_reply_states():
    with replaying() as server:
        failed = {"status": "failed", "why": "no quota"}
        server.body = served(start={"id": 4}, runs=[GOING, failed])
        found = asked(server, steps=(START, POLL), response=ANSWERS).result

    assert found.message == "step run: the reply states an error: no quota"


def test_a_step_may_stream_and_what_it_answered_is_timed_from_the_question():
    slow = {**START, "url": "URL/slow"}
    stream = {"name": "said", "url": "URL/said/{{ start.id }}", "stream": "sse"}
    mapped = {
        "answer": "join('', said.events[].data.text)",
        "contexts": "said.events[].data.sources[]",
        "context": {"id": "@", "text": None},
    }
    body = b'data: {"sources": ["d#1"]}\n\ndata: {"text": "30 "}\n\n'
    body += b'data: {"text": "days."}\n\ndata: [DONE]\n\n'
    with replaying() as server:
        server.cut = lambda body: (
            iter([time.sleep(0.2) or body]) if b'"id"' in body else oddly(body)
        )
        server.body = served(slow={"id": 4}, said=Said(body))
        found = asked(server, steps=(slow, stream), response=mapped).result

    assert found.answer == "30 days."
    assert [passage.id for passage in found.passages] == ["d#1"]
    assert 0.2 < found.time_to_first_token <= found.latency
    assert b"Accept: text/event-stream" in server.requests[1]


def test_a_stream_that_breaks_off_in_a_step_says_what_had_come():
    stream = {"name": "said", "url": "URL/said/{{ start.id }}", "stream": "sse"}
    mapped = {"answer": "join('', said.events[].data.text)"}
    body = b'data: {"text": "30 "}\n\ndata: {"text": "da'
    with replaying() as server:
        server.body = served(start={"id": 4}, said=Said(body))
        found = asked(server, steps=(START, stream), response=mapped, retries=0).result

    assert found.message.startswith("step said: the reply of http://127.0.0.1")
    assert found.message.endswith("broke off; until then it had answered: 30")
    assert found.shown.answer == "30 "


def test_what_a_step_brought_is_known_although_a_later_one_failed():
    mapped = {"answer": "tell.a", "contexts": "search.docs"}
    search = {"texts": ["30 days."], "docs": [{"id": "p71"}]}
    with replaying() as server:
        server.body = served(embed={"v": 1}, search=search, tell=Said(b"no JSON"))
        found = asked(
            server, steps=(EMBED, SEARCH, TELL), response=mapped, retries=0
        ).result

    assert found.message.startswith("step tell: ")
    assert [passage.id for passage in found.shown.passages] == ["p71"]


EMBED = {"name": "embed", "url": "URL/embed", "body": {"input": "{{ question }}"}}
SEARCH = {"name": "search", "url": "URL/search", "body": {"v": "{{ embed.v }}"}}
TELL = {"name": "tell", "url": "URL/tell"}
TELL |= {"body": {"p": "{{ search.texts | join('; ') }}", "q": "{{ question }}"}}
ASK = {"name": "ask", "url": "URL/ask", "body": {"q": "{{ question }}"}}
ANSWER = {"embed": {"v": [0.5]}, "search": {"texts": ["30 days."]}}
ANSWER |= {"tell": {"a": "30 days."}, "ask": {"a": "30 days."}}


@pytest.mark.parametrize(
    ("steps", "mapped", "timed"),
    [
        pytest.param(THREE, {"answer": "reply.id"}, [1], id="a session, then a record"),
        pytest.param(
            THREE, {"answer": "record.answer"}, [1, 2], id="answer in the record"
        ),
        pytest.param(
            (EMBED, SEARCH, TELL), {"answer": "tell.a"}, [0, 1, 2], id="own pipeline"
        ),
        pytest.param(
            (EMBED, SEARCH, ASK), {"answer": "ask.a"}, [2], id="search beside"
        ),
        pytest.param((ASK, EMBED, SEARCH), {"answer": "ask.a"}, [0], id="search after"),
        pytest.param(
            (EMBED, SEARCH),
            {"answer": None, "contexts": "search.texts", "context": {"id": "@"}},
            [0, 1],
            id="retrieval alone",
        ),
        pytest.param((EMBED, CHAT), {"answer": None}, [1], id="nothing that is read"),
    ],
)
def test_the_latency_is_that_of_the_way_from_the_question_to_its_answer(
    steps, mapped, timed
):
    routes = {"open": {"data": "c1"}, "chat": {"id": "x"}, "records": RECORD}
    replies = served(**routes, **ANSWER)
    with replaying() as server:
        # On this clock the first reply takes 9 seconds, the second 90, the third 900.
        server.body = replies
        clock = lambda: 10.0 ** len(server.requests)  # noqa: E731 - one number
        found = asked(server, steps=steps, response=mapped, clock=clock).result

    assert isinstance(found, Response)
    assert found.latency == sum(9 * 10.0**index for index in timed)


def test_a_later_body_takes_what_an_earlier_reply_holds_as_it_is():
    items = {"v": [1, 2.5, None], "items": {"values": "x"}}
    body = {"v": "{{ embed.v }}", "text": "{{ embed.items.values }}"}
    steps = (EMBED, {**SEARCH, "body": body})
    with replaying() as server:
        server.body = served(embed=items, search={"texts": []})
        asked(server, steps=steps, response={"answer": None})

    assert sent(server.requests[1]) == {"v": [1, 2.5, None], "text": "x"}


def test_what_an_earlier_reply_lacks_is_not_sent_as_null():
    with replaying() as server:
        server.body = served(embed={"vector": [0.5]})
        found = asked(server, steps=(EMBED, SEARCH), response={"answer": None}).result

    assert found.cause == "service.malformed"
    assert "endpoint.steps[1].body.v: " in found.message
    assert "has no attribute 'v'; the reply has the keys embed.vector" in found.message
    assert len(server.requests) == 1


def test_a_reply_is_data_and_no_template():
    hostile = {"v": "{{ 7 * 7 }}${TOKEN}"}
    with replaying() as server:
        server.body = served(embed=hostile, search={"texts": []})
        asked(server, steps=(EMBED, SEARCH), response={"answer": None})

    assert sent(server.requests[1]) == {"v": "{{ 7 * 7 }}${TOKEN}"}


def test_headers_of_the_endpoint_go_with_every_step_and_a_step_may_replace_one():
    steps = (CHAT, {**REPLY, "headers": {"authorization": "Basic x", "X-A": "1"}})
    with replaying() as server:
        server.body = served(open={"data": 1}, chat={"id": 7})
        asked(
            server,
            steps=steps,
            response={"answer": None},
            headers={"Authorization": "Bearer ${TOKEN}"},
        )
    heads = [request.partition(b"\r\n\r\n")[0].lower() for request in server.requests]

    assert b"authorization: bearer s3cret-token" in heads[0]
    assert b"authorization: basic x" in heads[1]
    assert b"s3cret-token" not in heads[1]


def test_a_key_of_one_service_is_not_handed_to_another():
    spec = {
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "steps": [
            {"name": "a", "url": "http://one.example/a"},
            {"name": "b", "url": "http://two.example:8000/b"},
        ],
        "response": {"answer": "b.answer"},
    }
    made = EndpointSpec.model_validate(spec)
    for see in (
        lambda: check(made, {"TOKEN": TOKEN}, [CASE], by_path),
        lambda: HttpEndpoint(made, {"TOKEN": TOKEN}).admit([CASE]),
    ):
        with pytest.raises(InputError) as caught:
            see()

        assert str(caught.value) == (
            "endpoint.headers: would go with every step, and these lead to "
            "http://one.example:80 and http://two.example:8000 (write in each step "
            "what its own service wants)"
        )


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (
            [CHAT, {"name": "b", "url": "http://{{ chat.host }}/b"}],
            (
                "endpoint.steps[1].url: an earlier reply is read before the host is "
                "written out (write scheme, host and a / before the first {{ }})"
            ),
        ),
        (
            [CHAT, {"name": "b", "url": "http://one.example:{{ chat.port }}/b"}],
            "an earlier reply is read before the host is written out",
        ),
        (
            [CHAT, {"name": "b", "url": "http://one.example/{{ chta.id }}"}],
            (
                "endpoint.steps[1].url: the template fails: unknown name 'chta' "
                "(did you mean chat?"
            ),
        ),
        (
            [{"name": "b", "url": "http://one.example/{{ chat.id }}"}, CHAT],
            "endpoint.steps[0].url: the template fails: unknown name 'chat'",
        ),
        (
            [CHAT, {"name": "question", "url": "http://one.example"}],
            "endpoint.steps[1].name: 'question' is what templates call a part of the",
        ),
        (
            [CHAT, {"name": "b", "url": "http://one.example", "until": "a ="}],
            "endpoint.steps[1].until: 'a =' is no JMESPath expression",
        ),
        (
            [CHAT, {"name": "b", "url": "http://one.example", "error": "len(a)"}],
            "endpoint.steps[1].error: unknown function len()",
        ),
        (
            [CHAT, {"name": "b", "url": "http://x", "headers": {"A": "{{ c.x }}"}}],
            "endpoint.steps[1].headers.A: the template fails: unknown name 'c'",
        ),
        (
            [CHAT, {"name": "b", "url": "http://169.254.169.254/{{ chat.id }}"}],
            "endpoint.steps[1].url: 169.254.169.254 is a link-local or metadata",
        ),
    ],
)
def test_what_is_wrong_in_a_step_is_told_with_its_key_before_anything_is_sent(
    steps, message
):
    steps = [{**step, "url": step["url"].replace("URL", "http://x")} for step in steps]
    spec = {"steps": steps, "response": {"answer": None}}
    with pytest.raises(InputError) as caught:
        check(EndpointSpec.model_validate(spec), {}, [CASE], by_path)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("mapped", "message"),
    [
        (
            {"answer": "rply.answer"},
            (
                "endpoint.response.answer: 'rply.answer' reads rply, which is no step "
                "(did you mean reply?)"
            ),
        ),
        (
            {"answer": "data.answer"},
            "reads data, which is no step (the steps are chat, reply, record)",
        ),
        ({"answer": None, "contexts": "x[].y"}, "endpoint.response.contexts: "),
        ({"answer": None, "error": "code"}, "endpoint.response.error: "),
        (
            {"answer": "reply.a", "citations": {"path": "x.y", "first": 0}},
            "endpoint.response.citations.path: ",
        ),
    ],
)
def test_an_expression_that_reads_no_step_is_told_before_anything_is_sent(
    mapped, message
):
    steps = [{**step, "url": step["url"].replace("URL", "http://x")} for step in THREE]
    made = EndpointSpec.model_validate({"steps": steps, "response": mapped})
    with pytest.raises(InputError) as caught:
        check(made, {}, [CASE], by_path)

    assert message in str(caught.value)


def test_sixteen_threads_keep_the_sessions_of_their_cases_apart():
    cases = [Case(f"qa-{number}", f"question {number}") for number in range(300)]

    def body(request):
        path = request.split(b" ", 2)[1].decode()
        if path == "/open":
            name = request.lower().partition(b"x-case: ")[2].split(b"\r")[0].decode()
            return Said(json.dumps({"data": name}).encode())
        name = path.rpartition("/")[2]
        if path.startswith("/chat/"):
            said = {"id": f"{name}:{sent(request)['message']}"}
        else:
            said = {"answer": name.replace("%20", " ").replace("%3A", ":")}
        return Said(json.dumps(said).encode())

    steps = ({**CHAT, "headers": {"X-Case": "{{ id }}"}}, REPLY, RECORDS)
    with replaying() as server:
        server.cut = lambda body: [body]
        server.body = body
        made = endpoint(server, steps=steps, response={"answer": "record.answer"})
        with closing(made):
            exchanges = list(
                collect(
                    made,
                    cases,
                    Limits(concurrency=16),
                    clock=time.monotonic,
                    uniform=lambda _, high: high,
                    now=lambda: datetime.now(UTC),
                )
            )
        connections = server.connections

    found = {cases[each.position].id: each.result.answer for each in exchanges}
    assert found == {case.id: f"{case.id}:{case.question}" for case in cases}
    assert connections <= 16 * 3


@pytest.mark.parametrize("status", ["202 Accepted", "204 No Content"])
def test_a_reply_that_says_nothing_yet_is_waited_for(status):
    with replaying() as server:
        later = Said(b"", status)
        server.body = served(start={"id": 4}, runs=[later, later, DONE])
        found = asked(server, steps=(START, POLL), response=ANSWERS).result

    assert found.answer == "30 days."
    assert len(server.requests) == 4


def test_a_reply_that_says_nothing_is_a_failure_where_none_is_waited_for():
    with replaying() as server:
        server.body = served(start=Said(b"", "202 Accepted"))
        found = asked(server, steps=(START, POLL), response=ANSWERS).result

    assert (found.cause, found.message[:27]) == (
        "service.malformed",
        "step start: the reply of ht",
    )


def test_an_error_that_a_stream_states_is_told_with_what_had_been_answered():
    stream = {"name": "said", "url": "URL/said/{{ start.id }}", "stream": "sse"}
    stream |= {"error": "events[?event=='error'] | [0].data.why"}
    mapped = {"answer": "join('', said.events[].data.text)"}
    body = (
        b'data: {"text": "30 "}\n\nevent: error\ndata: {"why": "quota", "text": ""}\n\n'
    )
    with replaying() as server:
        server.body = served(start={"id": 4}, said=Said(body))
        found = asked(server, steps=(START, stream), response=mapped).result

    assert found.message == (
        "step said: the reply states an error: quota; until then it had answered: 30"
    )


def test_who_leaves_early_does_not_wait_for_what_is_polled():
    def body(request):
        if b"/start" in request:
            first = "first" in sent(request)["q"]
            return Said(json.dumps({"id": "first" if first else "other"}).encode())
        return Said(json.dumps(DONE if b"/runs/first" in request else GOING).encode())

    with replaying() as server:
        server.body = body
        steps = (START, {**POLL, "every": "20s"})
        made = endpoint(server, steps=steps, response=ANSWERS, timeout="60s")
        exchanges = collect(
            made,
            [Case("qa-1", "first")] + [Case(f"qa-{n}", "other") for n in (2, 3, 4)],
            Limits(concurrency=4),
            clock=time.monotonic,
            uniform=lambda low, _: low,
            now=lambda: datetime.now(UTC),
        )
        assert next(exchanges).result.answer == "30 days."
        began = time.monotonic()
        exchanges.close()

    assert time.monotonic() - began < 4


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://user:s3cret@one.example/a", "http://one.example:80/b?key=s3cret"),
        ("http://{{ tenant }}.example/a", "http://{{ tenant }}.example/b"),
        ("https://ONE.example/a", "https://one.example:443/b"),
    ],
)
def test_one_service_may_be_written_in_several_ways(first, second):
    steps = [{"name": "a", "url": first}, {"name": "b", "url": second}]
    spec = {"headers": {"A": "b"}, "steps": steps, "response": {"answer": "b.answer"}}

    check(EndpointSpec.model_validate(spec), {}, [CASE], by_path)


def test_every_step_is_held_to_the_allowed_hosts_before_anything_is_sent():
    steps = [
        {"name": "a", "url": "http://one.example/a"},
        {"name": "b", "url": "http://two.example/{{ a.id }}"},
    ]
    made = EndpointSpec.model_validate({"steps": steps, "response": {"answer": "b.x"}})
    access = Access(allowed("one.example"))
    with pytest.raises(InputError) as caught:
        HttpEndpoint(made, {}, access=access).admit([CASE])

    assert str(caught.value) == (
        "endpoint.steps[1].url: two.example:80 is not among the allowed hosts (add it "
        "to the input allowed-hosts if it is right)"
    )


def test_what_is_wrong_in_a_header_of_all_steps_is_told_once():
    steps = [{**step, "url": step["url"].replace("URL", "http://x")} for step in THREE]
    spec = {"headers": {"X": "{{ quesion }}"}, "steps": steps}
    made = EndpointSpec.model_validate({**spec, "response": {"answer": "reply.a"}})
    with pytest.raises(InputError) as caught:
        check(made, {}, [CASE], by_path)

    assert str(caught.value).count("endpoint.headers.X: ") == 1
    assert str(caught.value).count("did you mean question?") == 1

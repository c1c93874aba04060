"""Servers that take several requests for a case, over real HTTP on loopback."""

import json
import time
from contextlib import closing
from datetime import UTC, datetime

from runner.endpoints.http import HttpEndpoint
from runner.model import Case
from runner.responses import Limits, collect
from runner.spec import EndpointSpec
from tests.streaming import Said, replaying

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


def endpoint(server, steps=THREE, response=MAPPED, **spec):
    url = server.url.removesuffix("/rag")
    steps = [{**step, "url": step["url"].replace("URL", url)} for step in steps]
    uuids = iter(["u1", "u2", "u3", "u4"])
    spec = {"timeout": "2s", "steps": steps, "response": response, **spec}
    return HttpEndpoint(
        EndpointSpec.model_validate(spec),
        {"TOKEN": TOKEN},
        secrets=[TOKEN],
        new_uuid=lambda: next(uuids),
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

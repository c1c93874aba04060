"""Explains replies that are complete and unusable: no JSON, no events, a status."""

from __future__ import annotations

from runner.http_client.client import NO_STATUS, Block, Reply
from runner.model import Failure
from runner.spec import AuthSpec
from runner.text.shorten import excerpt


def block_of(name: str = "endpoint", auth: AuthSpec | None = None) -> Block:
    """Make the part of the spec that describes a request, with advice by status.

    >>> block_of("endpoint.steps[1]").advice[404]
    'check endpoint.steps[1].url'
    """
    shown = f"check the token in {name}.headers"
    if auth:
        shown = "check the keys, region and service in auth"
    refused = "it takes no token that auth gives" if auth and auth.bearer else shown
    advice = {
        400: f"check {name}.body",
        401: refused,
        403: "the token of auth may not" if auth and auth.bearer else shown,
        404: f"check {name}.url",
        405: f"check {name}.method",
        413: "the request is too large for it",
        415: f"check {name}.headers and {name}.body",
        422: f"check {name}.body",
    }
    wait = " `wait_for` waits for it"
    return Block(name, advice, wait, around="endpoint")


def from_garbage(reply: Reply, where: str, error: ValueError, block: str) -> Failure:
    """Explain a body that is not the JSON it should be; ``block`` asked for it."""
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    what = f"the reply of {where} is no JSON"
    if kind == "text/event-stream":
        what = (
            f"{where} streams its reply (write stream: sse in {_block_of(block)}, "
            f"or ask for one whole reply in {block}.body)"
        )
    elif not reply.body.strip():
        return Failure("service.malformed", f"the reply of {where} is empty")
    return Failure(
        "service.malformed",
        f"{what}: {excerpt(str(error), 120)}; {_beginning(reply, reply.body)}",
    )


def from_silence(
    reply: Reply, where: str, framing: str, beginning: bytes, block: str
) -> Failure:
    """Explain a body in which there is no event; ``beginning`` is how it begins."""
    if not beginning.strip():
        return Failure("service.malformed", f"the stream of {where} is empty")
    return Failure(
        "service.malformed",
        f"the reply of {where} holds no event of {_block_of(block)}.stream: {framing}; "
        f"{_beginning(reply, beginning)}",
    )


def _block_of(block: str) -> str:
    """Give what holds the key ``stream`` of a request."""
    return "endpoint.response" if block == "endpoint" else block


def _beginning(reply: Reply, beginning: bytes) -> str:
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    begins = f"it begins with: {excerpt(beginning.decode(errors='replace'), 200)}"
    if reply.status == NO_STATUS:
        return begins
    return f"its type is {excerpt(kind, 60) or 'not stated'}, {begins}"

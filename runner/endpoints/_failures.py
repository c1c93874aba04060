"""What was wrong with a reply that came whole, and how its status is explained."""

from __future__ import annotations

from runner.model import Failure
from runner.text.lengths import excerpt
from runner.wire.caller import NO_STATUS, Block, Reply

BLOCK = Block(
    "endpoint",
    {
        400: "check endpoint.body",
        401: "check the token in endpoint.headers",
        403: "check the token in endpoint.headers",
        404: "check endpoint.url",
        405: "check endpoint.method",
        413: "the request is too large for it",
        415: "check endpoint.headers and endpoint.body",
        422: "check endpoint.body",
    },
    wait=" `wait_for` waits for it",
)


def from_garbage(reply: Reply, where: str, error: ValueError) -> Failure:
    """Explain a body that is not the JSON it should be."""
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    what = f"the reply of {where} is no JSON"
    if kind == "text/event-stream":
        what = (
            f"{where} streams its reply (write stream: sse in endpoint.response, "
            "or ask for one whole reply in endpoint.body)"
        )
    elif not reply.body.strip():
        return Failure("service.malformed", f"the reply of {where} is empty")
    return Failure(
        "service.malformed",
        f"{what}: {excerpt(str(error), 120)}; {_seen(reply, reply.body)}",
    )


def from_silence(reply: Reply, where: str, framing: str, beginning: bytes) -> Failure:
    """Explain a body in which there is no event; ``beginning`` is how it begins."""
    if not beginning.strip():
        return Failure("service.malformed", f"the stream of {where} is empty")
    return Failure(
        "service.malformed",
        f"the reply of {where} holds no event of endpoint.response.stream: {framing}; "
        f"{_seen(reply, beginning)}",
    )


def _seen(reply: Reply, beginning: bytes) -> str:
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    begins = f"it begins with: {excerpt(beginning.decode(errors='replace'), 200)}"
    if reply.status == NO_STATUS:
        return begins
    return f"its type is {excerpt(kind, 60) or 'not stated'}, {begins}"

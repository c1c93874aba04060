"""A stub endpoint that is not the bottleneck: one canned reply after a fixed latency.

    python bench/stub.py --latency 0.05 --port 0 --events 0

With ``--events`` it streams: that many server-sent events, evenly over the latency. It
prints its port on the first line of standard output, then serves until it is ended. It
speaks just enough HTTP: keep-alive, Content-Length, any method and path.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

REPLIES = 500  # different ones in turn, so that nothing remembers the text of the last
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
STREAMS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
WORDS = [
    *("a", "refund", "is", "paid", "to", "the", "card", "within", "ten", "days"),
    *("after", "goods", "came", "back", "in", "full", "order", "account", "plan"),
    *("seat", "invoice", "month", "support", "ticket", "limit", "never", "customer"),
]


def reply(chance: random.Random, passages: int = 10, words: int = 42) -> dict[str, Any]:
    """Give a reply in the default shape: about 3 KB with ten passages."""
    days = chance.randrange(5, 95)
    return {
        "answer": f"The refund is paid within {days} days of the order. [1]",
        "contexts": [
            {
                "id": f"refunds#{n}",
                "text": " ".join(chance.choices(WORDS, k=words)) + f" {days} days.",
                "score": 1 / (n + 1),
            }
            for n in range(passages)
        ],
        "citations": ["refunds#0"],
        "refused": False,
        "usage": {"prompt_tokens": 900, "completion_tokens": 12},
    }


def pieces(answer: dict[str, Any], events: int) -> list[bytes]:
    """Give a reply as chunks of one event each: the passages, then the answer."""
    text, size = answer["answer"], -(-len(answer["answer"]) // events)
    parts = [{"delta": text[n * size : (n + 1) * size]} for n in range(events)]
    said = [*parts[:-1], {**parts[-1], "contexts": answer["contexts"]}]
    framed = [b"data: " + json.dumps(part).encode() + b"\n\n" for part in said]
    return [b"%x\r\n%b\r\n" % (len(event), event) for event in framed]


Send = Callable[[bytes], None]


def at_once(send: Send, answers: Iterator[bytes], latency: float) -> None:
    """Send the next reply in one piece, when the latency is over."""
    if latency:
        loop = asyncio.get_running_loop()
        loop.call_later(latency, lambda: send(next(answers)))
    else:
        send(next(answers))


def in_events(send: Send, answers: Iterator[list[bytes]], latency: float) -> None:
    """Stream the next reply, its events evenly over the latency."""
    send(STREAMS)
    chunks = next(answers)
    loop = asyncio.get_running_loop()
    now, gap = loop.time(), latency / len(chunks)
    for number, chunk in enumerate(chunks[:-1], 1):
        loop.call_at(now + number * gap, send, chunk)
    loop.call_at(now + latency, send, chunks[-1] + b"0\r\n\r\n")


class Connection(asyncio.Protocol):
    """One connection: answers each request in turn, whatever it asks."""

    def __init__(self, answer: Callable[[Send], None]) -> None:
        self._answer = answer
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer on."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - narrows the type
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when a whole request has come."""
        self._received += data
        if whole(self._received):
            self._received = b""
            self._answer(self._send)

    def _send(self, data: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(data)


def whole(request: bytes) -> bool:
    """Whether head and body of a request have come."""
    head, found, body = request.partition(b"\r\n\r\n")
    _, _, rest = head.lower().partition(b"content-length:")
    return bool(found) and len(body) >= int(rest.split(b"\r\n", 1)[0] or 0)


async def serve(port: int, answer: Callable[[Send], None]) -> None:
    """Serve until cancelled; the port is printed first."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(answer), "127.0.0.1", port, backlog=512
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running(latency: float, events: int = 0) -> Iterator[str]:
    """Start the stub in its own process and give its URL."""
    options = ["--latency", str(latency), "--events", str(events)]
    command = [sys.executable, str(Path(__file__)), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout  # noqa: S101 - narrows the type
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/rag"
        finally:
            process.terminate()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--events", type=int, default=0, help="of a streamed reply")
    options = parser.parse_args()
    chance = random.Random(7)
    replies = [reply(chance) for _ in range(REPLIES)]
    answer: Callable[[Send], None]
    if options.events:
        streams = cycle([pieces(each, options.events) for each in replies])
        answer = partial(in_events, answers=streams, latency=options.latency)
    else:
        bodies = [json.dumps(each).encode() for each in replies]
        answers = cycle([f"{HEAD}{len(b)}\r\n\r\n".encode() + b for b in bodies])
        answer = partial(at_once, answers=answers, latency=options.latency)
    asyncio.run(serve(options.port, answer))


if __name__ == "__main__":
    main()

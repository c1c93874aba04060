"""A stub endpoint that is not the bottleneck: one canned reply after a fixed latency.

    python bench/stub.py --latency 0.05 --port 0

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

REPLIES = 500  # different ones in turn, so that nothing remembers the text of the last
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


class Stub(asyncio.Protocol):
    """One connection: answers each request in turn, whatever it asks."""

    def __init__(self, answers: Iterator[bytes], latency: float) -> None:
        self._answers = answers
        self._latency = latency
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer on."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - narrows the type
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when a whole request has come."""
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        _, _, rest = head.lower().partition(b"content-length:")
        if len(body) < int(rest.split(b"\r\n", 1)[0] or 0):
            return
        self._received = b""
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._send)
        else:
            self._send()

    def _send(self) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(next(self._answers))


async def serve(port: int, latency: float, bodies: Sequence[bytes]) -> None:
    """Serve until cancelled; the port is printed first."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
    answers = cycle([f"{head}{len(b)}\r\n\r\n".encode() + b for b in bodies])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Stub(answers, latency), "127.0.0.1", port, backlog=512
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running(latency: float) -> Iterator[str]:
    """Start the stub in its own process and give its URL."""
    command = [sys.executable, str(Path(__file__)), "--latency", str(latency)]
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
    options = parser.parse_args()
    chance = random.Random(7)
    bodies = [json.dumps(reply(chance)).encode() for _ in range(REPLIES)]
    asyncio.run(serve(options.port, options.latency, bodies))


if __name__ == "__main__":
    main()

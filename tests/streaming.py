"""A server that replays bodies in pieces of any size, with pauses, and a slow reader.

The reader is a second implementation of the framings, written character by character
from the HTML standard, for comparison.
"""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

Cut = Callable[[bytes], Iterable[bytes]]
BLANK = " \t\f\v"
PAUSE = b""
"""A piece that is a moment of silence."""


def bytewise(body: bytes) -> Iterator[bytes]:
    for index in range(len(body)):
        yield body[index : index + 1]


def oddly(body: bytes, seed: int = 7, longest: int = 41) -> Iterator[bytes]:
    chance = random.Random(seed)
    while body:
        size = chance.randint(1, longest)
        yield body[:size]
        body = body[size:]


def haltingly(body: bytes) -> Iterator[bytes]:
    for number, piece in enumerate(oddly(body, 11, 97)):
        if number % 9 == 4:
            yield PAUSE
        yield piece


class Said(NamedTuple):
    """What a server says to one request, where that is not what it says to all."""

    body: bytes
    status: str = "200 OK"
    head: tuple[str, ...] = ("Content-Type: application/json",)


class Replay:
    """HTTP on loopback that answers every request with the body of the moment."""

    def __init__(self) -> None:
        self.body: Callable[[bytes], bytes | Said] | bytes = b""
        self.cut: Cut = bytewise
        self.head: tuple[str, ...] = ("Content-Type: text/event-stream",)
        self.status = "200 OK"
        self.whole = True
        self.ending = b"0\r\n\r\n"
        self.connections = 0
        self.requests: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/rag"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(
                    target=self.answer, args=(connection,), daemon=True
                ).start()

    def answer(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, suppress(OSError):
            while request := received(connection):
                self.requests.append(request)
                said = self.body(request) if callable(self.body) else self.body
                if not isinstance(said, Said):
                    said = Said(said, self.status, self.head)
                body, status, lines = said
                head = [f"HTTP/1.1 {status}", *lines, "Transfer-Encoding: chunked"]
                connection.sendall("\r\n".join([*head, "", ""]).encode())
                for piece in self.cut(body):
                    if piece is PAUSE or not piece:
                        time.sleep(0.003)
                        continue
                    connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                if not self.whole:
                    return
                connection.sendall(self.ending)


def received(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r")[0] or 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def end(listener: socket.socket, accepting: threading.Thread) -> None:
    """Let nobody listen any more, and nobody wait for a caller.

    Closing alone wakes nobody: who still waits takes the first caller of whatever
    socket is given the same number next.
    """
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    accepting.join(5)
    listener.close()
    assert not accepting.is_alive()


@contextmanager
def replaying() -> Iterator[Replay]:
    server = Replay()
    serving = threading.Thread(target=server.serve, daemon=True)
    serving.start()
    try:
        yield server
    finally:
        end(server.listener, serving)


def slowly(framing: str, body: bytes) -> list[tuple[str | None, str]]:
    """Give name and data of each event, as the standard reads a whole body."""
    text = body.decode(errors="replace").removeprefix("\N{BOM}")
    lines = cut_at_ends(text)
    if framing == "sse":
        return sse(lines)
    kept = [line for line in lines if line.strip(BLANK)]
    if framing == "ndjson":
        return [(None, line) for line in kept]
    return [keyed(line) for line in kept]


def cut_at_ends(text: str) -> list[str]:
    lines, line, index = [], "", 0
    while index < len(text):
        if text[index] in "\r\n":
            index += text[index : index + 2] == "\r\n"
            lines.append(line)
            line = ""
        else:
            line += text[index]
        index += 1
    return [*lines, line]


def sse(lines: list[str]) -> list[tuple[str | None, str]]:
    events, name, data = [], "", ""
    for line in [*lines, ""]:
        if line == "":
            if data:
                events.append((name or None, data[:-1]))
            name, data = "", ""
        elif line[0] == ":":
            continue
        else:
            colon = line.find(":")
            field, said = (line, "") if colon < 0 else (line[:colon], line[colon + 1 :])
            said = said[1:] if said[:1] == " " else said
            name = said if field == "event" else name
            data = data + said + "\n" if field == "data" else data
    return events


def keyed(line: str) -> tuple[str | None, str]:
    key = ""
    for character in line.lstrip(BLANK):
        if character == ":" and key:
            return key, line[line.index(":") + 1 :]
        if not (character.isascii() and (character.isalnum() or character in "_-")):
            return None, line
        key += character
    return None, line


def plainly(data: str) -> object:
    """Give what data says by the standard library's JSON, NaN as null."""
    try:
        found = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return data
    alone = isinstance(found, int | float) or data.strip() == "NaN"
    return data if alone else found

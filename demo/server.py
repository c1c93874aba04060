"""The pipeline over HTTP: ``POST /rag`` and ``GET /health``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from demo.faults import QUALITY, SERVICE, strikes
from demo.pipeline import Ask, Pipeline

LARGEST_BODY = 1_000_000  # bytes
LONGEST_QUERY = 2_000  # characters
DEFAULT_TOP_K, LARGEST_TOP_K = 5, 50

Answer = tuple[int, bytes]


class BadRequestError(Exception):
    """The client must change something."""


class Desk:
    """Answers one request body, with a fault where one is wanted."""

    def __init__(
        self, pipeline: Pipeline, fault: str | None = None, seed: int = 0
    ) -> None:
        self.pipeline = pipeline
        self._seed = seed
        self._spoil_draft = QUALITY.get(fault or "")
        self._spoil_reply = SERVICE.get(fault or "")

    def reply(self, body: bytes) -> Answer:
        """Give the status and the JSON for the body of a ``POST /rag``."""
        try:
            ask = parse(body)
        except BadRequestError as problem:
            return 400, _json({"error": str(problem)})
        draft = self.pipeline.answer(ask)
        if self._spoil_draft:
            draft = self._spoil_draft(self.pipeline, draft, self._seed)
        answer = 200, _json(draft.reply())
        if self._spoil_reply and strikes(ask, self._seed):
            return self._spoil_reply(*answer)
        return answer


def parse(body: bytes) -> Ask:
    """Read a request.

    Raises:
        BadRequestError: It is no JSON object, or a field of it is missing or wrong.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequestError(f"the body is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadRequestError("the body must be an object")
    query, tenant = data.get("query"), data.get("tenant_id")
    top_k = data.get("top_k", DEFAULT_TOP_K)
    if not isinstance(query, str) or not 0 < len(query.strip()) <= LONGEST_QUERY:
        raise BadRequestError(
            f"query must be a string of 1 to {LONGEST_QUERY} characters"
        )
    if not isinstance(tenant, str | None):
        raise BadRequestError("tenant_id must be a string or null")
    if type(top_k) is not int or not 1 <= top_k <= LARGEST_TOP_K:
        raise BadRequestError(f"top_k must be a whole number from 1 to {LARGEST_TOP_K}")
    return Ask(query, tenant, top_k)


class Server(ThreadingHTTPServer):
    """A thread for each connection; ``desk`` answers in all of them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int, desk: Desk) -> None:
        super().__init__((host, port), Handler)
        self.desk = desk

    @property
    def url(self) -> str:
        """Where it listens, also where the port was chosen by the system."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep silent: a client that hangs up is no event."""


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open for as many requests as the client likes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a small reply must not wait for a full packet
    wbufsize = -1  # head and body leave together
    timeout = 60  # seconds that an idle connection is kept
    server: Server

    def do_GET(self) -> None:
        """Say that the service is up."""
        found = self.path == "/health"
        self._send(200, {"status": "ok"}) if found else self._not_found()

    def do_POST(self) -> None:
        """Answer a question."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            self.close_connection = True  # what the client still sends is not read
            self._send(
                400, {"error": f"a body of at most {LARGEST_BODY} bytes is needed"}
            )
            return
        body = self.rfile.read(int(length))
        if self.path != "/rag":
            self._not_found()
        else:
            self._write(*self.server.desk.reply(body))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name
        """Keep silent: one line a request is too much."""

    def _not_found(self) -> None:
        self._send(404, {"error": "there is POST /rag and GET /health"})

    def _send(self, status: int, data: Mapping[str, Any]) -> None:
        self._write(status, _json(data))

    def _write(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode()

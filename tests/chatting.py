"""An OpenAI-compatible server on loopback that rates by rule, or does as it is told."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from runner.metrics import _tasks
from runner.model import Task
from tests.judging import ByRule

_BLOCK = re.compile(r"<([a-z]+)(?: \d+)? (\w+)>\n(.*?)\n</\1(?: \d+)? \2>", re.DOTALL)
_NUMBERED = re.compile(r"^\d+\. ", re.MULTILINE)
LISTS = ("passage", "claims", "anchors", "intents", "citations")
TASKS = {t.reply.__name__: t.name for t in vars(_tasks).values() if isinstance(t, Task)}

Fault = Callable[["Handler", dict[str, Any]], bool]
"""Given a request, may answer it in its own way; gives whether it did."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
            self.server.heads.append((self.path, dict(self.headers)))
        time.sleep(self.server.delay)
        with suppress(BrokenPipeError, ConnectionResetError):
            if not any(fault(self, body) for fault in self.server.faults):
                self.send(200, answer(body))

    def send(self, status: int, value: Any, **headers: str) -> bool:
        """Answer with JSON, or with text as it is."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text.encode())))
        for name, said in headers.items():
            self.send_header(name.replace("_", "-"), said)
        self.end_headers()
        self.wfile.write(text.encode())
        return True

    def log_message(self, *_):
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *faults: Fault, delay: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults = faults
        self.delay = delay
        self.lock = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.heads: list[tuple[str, dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """Give what a model that rates by rule would answer."""
    if "input" in body:
        vectors = ByRule().embed(body["input"])
        rows = [{"index": at, "embedding": v} for at, v in enumerate(vectors)]
        return {"data": rows, "usage": {"prompt_tokens": 7, "completion_tokens": 0}}
    task, texts = asked(body)
    return said(json.dumps(getattr(ByRule(), f"_{task}")(texts)))


def said(content: Any, ended: str = "stop", **message: Any) -> dict[str, Any]:
    """Give the reply of a chat with a content."""
    told = {"role": "assistant", "content": content, **message}
    return {
        "choices": [{"index": 0, "message": told, "finish_reason": ended}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }


def asked(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Give the task of a prompt, and its texts, from between their fences."""
    texts: dict[str, Any] = {}
    for name, _, text in _BLOCK.findall(body["messages"][1]["content"]):
        if name in LISTS:
            lines = _NUMBERED.split(text)[1:] if name != "passage" else [text]
            kept = texts.setdefault(f"{name.removesuffix('s')}s", [])
            kept += [line.strip() for line in lines]
        else:
            texts[name] = text
    return task_of(body), texts


def task_of(body: dict[str, Any]) -> str:
    """Give the task that a request is for: by its schema, else by what it is told."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    if "title" in schema:
        return TASKS[schema["title"]]
    told = body["messages"][0]["content"]
    return "support" if '"verdicts"' in told else "claims"


def failing(status: int, times: int = 10**9, body: Any = "", **headers: str) -> Fault:
    """Give a server that answers so many requests with a status."""
    left = [times]

    def fault(handler: Handler, _: dict[str, Any]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and handler.send(status, body, **headers)

    return fault


def saying(value: Any, times: int = 10**9) -> Fault:
    """Give a server that answers so many requests with a body."""
    return failing(200, times, value)

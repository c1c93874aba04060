"""What one request brought, before and after the mapping reads it."""

from __future__ import annotations

from typing import Any, NamedTuple

import requests
from pydantic_core import from_json

from runner.endpoints._body import Reply
from runner.endpoints._failures import from_garbage, from_silence, shown
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._stream import Stream
from runner.model import Failure, Response

_BOM = b"\xef\xbb\xbf"


class Came(NamedTuple):
    """The reply to one attempt, or why there is none."""

    request: requests.PreparedRequest
    reply: Reply | Failure
    started: float
    latency: float
    stream: Stream | None = None
    """What its body went to, where the spec says that it streams."""

    @property
    def url(self) -> str:
        """Where the request went."""
        return str(self.request.url)

    @property
    def asked(self) -> str:
        """What the request was, without credentials."""
        return f"{self.request.method} {shown(self.url)}"

    @property
    def beginning(self) -> bytes:
        """How the body begins; all of it where it did not stream."""
        if self.stream:
            return self.stream.beginning
        return b"" if isinstance(self.reply, Failure) else self.reply.body

    def value(self) -> Any:
        """Give the JSON that expressions read, or a Failure where there is none."""
        if isinstance(self.reply, Failure):
            return self.reply
        if self.stream:
            events = self.stream.collected()
            if events["events"]:
                return events
            framing, beginning = self.stream.framing, self.stream.beginning
            return from_silence(self.reply, self.url, framing, beginning)
        try:
            return from_json(self.reply.body.removeprefix(_BOM), allow_inf_nan=False)
        except ValueError as error:
            return from_garbage(self.reply, self.url, error)

    def result(self, replies: ReplyMap) -> Response | Failure:
        """Give what the mapping makes of it.

        Raises:
            InputError: An expression cannot take what it met.
        """
        result: Response | Failure
        if self.stream and isinstance(self.reply, Failure):
            result = self.stream.broken(self.reply, replies)
        else:
            result = self._read(self.value(), replies)
        return result._replace(latency=self.latency)

    def _read(self, value: Any, replies: ReplyMap) -> Response | Failure:
        if isinstance(value, Failure):
            return value
        if self.stream:
            return self.stream.read(value, replies, self.started)
        return replies.read(value)

"""What one attempt brought, before and after the mapping reads it."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic_core import from_json

from runner.endpoints._failures import from_garbage, from_silence
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._stream import Stream
from runner.model import Failure, Response
from runner.wire.caller import Reply

_BOM = b"\xef\xbb\xbf"


class Came(NamedTuple):
    """The reply to one attempt, or why there is none."""

    asked: str
    """What was asked for, without credentials: ``POST http://rag:9000/chat``."""
    where: str
    """What messages call the one who answers."""
    sent: bytes | str | None
    reply: Reply | Failure
    started: float
    latency: float
    stream: Stream | None = None
    """What its body went to, where the spec says that it streams."""

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
            return from_silence(self.reply, self.where, framing, beginning)
        try:
            return from_json(self.reply.body.removeprefix(_BOM), allow_inf_nan=False)
        except ValueError as error:
            return from_garbage(self.reply, self.where, error)

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

"""What the requests of one attempt brought, before and after the mapping reads it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from pydantic_core import from_json

from runner.endpoints._failures import from_garbage, from_silence
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import Span
from runner.endpoints._stream import Stream, with_part
from runner.model import NOTHING, Failure, Response
from runner.wire.caller import Reply

_LATER = (HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT)
_BOM = b"\xef\xbb\xbf"


class Came(NamedTuple):
    """The reply to one request, or why there is none."""

    asked: str
    """What was asked for, without credentials: ``POST http://rag:9000/chat``."""
    where: str
    """What messages call the one who answers."""
    sent: bytes | str | None
    reply: Reply | Failure
    started: float
    latency: float
    """Of a request that is sent until something is so, of all times, with the waits."""
    stream: Stream | None = None
    """What its body went to, where the spec says that it streams."""
    block: str = "endpoint"
    """What the keys of the request begin with."""
    times: int = 1
    """How often it was sent."""

    @property
    def beginning(self) -> bytes:
        """How the body begins; all of it where it did not stream."""
        if self.stream:
            return self.stream.beginning
        return b"" if isinstance(self.reply, Failure) else self.reply.body

    @property
    def says_nothing_yet(self) -> bool:
        """Whether it is a success without a body that says that there is one later."""
        reply = self.reply
        return (
            not isinstance(reply, Failure)
            and reply.status in _LATER
            and not (self.stream or reply.body.strip())
        )

    def value(self) -> Any:
        """Give the JSON that expressions read, or a Failure where there is none."""
        if isinstance(self.reply, Failure):
            return self.reply
        if self.stream:
            events = self.stream.collected()
            if events["events"]:
                return events
            framing, beginning = self.stream.framing, self.stream.beginning
            return from_silence(self.reply, self.where, framing, beginning, self.block)
        try:
            return from_json(self.reply.body.removeprefix(_BOM), allow_inf_nan=False)
        except ValueError as error:
            return from_garbage(self.reply, self.where, error, self.block)

    def alone(self, replies: ReplyMap) -> Arrived:
        """Give it as all that an attempt brings."""
        return Arrived().with_reply(ONLY, self, self.value(), replies)


ONLY = ""
"""What the only request of a case is called."""


class Arrived(NamedTuple):
    """What an attempt has brought so far."""

    came: tuple[Came, ...] = ()
    """One for each request; of one that is sent again, the last."""
    values: Mapping[str, Any] = NOTHING
    """What those brought that succeeded, by name."""
    failed: Failure | None = None
    """Why there is no more."""

    def value(self) -> Any:
        """Give what the expressions of the mapping read, or a Failure."""
        return self.failed or together(self.values)

    def with_reply(
        self, name: str, came: Came | None, value: Any, replies: ReplyMap
    ) -> Arrived:
        """Add what came of a request, with its value or the failure that it is.

        Args:
            name: Of the step.
            came: None where the request could not even be sent.
            value: What it says, or why it says nothing.
            replies: The mapping, for what a stream had answered until it failed.
        """
        all_came = (*self.came, came) if came else self.came
        if not isinstance(value, Failure):
            return Arrived(all_came, {**self.values, name: value})
        if came and came.stream and came.reply is value:
            part = together({**self.values, name: came.stream.cut()})
            value = with_part(value, replies, part)
        return Arrived(all_came, self.values, value)

    def result(self, replies: ReplyMap, span: Span = Span()) -> Response | Failure:  # noqa: B008 - it is a constant
        """Give what the mapping makes of it all.

        The latency is that of the requests that take the question to its answer.

        Raises:
            InputError: An expression cannot take what it met.
        """
        result = self.failed or self._read(replies, span)
        timed = [self.came[i] for i in span.timed if i < len(self.came)]
        latency = sum(came.latency for came in timed or self.came[-1:])
        return result._replace(latency=latency if self.came else None)

    def _read(self, replies: ReplyMap, span: Span) -> Response | Failure:
        whole = together(self.values)
        result = replies.read(whole)
        answering = self.came[span.answering]
        stream = answering.stream
        if stream is None:
            return result
        if isinstance(result, Failure):
            return with_part(result, replies, whole)
        name = [*self.values][span.answering]

        def around(value: Any) -> Any:
            return together({**self.values, name: value})

        at = stream.first_token(self.values[name], replies, around)
        if at is None:
            return result
        before = sum(self.came[i].latency for i in span.timed if i < span.answering)
        return result._replace(time_to_first_token=before + at - answering.started)


def together(values: Mapping[str, Any]) -> Any:
    """Give what the expressions of a mapping read, from values by name."""
    return values.get(ONLY, values)

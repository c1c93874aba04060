"""The requests of one attempt at a case with their replies, before they are mapped.

An endpoint with ``steps`` sends several requests for a case; any other sends one.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from pydantic_core import from_json

from runner.endpoints._failures import from_garbage, from_silence
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import Timing
from runner.endpoints._stream import Stream, with_part
from runner.http_client.client import Reply
from runner.model import NOTHING, Failure, Response

_NOT_READY = (HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT)
_BOM = b"\xef\xbb\xbf"
_FIRST = Timing()

ONLY = ""
"""The name of the request of an endpoint without ``steps``."""


class RoundTrip(NamedTuple):
    """One request, and its reply or why there is none."""

    asked: str
    """What was called, without credentials: ``POST http://rag:9000/chat``."""
    where: str
    """The one who replies, as messages name it."""
    sent: bytes | str | None
    """The body of the request."""
    reply: Reply | Failure
    started: float
    """When it was sent, in seconds on the endpoint's clock."""
    latency: float
    """Seconds to the last byte; of a polled request all polls and waits together."""
    stream: Stream | None = None
    """The events of the body, where the spec says that it streams."""
    block: str = "endpoint"
    """The part of the spec that describes the request: ``endpoint.steps[1]``."""
    times: int = 1
    """How often it was sent: more than once where it is polled."""

    @property
    def beginning(self) -> bytes:
        """The body of the reply; of a stream its first bytes."""
        if self.stream:
            return self.stream.beginning
        return b"" if isinstance(self.reply, Failure) else self.reply.body

    @property
    def is_not_ready(self) -> bool:
        """Whether it is 202 or 204 without a body: poll again."""
        reply = self.reply
        return (
            not isinstance(reply, Failure)
            and reply.status in _NOT_READY
            and not (self.stream or reply.body.strip())
        )

    def value(self) -> Any:
        """Give the reply as parsed JSON, or a Failure where it has none."""
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

    def alone(self, replies: ReplyMap) -> Attempt:
        """Give the attempt whose only request this is."""
        return Attempt().with_trip(ONLY, self, self.value(), replies)


class Attempt(NamedTuple):
    """The requests of one attempt at a case so far."""

    trips: tuple[RoundTrip, ...] = ()
    """One for each request; of a polled one, the last time it was sent."""
    values: Mapping[str, Any] = NOTHING
    """The parsed replies of those that succeeded, by the name of the step."""
    failed: Failure | None = None
    """Why no further request is sent."""

    def value(self) -> Any:
        """Give what the expressions of the mapping read, or a Failure."""
        return self.failed or joined(self.values)

    def with_trip(
        self, name: str, trip: RoundTrip | None, value: Any, replies: ReplyMap
    ) -> Attempt:
        """Give the attempt with one request more.

        Args:
            name: Of the step.
            trip: None where the request could not be sent.
            value: Its parsed reply, or a Failure.
            replies: The mapping; finds the part of an answer in a stream that failed.
        """
        trips = (*self.trips, trip) if trip else self.trips
        if not isinstance(value, Failure):
            return Attempt(trips, {**self.values, name: value})
        if trip and trip.stream and trip.reply is value:
            part = joined({**self.values, name: trip.stream.cut()})
            value = with_part(value, replies, part)
        return Attempt(trips, self.values, value)

    def result(self, replies: ReplyMap, timing: Timing = _FIRST) -> Response | Failure:
        """Give what the mapping makes of the replies, with the latency in seconds.

        Args:
            replies: The mapping.
            timing: Which requests the latency counts.

        Raises:
            InputError: An expression cannot take what it met.
        """
        result = self._failed(replies) or self._read(replies, timing)
        timed = [self.trips[i] for i in timing.timed if i < len(self.trips)]
        latency = sum(trip.latency for trip in timed or self.trips[-1:])
        return result._replace(latency=latency if self.trips else None)

    def _failed(self, replies: ReplyMap) -> Failure | None:
        """Give the failure of a step with what the steps before it have shown."""
        if self.failed is None or self.failed.shown or not self.values:
            return self.failed
        return self.failed._replace(shown=replies.shown(joined(self.values)))

    def _read(self, replies: ReplyMap, timing: Timing) -> Response | Failure:
        whole = joined(self.values)
        result = replies.read(whole)
        answering = self.trips[timing.answering]
        stream = answering.stream
        if stream is None:
            return result
        if isinstance(result, Failure):
            return with_part(result, replies, whole)
        name = [*self.values][timing.answering]

        def around(value: Any) -> Any:
            return joined({**self.values, name: value})

        at = stream.first_token(self.values[name], replies, around)
        if at is None:
            return result
        before = [i for i in timing.timed if i < timing.answering]
        waited = sum(self.trips[i].latency for i in before)
        return result._replace(time_to_first_token=waited + at - answering.started)


def joined(values: Mapping[str, Any]) -> Any:
    """Give what the mapping reads: the only reply, or an object of all by step name."""
    return values.get(ONLY, values)

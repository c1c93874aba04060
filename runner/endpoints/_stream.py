"""Collects a streamed reply into one JSON value, and times its events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate, islice
from typing import Any

from urllib3.exceptions import IncompleteRead

from runner.endpoints._events import FRAMINGS, Event, Lines, together, torn
from runner.endpoints._mapping import ReplyMap
from runner.http_client.client import Unreadable
from runner.model import Failure
from runner.text.shorten import excerpt

Around = Callable[[dict[str, Any]], Any]

MOST_EVENTS = 100_000
"""The most events of one reply; an answer has a few thousand."""

_SHOWN = 8 * 1024
_PART = 300
_KEPT, _ROOM = 2000, 2**20  # events, and bytes of them, of a call that failed


class Stream:
    """One streamed reply, from its first byte on.

    Args:
        framing: ``sse``, ``ndjson`` or ``prefixed``, whatever the reply calls itself.
        clock: Seconds, for the time at which each event was whole.
    """

    def __init__(self, framing: str, clock: Callable[[], float]) -> None:
        self._lines = Lines()
        self._frame = FRAMINGS[framing]()
        self._clock = clock
        self._events: list[Event] = []
        self._times: list[float] = []
        self.framing = framing
        self.beginning = b""

    def take(self, piece: bytes) -> None:
        """Take the next bytes of the body.

        Raises:
            Unreadable: There are too many events.
        """
        now = self._clock()
        if len(self.beginning) < _SHOWN:
            self.beginning += piece[:_SHOWN]
        for line in self._lines.split(piece):
            self._keep(self._frame.line(line), now)

    def end(self) -> None:
        """Take the end of the body as the end of the last event.

        Raises:
            IncompleteRead: The body ends within a value.
        """
        now, rest = self._clock(), self._lines.last()
        for event in (self._frame.line(rest) if rest else None, self._frame.end()):
            if event and rest and torn(event.data):
                raise IncompleteRead(len(rest), len(rest) + 1)
            self._keep(event, now)

    def _keep(self, event: Event | None, now: float) -> None:
        if event is None:
            return
        if len(self._events) == MOST_EVENTS:
            raise Unreadable(f"the stream has more than {MOST_EVENTS:,} events")
        self._events.append(event)
        self._times.append(now)

    def collected(self) -> dict[str, Any]:
        """Give all events as the one value that expressions read."""
        return together(self._events)

    def first_token(
        self, whole: Mapping[str, Any], replies: ReplyMap, around: Around
    ) -> float | None:
        """Give when the first event with text of the answer was whole, on the clock.

        Args:
            whole: All events, as ``collected`` gives them.
            replies: The mapping.
            around: Gives what the mapping reads from a value in this stream's place.
        """
        alone = (around({"events": [event]}) for event in whole["events"])
        first = replies.first_token(alone)
        return None if first is None else self._times[first]

    def cut(self) -> dict[str, Any]:
        """Give the first events that had arrived when the call failed."""
        sizes = accumulate(len(event.data) for event in self._events)
        kept = bisect_right([*islice(sizes, _KEPT)], _ROOM)
        return together(self._events[:kept])


def with_part(failure: Failure, replies: ReplyMap, reply: Any) -> Failure:
    """Add to a failure the part of the answer that had arrived."""
    failure = failure._replace(shown=replies.shown(reply))
    part = replies.partial_answer(reply)
    if not part:
        return failure
    said = f"until then it had answered: {excerpt(part, _PART)}"
    return failure._replace(message=f"{failure.message}; {said}")

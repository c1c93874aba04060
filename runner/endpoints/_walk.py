"""One attempt at a case, request by request: what came, and what is sent next."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import requests

from runner.endpoints._came import Arrived, Came
from runner.endpoints._expressions import truth
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import Form
from runner.endpoints._sender import Sender
from runner.endpoints._stream import Stream
from runner.endpoints._talk import Talk
from runner.endpoints._values import described
from runner.errors import InputError
from runner.model import Failure
from runner.templating import Request, encoded
from runner.text.lengths import excerpt
from runner.units import count, plain
from runner.wire.caller import Sign, prepared, shown

_SHOWN = 300


class Polls(NamedTuple):
    """What a request that is sent until something is so has taken so far."""

    deadline: float
    """When it ends, on the clock of ``time.monotonic``."""
    spent: float = 0.0
    """Seconds, with the waits in between."""
    times: int = 0


class Walk(NamedTuple):
    """One attempt at a case on its way."""

    talk: Talk
    uuid: str
    arrived: Arrived = Arrived()
    polls: Polls | None = None
    """Of the next request, where it was sent already."""


class Next(NamedTuple):
    """Where a request has led."""

    walk: Walk
    wait: float = 0.0
    """Seconds until the next one."""
    afresh: bool = False
    """Whether what failed is to be tried again from the first request on."""


class Leg:
    """One request of an endpoint, and the line it goes out on; threads may share it."""

    def __init__(
        self,
        form: Form,
        sender: Sender,
        replies: ReplyMap,
        clock: Callable[[], float],
    ) -> None:
        self.form = form
        self.caller = sender.caller
        self._sender = sender
        self._replies = replies
        self._clock = clock

    def go(self, walk: Walk) -> Next:
        """Send the request once, and see what has come.

        Raises:
            InputError: It cannot be rendered for this case, an expression cannot take
                what it met, or the host is one that may not be asked.
        """
        request = self._rendered(walk)
        if isinstance(request, Failure):
            return Next(self._with(walk, request))
        sign = self._sender.ready()
        if isinstance(sign, Failure):
            return Next(self._with(walk, sign))
        polls = walk.polls or Polls(time.monotonic() + self.form.timeout)
        came = self._sent(self._prepared(request), sign, polls)
        done = walk.arrived._replace(came=(*walk.arrived.came, came))
        there = walk._replace(arrived=done, polls=None)
        value = self._value(came)
        late = time.monotonic() + self.form.every >= polls.deadline
        if isinstance(value, Failure):
            return Next(self._with(there, value), afresh=late and came.times > 1)
        if self.form.until is None or truth(self.form.until(value)):
            return Next(self._with(there, value))
        if late:
            return Next(self._with(there, self._late(came, value)), afresh=True)
        spent = Polls(polls.deadline, came.latency + self.form.every, came.times)
        return Next(walk._replace(polls=spent), self.form.every)

    def _rendered(self, walk: Walk) -> Request | Failure:
        """Give the request; a Failure where an earlier reply lacks what it takes."""
        values = walk.arrived.values
        try:
            named = {"session": walk.talk.session, **values}
            return self.form.template.render(walk.talk.now, walk.uuid, named)
        except InputError as error:
            if self.form.template.reads.isdisjoint(values):
                raise
            what = f"{error.where}: {error.what}; {described(values)}"
            return Failure("service.malformed", what)

    def _value(self, came: Came) -> Any:
        """Give what expressions read, or a Failure: also where the reply states one."""
        value = came.value()
        if isinstance(value, Failure) or self.form.error is None:
            return value
        stated = self.form.error(value)
        if not truth(stated):
            return value
        what = f"the reply states an error: {excerpt(stated, _SHOWN)}"
        return Failure("service.http_error", what)

    def _late(self, came: Came, value: Any) -> Failure:
        """Explain that what is waited for has not come."""
        limit = f"{plain(self.form.timeout)} s ({self.form.block}.timeout)"
        return Failure(
            "service.timeout",
            f"{self.form.block}.until was not so within {limit}, in "
            f"{count(came.times, 'reply', 'replies')} of {came.where}; in the last "
            f"{described(value)}",
            retryable=True,
        )

    def _with(self, walk: Walk, value: Any) -> Walk:
        """Add what came, or why it did not, with the name of the step."""
        arrived = walk.arrived.with_reply(self.form.name, value, self._replies)
        if arrived.failed:
            message = f"{self.form.said}{arrived.failed.message}"
            arrived = arrived._replace(failed=arrived.failed._replace(message=message))
        return walk._replace(arrived=arrived)

    def _prepared(self, request: Request) -> requests.PreparedRequest:
        url, authorization = self.caller.parsed(request.url, "url")
        headers = {**self.form.headers, **request.headers}
        if authorization:
            headers.setdefault("Authorization", authorization)
        if request.query:
            added = urlencode(request.query, quote_via=quote)
            url = f"{url}{'&' if '?' in url else '?'}{added}"
        body = encoded(request.body, self.form.place("body"))
        return prepared(request.method, url, headers, body)

    def _sent(
        self, request: requests.PreparedRequest, sign: Sign, polls: Polls
    ) -> Came:
        framing = self.form.framing
        stream = Stream(framing, self._clock) if framing else None
        reply, started = self._sender.send(request, sign, polls.deadline, stream)
        latency = polls.spent + self._clock() - started
        where = shown(str(request.url))
        return Came(
            f"{request.method} {where}",
            where,
            request.body,
            reply,
            started,
            latency,
            stream,
            self.form.block,
            polls.times + 1,
        )

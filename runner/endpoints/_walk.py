"""One attempt at a case, request by request: what came, and what is sent next."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import requests

from runner.endpoints._came import Arrived, Came, together
from runner.endpoints._expressions import Find, truth
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import Form
from runner.endpoints._sender import Sender
from runner.endpoints._stream import Stream, with_part
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
            return Next(self._with(walk, None, request))
        sign = self._sender.ready()
        if isinstance(sign, Failure):
            return Next(self._with(walk, None, sign))
        polls = walk.polls or Polls(time.monotonic() + self.form.timeout)
        came = self._sent(self._prepared(request), sign, polls)
        value = self._value(walk, came)
        if self.form.until is None or self._is_so(self.form.until, value):
            return Next(self._with(walk, came, value))
        return self._awaiting(walk, came, value, polls)

    @staticmethod
    def _is_so(until: Find, value: Any) -> bool:
        return not (value is None or isinstance(value, Failure)) and truth(until(value))

    def _awaiting(self, walk: Walk, came: Came, value: Any, polls: Polls) -> Next:
        """See how long to wait for what has not come yet, if at all."""
        late = time.monotonic() + self.form.every >= polls.deadline
        if isinstance(value, Failure):
            again = late and came.times > 1
            return Next(self._with(walk, came, value), afresh=again)
        if late:
            failed = self._late(came, value)
            return Next(self._with(walk, came, failed), afresh=True)
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

    def _value(self, walk: Walk, came: Came) -> Any:
        """Give what expressions read, or a Failure: also where the reply states one.

        Of a reply that is waited for and says nothing yet, with 202 or 204, it is None.
        """
        if self.form.until and came.says_nothing_yet:
            return None
        value = came.value()
        if isinstance(value, Failure) or self.form.error is None:
            return value
        stated = self.form.error(value)
        if not truth(stated):
            return value
        what = f"the reply states an error: {excerpt(stated, _SHOWN)}"
        failure = Failure("service.http_error", what)
        if came.stream is None:
            return failure
        whole = together({**walk.arrived.values, self.form.name: value})
        return with_part(failure, self._replies, whole)

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

    def _with(self, walk: Walk, came: Came | None, value: Any) -> Walk:
        """Add what came, and what it says or why there is none, named as the step."""
        arrived = walk.arrived.with_reply(self.form.name, came, value, self._replies)
        if arrived.failed:
            message = f"{self.form.said}{arrived.failed.message}"
            arrived = arrived._replace(failed=arrived.failed._replace(message=message))
        return Walk(walk.talk, walk.uuid, arrived)

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

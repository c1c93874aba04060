"""Sends the requests of one attempt at a case, one at a time, polling where it must.

Between two requests the caller waits and paces: see ``Pending`` in ``model``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import requests

from runner.endpoints._attempt import Attempt, RoundTrip, joined
from runner.endpoints._conversation import Conversation
from runner.endpoints._expressions import Find, truth
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._plan import RequestForm
from runner.endpoints._sender import Sender
from runner.endpoints._stream import Stream, with_part
from runner.endpoints._values import described
from runner.errors import InputError
from runner.http_client.client import Sign, prepared, shown
from runner.model import Failure
from runner.templating import Request, encoded
from runner.text.shorten import excerpt
from runner.units import count, plain

_SHOWN = 300


class Polling(NamedTuple):
    """A request that is sent again until the condition ``until`` holds."""

    deadline: float
    """When to give up, on the clock of ``time.monotonic``."""
    spent: float = 0.0
    """Seconds so far, with the waits in between."""
    times: int = 0
    """How often it was sent."""


class State(NamedTuple):
    """How far an attempt at a case has come."""

    conversation: Conversation
    uuid: str
    """What ``{{ uuid }}`` stands for in this attempt."""
    attempt: Attempt = Attempt()
    """The requests of the current question so far."""
    polling: Polling | None = None
    """Of the next request, where it was sent before."""


class StepResult(NamedTuple):
    """The state after a request was sent."""

    state: State
    wait: float = 0.0
    """Seconds to wait before the next request."""
    restart: bool = False
    """Whether a retry starts from the first request, and not with this one."""


class Step:
    """One request of the spec and the connection it uses; threads may share it."""

    def __init__(
        self,
        form: RequestForm,
        sender: Sender,
        replies: ReplyMap,
        clock: Callable[[], float],
    ) -> None:
        self.form = form
        self.client = sender.client
        self._sender = sender
        self._replies = replies
        self._clock = clock

    def go(self, state: State) -> StepResult:
        """Send the request once and give the state after it.

        Raises:
            InputError: It cannot be rendered for this case, an expression cannot take
                what it met, or the host is one that may not be asked.
        """
        request = self._render(state)
        if isinstance(request, Failure):
            return StepResult(self._with(state, None, request))
        sign = self._sender.ready()
        if isinstance(sign, Failure):
            return StepResult(self._with(state, None, sign))
        polling = state.polling or Polling(time.monotonic() + self.form.timeout)
        trip = self._send(self._prepare(request), sign, polling)
        value = self._value(state, trip)
        if self.form.until is None or self._is_so(self.form.until, value):
            return StepResult(self._with(state, trip, value))
        return self._poll(state, trip, value, polling)

    @staticmethod
    def _is_so(until: Find, value: Any) -> bool:
        return not (value is None or isinstance(value, Failure)) and truth(until(value))

    def _poll(
        self, state: State, trip: RoundTrip, value: Any, polling: Polling
    ) -> StepResult:
        """Give when to poll again, or the failure where the time is up."""
        late = time.monotonic() + self.form.every >= polling.deadline
        if isinstance(value, Failure):
            again = late and trip.times > 1
            return StepResult(self._with(state, trip, value), restart=again)
        if late:
            failed = self._late(trip, value)
            return StepResult(self._with(state, trip, failed), restart=True)
        spent = Polling(polling.deadline, trip.latency + self.form.every, trip.times)
        return StepResult(state._replace(polling=spent), self.form.every)

    def _render(self, state: State) -> Request | Failure:
        """Render the request; a Failure where an earlier reply lacks what it reads."""
        values = state.attempt.values
        try:
            case, session = state.conversation.current, state.conversation.session
            named = {"session": session, **values}
            return self.form.template.render(case, state.uuid, named)
        except InputError as error:
            if self.form.template.reads.isdisjoint(values):
                raise
            what = f"{error.where}: {error.what}; {described(values)}"
            return Failure("service.malformed", what)

    def _value(self, state: State, trip: RoundTrip) -> Any:
        """Give the parsed reply; a Failure where there is none or it states an error.

        A reply to a poll that is not ready (202 or 204 without a body) is None.
        """
        if self.form.until and trip.is_not_ready:
            return None
        value = trip.value()
        if isinstance(value, Failure) or self.form.error is None:
            return value
        stated = self.form.error(value)
        if not truth(stated):
            return value
        what = f"the reply states an error: {excerpt(stated, _SHOWN)}"
        failure = Failure("service.http_error", what)
        if trip.stream is None:
            return failure
        whole = joined({**state.attempt.values, self.form.name: value})
        return with_part(failure, self._replies, whole)

    def _late(self, trip: RoundTrip, value: Any) -> Failure:
        """Explain that ``until`` did not hold in time."""
        limit = f"{plain(self.form.timeout)} s ({self.form.block}.timeout)"
        return Failure(
            "service.timeout",
            f"{self.form.block}.until was not so within {limit}, in "
            f"{count(trip.times, 'reply', 'replies')} of {trip.where}; in the last "
            f"{described(value)}",
            retryable=True,
        )

    def _with(self, state: State, trip: RoundTrip | None, value: Any) -> State:
        """Add a request to the attempt; its failure names the step."""
        attempt = state.attempt.with_trip(self.form.name, trip, value, self._replies)
        if attempt.failed:
            message = f"{self.form.prefix}{attempt.failed.message}"
            attempt = attempt._replace(failed=attempt.failed._replace(message=message))
        return State(state.conversation, state.uuid, attempt)

    def _prepare(self, request: Request) -> requests.PreparedRequest:
        url, authorization = self.client.parsed(request.url, "url")
        headers = {**self.form.headers, **request.headers}
        if authorization:
            headers.setdefault("Authorization", authorization)
        if request.query:
            added = urlencode(request.query, quote_via=quote)
            url = f"{url}{'&' if '?' in url else '?'}{added}"
        body = encoded(request.body, self.form.place("body"))
        return prepared(request.method, url, headers, body)

    def _send(
        self, request: requests.PreparedRequest, sign: Sign, polling: Polling
    ) -> RoundTrip:
        framing = self.form.framing
        stream = Stream(framing, self._clock) if framing else None
        reply, started = self._sender.send(request, sign, polling.deadline, stream)
        latency = polling.spent + self._clock() - started
        where = shown(str(request.url))
        return RoundTrip(
            f"{request.method} {where}",
            where,
            request.body,
            reply,
            started,
            latency,
            stream,
            self.form.block,
            polling.times + 1,
        )

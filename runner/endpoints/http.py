"""A RAG system that is asked over HTTP: one attempt at a case, and how it can fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from uuid import uuid4

from runner.endpoints._attempt import Attempt, RoundTrip
from runner.endpoints._auth import Find, auth_of
from runner.endpoints._conversation import Conversation
from runner.endpoints._failures import block_of
from runner.endpoints._plan import RequestForm, check_shared, origins, plan
from runner.endpoints._sender import Sender
from runner.endpoints._step import State, Step
from runner.errors import Place, Unavailable
from runner.hosts import Access
from runner.http_client.client import (
    NO_STATUS,
    REDIRECTS,
    SUCCESS,
    Bounds,
    Client,
    Reply,
    Resolve,
    prepared,
    resolve,
    shown,
)
from runner.model import Case, Failure, Pending, Response
from runner.redact import Redactor
from runner.spec import EndpointSpec, StepSpec, WaitFor
from runner.templating import Locate, by_path
from runner.variables import expand

__all__ = ["NO_STATUS", "REDIRECTS", "Attempt", "HttpEndpoint", "Reply", "RoundTrip"]

_POLL = 0.25
_POLL_TIMEOUT = 5.0
_ANY = Access()


def _anywhere(written: str, _: Place) -> Path:
    return Path(written)


class HttpEndpoint:
    """Asks over HTTP, by the templates and the mapping of a spec.

    Threads may share it; each has its own connection. ``replies`` is the mapping, which
    also knows what it has not found so far.

    Args:
        spec: The endpoint's block.
        variables: Environment values by name.
        secrets: What no message may show; a Redactor learns the tokens that are read.
        place: Where a key stands in the user's file.
        find: Gives the path of a file that the spec names.
        access: Which hosts may be asked, and where a service at localhost may be.
        resolve: Gives the addresses of a name.
        clock: Seconds, for latencies.
        wall: Seconds of the epoch, for a ``Retry-After`` that is a date.
        new_uuid: What ``{{ uuid }}`` stands for, fresh at each call.

    Raises:
        Problems: Templates or expressions that cannot be compiled.
    """

    def __init__(  # noqa: PLR0913 - what the world gives, each replaceable in a test
        self,
        spec: EndpointSpec,
        variables: Mapping[str, str],
        *,
        secrets: Iterable[str] | Redactor = (),
        place: Locate = by_path,
        find: Find = _anywhere,
        access: Access = _ANY,
        resolve: Resolve = resolve,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        new_uuid: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self._plan = plan(spec, variables, place)
        self.replies = self._plan.replies
        self._spec = spec
        redactor = Redactor.of(secrets)
        self._redact = redactor.text
        self._place = place
        self._clock = clock
        self._new_uuid = new_uuid

        shared = auth_of(spec.auth, partial(place, "endpoint"), find, redactor.learn)

        def compiled(form: RequestForm, step: StepSpec) -> Step:
            own = auth_of(step.auth, form.place, find, redactor.learn)
            client = Client(
                expand(step.url, variables),
                block_of(form.block, step.auth or spec.auth),
                Bounds(form.timeout, spec.max_response),
                place=lambda _, *key: form.place(*key),
                access=access,
                resolve=resolve,
                wall=wall,
            )
            sender = Sender(client, own if step.auth else shared, clock)
            return Step(form, sender, self.replies, clock)

        self._steps = tuple(map(compiled, self._plan.forms, spec.requests))
        self._origins: tuple[str, ...] = ()

    def admit(self, cases: Iterable[Case]) -> None:
        """See, before anything is sent, that each host of the spec may be asked.

        What a name resolves to is seen only when it is connected to.

        Raises:
            InputError: One may not be, or is in no URL; or a header of all steps would
                go to several services.
        """
        each = origins(self._plan, list(cases))
        for step, found in zip(self._steps, each, strict=True):
            for origin in found:
                step.client.parsed(origin, "url")
        check_shared(self._spec, each, self._place)
        self._origins = each[0]
        if self._spec.wait_for:
            self._steps[0].client.parsed(self._spec.wait_for.url, "wait_for", "url")

    def notices(self) -> tuple[str, ...]:
        """Say where a service at localhost was found instead, if anywhere."""
        each = (step.client.connector.notices() for step in self._steps)
        return tuple(dict.fromkeys(chain.from_iterable(each)))

    def ask(self, case: Case) -> Response | Failure | Pending:
        """Make the first request of an attempt, or the only one.

        The latency of what comes is from a request to its last byte. Never raises for
        what the endpoint did: no connection, no reply in time, a status other than 2xx,
        an unusable body are failures with redacted messages.

        Raises:
            InputError: A template fails for this case, an expression of the mapping
                cannot take what it met, or the host is one that may not be asked.
        """
        return self._go(self._begun(case))

    def fetch(
        self, case: Case, sleep: Callable[[float], object] = time.sleep
    ) -> Attempt:
        """Make one whole attempt and give its replies before they are mapped.

        Of a conversation with ``turns: live`` these are the replies to the last
        question, or to the first one that failed.

        Args:
            case: What is asked.
            sleep: Waits between two requests.
        """
        state = self._begun(case)
        while True:
            while not self._is_over(state.attempt):
                state, wait, _ = self._steps[len(state.attempt.values)].go(state)
                if wait:
                    sleep(wait)
            if state.conversation.is_last:
                return state.attempt
            result = state.conversation.annotated(self.read(state.attempt))
            if isinstance(result, Failure):
                return state.attempt._replace(failed=result)
            state = self._next(state, result)

    def read(self, attempt: Attempt) -> Response | Failure:
        """Give what the mapping makes of an attempt that is at its end.

        Raises:
            InputError: An expression cannot take what it met.
        """
        return attempt.result(self.replies, self._plan.timing)

    def _go(self, state: State) -> Response | Failure | Pending:
        index = len(state.attempt.values)
        after, wait, restart = self._steps[index].go(state)
        if not self._is_over(after.attempt):
            return Pending(partial(self._go, after), wait)
        result = after.conversation.annotated(self.read(after.attempt))
        if not isinstance(result, Failure):
            if after.conversation.is_last:
                return result
            return Pending(partial(self._go, self._next(after, result)))
        result = result._replace(message=self._redact(result.message))
        if not after.attempt.failed or restart or self._plan.restarts(index):
            return result
        return Pending(partial(self._go, state), failed=result)

    def _begun(self, case: Case) -> State:
        conversation = Conversation.of(case, live=self._spec.turns == "live")
        return State(conversation, self._new_uuid())

    def _next(self, state: State, response: Response) -> State:
        """Give the state for the next question; a session that was opened is kept."""
        opened, attempt = self._plan.opening, state.attempt
        values = dict(islice(attempt.values.items(), opened))
        kept = Attempt(attempt.trips[:opened], values)
        return State(state.conversation.after(response), state.uuid, kept)

    def _is_over(self, attempt: Attempt) -> bool:
        return bool(attempt.failed) or len(attempt.values) == len(self._steps)

    def wait(
        self,
        sleep: Callable[[float], object] = time.sleep,
        check: Callable[[], object] = lambda: None,
    ) -> None:
        """Poll ``wait_for`` until it answers 2xx.

        Where the spec has none it returns at once; but what the spec starts is waited
        for until it accepts connections.

        Args:
            sleep: Waits between two polls.
            check: Called between two polls; raises where waiting is in vain.

        Raises:
            Unavailable: It did not within its time-out; names the last answer.
        """
        waiting = self._spec.wait_for
        if waiting is None:
            if self._spec.start is None:
                return
            waiting = WaitFor(url=self._origins[0])
        end = self._clock() + waiting.timeout
        left = waiting.timeout
        while (said := self._why_not_ready(waiting.url, left)) is not None:
            check()
            left = end - self._clock()
            if left <= 0:
                raise Unavailable(
                    f"{shown(waiting.url)} was not ready within {waiting.timeout:g} s; "
                    f"the last try: {self._redact(said)}",
                    where=self._place("endpoint", "wait_for"),
                )
            sleep(_POLL)

    def is_ready(self) -> bool:
        """Whether the service is there now: what ``wait_for`` names, else its port."""
        waiting = self._spec.wait_for
        urls = [waiting.url] if waiting else self._origins
        return any(self._why_not_ready(url, 1.0) is None for url in urls)

    def _why_not_ready(self, url: str, limit: float) -> str | None:
        """Say why what is waited for is not there; None where it is."""
        if self._spec.wait_for is None:
            return (
                None
                if self._steps[0].client.connector.listens(url, limit)
                else "nothing listens there"
            )
        reply = self._poll(url, limit)
        return None if isinstance(reply, Reply) else reply.message

    def _poll(self, url: str, limit: float) -> Reply | Failure:
        key, first = ("wait_for", "url"), self._steps[0]
        plain = first.client.parsed(url, *key)[0]
        request = prepared("GET", plain, first.form.headers)
        deadline = time.monotonic() + min(limit, _POLL_TIMEOUT)
        reply = first.client.call(request, deadline, *key)
        if isinstance(reply, Failure) or reply.status in SUCCESS:
            return reply
        return first.client.unsuccessful(reply, plain)

    def close(self) -> None:
        """End every call in flight, at once, and drop the connections."""
        for step in self._steps:
            step.client.close()

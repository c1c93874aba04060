"""What the endpoints without HTTP share: a program and a function on this machine."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from runner.endpoints._attempt import Attempt, RoundTrip
from runner.endpoints._conversation import Conversation
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._stream import Stream
from runner.http_client.client import Reply
from runner.model import Case, Failure, Pending, Response
from runner.redact import Redactor
from runner.spec import EndpointSpec
from runner.templating import InputTemplate, Locate, by_path, encoded


class Handed(NamedTuple):
    """The input for one question."""

    question: str
    given: Any
    """``endpoint.body`` rendered; without one, every field that templates can read."""
    sent: bytes
    """``given`` as JSON."""


class LocalEndpoint(ABC):
    """Asks without HTTP; its output is mapped as any reply is.

    Threads may share it. A failed call is not retried: no network could be the reason.

    Args:
        spec: The endpoint's block.
        variables: Environment values by name.
        secrets: What no message may show.
        place: Where a key stands in the user's file.
        clock: Seconds, for latencies.
        new_uuid: What ``{{ uuid }}`` stands for, fresh at each call.

    Raises:
        Problems: Templates or expressions that cannot be compiled.
    """

    where = ""
    """What messages call it."""

    def __init__(
        self,
        spec: EndpointSpec,
        variables: Mapping[str, str],
        *,
        secrets: Iterable[str] | Redactor = (),
        place: Locate = by_path,
        clock: Callable[[], float] = time.monotonic,
        new_uuid: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self.replies = ReplyMap(spec.response, place=place)
        self._spec = spec
        self._template = InputTemplate(spec.body, variables, place=place)
        self._redact = Redactor.of(secrets).text
        self._place = place
        self._clock = clock
        self._new_uuid = new_uuid

    def ask(self, case: Case) -> Response | Failure | Pending:
        """Ask a case, of a conversation with ``turns: live`` its first question.

        Raises:
            InputError: A template fails for this case, an expression of the mapping
                cannot take what it met, or it cannot be started at all.
        """
        return self._go(self._begun(case), self._new_uuid())

    def read(self, attempt: Attempt) -> Response | Failure:
        """Give what the mapping makes of an attempt.

        Raises:
            InputError: An expression cannot take what it met.
        """
        return attempt.result(self.replies)

    def fetch(self, case: Case) -> Attempt:
        """Make one whole attempt and give its reply before it is mapped.

        Of a conversation with ``turns: live`` that is the reply to the last question,
        or to the first one that failed.
        """
        conversation, uuid = self._begun(case), self._new_uuid()
        while True:
            attempt = self._once(conversation, uuid)
            if conversation.is_last:
                return attempt
            result = conversation.annotated(self.read(attempt))
            if isinstance(result, Failure):
                return attempt._replace(failed=result)
            conversation = conversation.after(result)

    def _begun(self, case: Case) -> Conversation:
        return Conversation.of(case, live=self._spec.turns == "live")

    def _go(self, now: Conversation, uuid: str) -> Response | Failure | Pending:
        result = now.annotated(self.read(self._once(now, uuid)))
        if isinstance(result, Failure):
            return result._replace(message=self._redact(result.message))
        if now.is_last:
            return result
        return Pending(partial(self._go, now.after(result), uuid))

    def _once(self, conversation: Conversation, uuid: str) -> Attempt:
        case = conversation.current
        given = self._template.render(case, uuid, conversation.session)
        sent = encoded(given, self._place("endpoint", "body")) or b""
        handed = Handed(case.question, given, sent)
        framing = self._spec.response.stream
        stream = Stream(framing, self._clock) if framing else None
        started = self._clock()
        reply = self._call(handed, stream)
        latency = self._clock() - started
        trip = RoundTrip(
            self._call_text, self.where, sent, reply, started, latency, stream
        )
        return trip.alone(self.replies)

    def is_ready(self) -> bool:
        """Give true: there is nothing to start first."""
        return True

    def wait(self, check: Callable[[], object] = lambda: None) -> None:
        """Return at once, where ``check`` does not object."""
        check()

    def notices(self) -> tuple[str, ...]:
        """Give nothing: it is where the spec says."""
        return ()

    @abstractmethod
    def close(self) -> None:
        """End every call in flight."""

    @property
    @abstractmethod
    def _call_text(self) -> str:
        """What is asked, as it would be typed."""

    @abstractmethod
    def _call(self, handed: Handed, stream: Stream | None) -> Reply | Failure:
        """Give what came back, within the time-out and the size of the spec."""

    def _late(self) -> Failure:
        limit = f"{self._spec.timeout:g} s (endpoint.timeout)"
        return Failure("service.timeout", f"{self.where} did not end within {limit}")

    def _too_large(self) -> Failure:
        what = f"the reply of {self.where} is larger than endpoint.max_response"
        return Failure("service.malformed", what)

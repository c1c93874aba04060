"""What is asked and what comes back: cases, passages, responses, failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Literal, NamedTuple, Protocol

from runner.errors import Place
from runner.model._vocabulary import NOTHING, Qrels


class Quarantine(NamedTuple):
    """Until when a case does not gate, that day included, and why."""

    until: date
    why: str
    owner: str | None = None


class Turn(NamedTuple):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: str


class Case(NamedTuple):
    """One question with its labels."""

    id: str
    question: str
    type: str | None = None
    tags: tuple[str, ...] = ()
    qrels: Qrels = NOTHING
    reference: str | None = None
    key_points: tuple[tuple[str, ...], ...] = ()
    """Each point is a tuple of spellings, any one of which states it."""
    must_not_include: tuple[str, ...] = ()
    expect_refusal: bool = False
    refusal_phrases: tuple[str, ...] = ()
    forbidden_doc_ids: tuple[str, ...] = ()
    tenant: str | None = None
    canaries: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    owner: str | None = None
    quarantine: Quarantine | None = None
    turns: tuple[Turn, ...] = ()
    """The conversation before the question."""
    meta: Mapping[str, Any] = NOTHING
    place: Place | None = None

    @property
    def relevant(self) -> tuple[str, ...]:
        """The ids that should be retrieved: those with a grade of 1 or more."""
        return tuple([name for name, grade in self.qrels.items() if grade > 0])

    @property
    def questions(self) -> tuple[str, ...]:
        """The messages of the user in order; the last one is ``question``."""
        before = [turn.content for turn in self.turns if turn.role == "user"]
        return (*before, self.question)

    @property
    def user_text(self) -> str:
        """The question, after the earlier messages of the user where there are any."""
        return "\n".join(self.questions) if self.turns else self.question

    @property
    def has_walls(self) -> bool:
        """Whether it names a tenant, or what must not reach the asker."""
        return bool(self.tenant or self.forbidden_doc_ids or self.canaries)


class Passage(NamedTuple):
    """One retrieved passage; its rank is its position; ``score`` decides nothing."""

    id: str | None = None
    text: str | None = None
    score: float | None = None
    document: str | None = None
    tenant: str | None = None


_SEPARATOR = "\n\0\n"  # between texts, so that no phrase is found across two


class Response(NamedTuple):
    """A usable reply. A field is None where the system does not show it."""

    answer: str | None = None
    """What the text metrics read: without citation marks and stripped spans."""
    passages: tuple[Passage, ...] | None = None
    citations: tuple[str, ...] | None = None
    refused: bool | None = None
    usage: Mapping[str, Any] | None = None
    latency: float | None = None
    """Seconds of the last attempt, without waits."""
    time_to_first_token: float | None = None
    raw_answer: str | None = None
    """The answer as it was sent, where that differs from ``answer``."""
    marks: tuple[tuple[int, str], ...] = ()
    """Where citation marks stood: offset in ``answer``, cited id."""
    turns: tuple[Turn, ...] = ()
    """The conversation before the answer, where each of its turns was asked live."""
    session: Any = None
    """What the server calls the conversation, where the mapping says so."""

    @property
    def sent(self) -> str | None:
        """All text that reached the asker, in which leaks are looked for.

        That is the answer, the answer before spans were cut out of it, and the earlier
        answers of a live conversation; None where the system shows no answer.
        """
        if self.answer is None or (self.raw_answer is None and not self.turns):
            return self.answer
        earlier = [turn.content for turn in self.turns if turn.role == "assistant"]
        return _SEPARATOR.join([*earlier, self.answer, self.raw_answer or ""])


ServiceCause = Literal[
    "service.unreachable",
    "service.timeout",
    "service.http_error",
    "service.crashed",
    "service.malformed",
    "service.empty_answer",
    "service.not_recorded",
]


class Failure(NamedTuple):
    """Why no usable reply came: a value, and never a score."""

    cause: ServiceCause
    message: str
    retryable: bool = False
    retry_after: float | None = None
    """Seconds the server asked for."""
    latency: float | None = None
    shown: Response | None = None
    """The part of the reply that could be read; it is searched for leaks alone."""


class Pending(NamedTuple):
    """A case that takes a further request before it has a reply.

    It is the next step or poll, or where ``failed`` is set the one that failed again.
    """

    proceed: Callable[[], Response | Failure | Pending]
    """Sends that request."""
    wait: float = 0.0
    """Seconds to wait before it; a retry waits by the rules for failures instead."""
    failed: Failure | None = None
    """How the last request failed, and whether it may be retried (``retryable``)."""


class Exchange(NamedTuple):
    """The reply to a case, or the last failure, after ``attempts`` attempts."""

    position: int
    """Of the case in the case list, from 0."""
    result: Response | Failure
    attempts: int = 1
    trial: int = 1
    at: str | None = None
    """UTC time the last attempt ended, ISO 8601."""


class Endpoint(Protocol):
    """The system under test: one attempt at one case."""

    def ask(self, case: Case) -> Response | Failure | Pending:
        """Send the only request, or the first one; a call that fails is a Failure."""

"""What is asked and what comes back: cases, passages, responses, failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Literal, NamedTuple, Protocol

from runner.errors import Place
from runner.model._words import NOTHING, Qrels


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
    """What was said before the question."""
    meta: Mapping[str, Any] = NOTHING
    place: Place | None = None

    @property
    def relevant(self) -> tuple[str, ...]:
        """The ids that should come: those with a grade of 1 or more."""
        return tuple([name for name, grade in self.qrels.items() if grade > 0])

    @property
    def questions(self) -> tuple[str, ...]:
        """All that the user says, in the order of the conversation."""
        before = [turn.content for turn in self.turns if turn.role == "user"]
        return (*before, self.question)

    @property
    def said(self) -> str:
        """All that the user says, as one text."""
        return "\n".join(self.questions) if self.turns else self.question

    @property
    def has_walls(self) -> bool:
        """Whether it says who asks, or what belongs to somebody else."""
        return bool(self.tenant or self.forbidden_doc_ids or self.canaries)


class Passage(NamedTuple):
    """One retrieved passage; its rank is its position, ``score`` is only shown."""

    id: str | None = None
    text: str | None = None
    score: float | None = None
    document: str | None = None
    tenant: str | None = None


_APART = "\n\0\n"  # between two texts, so that no word reaches over it


class Response(NamedTuple):
    """A usable reply; ``None`` everywhere means: the system does not show this."""

    answer: str | None = None
    """What the text metrics read: citation marks and stripped spans are out."""
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
    """What was said before the answer, where that was played live."""
    session: Any = None
    """What the server calls the conversation, where the mapping says so."""

    @property
    def sent(self) -> str | None:
        """All that the asker was sent in words: spans that are cut out, earlier turns.

        None where the system shows no answer.
        """
        if self.answer is None or (self.raw_answer is None and not self.turns):
            return self.answer
        said = [turn.content for turn in self.turns if turn.role == "assistant"]
        return _APART.join([*said, self.answer, self.raw_answer or ""])


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
    """No usable reply came: a value, and never a score."""

    cause: ServiceCause
    message: str
    retryable: bool = False
    retry_after: float | None = None
    """Seconds the server asked for."""
    latency: float | None = None
    shown: Response | None = None
    """What came all the same, in which nothing but leaks is looked for."""


class Pending(NamedTuple):
    """A case whose reply takes another request, or the same one again."""

    proceed: Callable[[], Response | Failure | Pending]
    """Makes it."""
    wait: float = 0.0
    """Seconds until then."""
    failed: Failure | None = None
    """Why it has to be the same again; whether it may be, this says too."""


class Exchange(NamedTuple):
    """A case was asked, and this is what came of it after ``attempts`` tries."""

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
        """Make the only request, or the first; never raises for what the world did."""

"""What a model rates: tasks, the port Judge, and the way in which rating fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel, Field

from runner.model._words import Frozen
from runner.text.shorten import cut_middle

_SHOWN = 300  # characters of evidence: it may quote a claim of any length

Reply = TypeVar("Reply", bound=BaseModel)


class Task(NamedTuple, Generic[Reply]):
    """One thing that a judge is asked to do, the same for every case."""

    name: str
    """Of its templates: ``templates/judge/NAME.en.j2`` and ``NAME.zh.j2``."""
    version: int
    """Raised when its prompt or the reading of its reply changes: numbers from two
    versions are not compared."""
    reply: type[Reply]
    """What the judge must answer. It is validated with the texts of the question as
    the context, so that it can hold a reply against what was asked."""
    numbered: str = ""
    """The list among its texts on each of which, by number from 1, the reply has one of
    its ``verdicts``; empty where there is none."""


class Unrated(Exception):
    """A judge could not rate; becomes a failed score, whose reason is ``reason``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Judge(Protocol):
    """A model that rates, one task at a time; threads may share it."""

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply to a task about some texts.

        Raises:
            Unrated: None came that is valid.
        """

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give one vector for each text, in their order.

        Raises:
            Unrated: None came, or there is nobody to ask.
        """


class Told(float):
    """A score, and what is wrong where it misses a mark: a cause, and the evidence."""

    cause: str
    """One of the layer's causes, such as ``answer.incorrect``."""
    evidence: str
    """At most 300 characters, the middle of a longer text left out."""

    def __new__(cls, value: float, cause: str, evidence: str) -> Self:
        """Give a number like any other that says why it is no better."""
        told = super().__new__(cls, value)
        told.cause, told.evidence = cause, cut_middle(evidence, _SHOWN)
        return told


class Drift(Frozen):
    """What came of rating the same items again, past the cache."""

    items: int = 0
    """Scores that were asked for twice, and came twice."""
    flips: int = 0
    """Of them, those that came out otherwise."""

    @property
    def share(self) -> float | None:
        """The share that flipped; None where nothing was compared."""
        return self.flips / self.items if self.items else None


class Weight(Frozen):
    """How far a judged metric counts: whether its limits and marks may decide."""

    decides: bool
    calibrated: bool
    why: str
    """On what that stands, or why it does not."""


class JudgeAccount(Frozen):
    """What judging took, and how far its word counts."""

    model: str
    host: str = ""
    """Where prompts were sent; empty where replies were read from a file."""
    calls: int = Field(default=0, ge=0)
    """Requests that were sent, retries too."""
    rated: int = Field(default=0, ge=0)
    """Replies that came and were valid, from wherever."""
    stored: int = Field(default=0, ge=0)
    """Of them, those that came from a cache or a recording."""
    failed: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    estimated: bool = False
    """A server did not state its tokens, and they were estimated from the texts."""
    usd: float | None = None
    """By the price in the spec; None without one."""
    drift: Drift | None = None
    weights: dict[str, Weight] = Field(default_factory=dict)
    """By label of a judged metric."""

"""Judges: what they are asked, what they give, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel, Field

from runner.model._vocabulary import Frozen
from runner.text.shorten import cut_middle

_EVIDENCE = 300  # characters; it may quote a claim of any length

Reply = TypeVar("Reply", bound=BaseModel)


class Task(NamedTuple, Generic[Reply]):
    """A prompt for a judge, and the model that its reply must fit."""

    name: str
    """Of its templates: ``templates/judge/NAME.en.j2`` and ``NAME.zh.j2``."""
    version: int
    """Raised when its prompt or the reading of its reply changes: numbers from two
    versions are not compared."""
    reply: type[Reply]
    """What the judge must answer. It is validated with the texts of the question as
    the context, so that it can hold a reply against what was asked."""
    numbered: str = ""
    """The name of the list among its texts whose items the reply gives ``verdicts`` on,
    one for each by its number from 1; empty where there is none."""


class Unrated(Exception):
    """A judge could not rate; ``reason`` becomes that of a failed score."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Judge(Protocol):
    """A model that rates, one task at a time; threads may share it."""

    def rate(self, task: Task[Reply], /, **texts: Any) -> Reply:
        """Give the reply to a task about some texts.

        Raises:
            Unrated: No valid reply came.
        """

    def embed(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Give one vector for each text, in their order.

        Raises:
            Unrated: No vectors came, or the judge has no model for them.
        """


class Explained(float):
    """A score that brings its own diagnosis, for a case that misses its pass mark."""

    cause: str
    """One of the layer's causes, such as ``answer.incorrect``."""
    evidence: str
    """At most 300 characters; of a longer text the middle is left out."""

    def __new__(cls, value: float, cause: str, evidence: str) -> Self:
        """Give a float with cause and evidence; evidence that is too long is cut."""
        score = super().__new__(cls, value)
        score.cause, score.evidence = cause, cut_middle(evidence, _EVIDENCE)
        return score


class Drift(Frozen):
    """How many scores differ when the judge is asked again, without the cache."""

    items: int = 0
    """Scores that came twice."""
    flips: int = 0
    """Of them, those that differ."""

    @property
    def share(self) -> float | None:
        """The share that differs; None where nothing was compared."""
        return self.flips / self.items if self.items else None


class Weight(Frozen):
    """How far a judged metric counts: whether its limits and marks may decide."""

    decides: bool
    calibrated: bool
    why: str
    """The reason for both."""


class JudgeAccount(Frozen):
    """The calls of the judge, their cost, and how far its scores count."""

    model: str
    host: str = ""
    """Where prompts were sent; empty where replies were read from a file."""
    calls: int = Field(default=0, ge=0)
    """Requests that were sent, retries too."""
    rated: int = Field(default=0, ge=0)
    """Valid replies, whatever their source."""
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

"""What a model rates: tasks, the port Judge, and the way in which rating fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel

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


class Unrated(Exception):  # noqa: N818 - becomes a failed score, never leaves a run
    """A judge could not rate; ``reason`` says why, in words for the report."""

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
    """A score and what it rests on, for the one line of evidence of a failing case."""

    evidence: str

    def __new__(cls, value: float, evidence: str) -> Self:
        """Give a number like any other that says why it is no better."""
        told = super().__new__(cls, value)
        told.evidence = evidence
        return told

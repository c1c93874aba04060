"""What is concluded of single cases: findings, records, quarantine and trials."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, NamedTuple

from pydantic import Field

from runner.model._exchange import Case
from runner.model._vocabulary import Frozen, Layer, Outcome


class Finding(NamedTuple):
    """The outcome of a case, and of a failing one its first failed layer and cause."""

    outcome: Outcome
    layer: Layer | None = None
    cause: str | None = None
    evidence: str = ""
    also: tuple[str, ...] = ()
    """Causes in later layers."""
    undetermined: tuple[Layer, ...] = ()
    """Layers before the charged one that had no evidence."""
    lucky: bool = False
    """Passed although no relevant passage came."""
    trials: tuple[Outcome, ...] = ()
    """The outcome of each trial, where there are several."""
    would_be: Outcome | None = None
    """The outcome that a case in quarantine would have."""

    @property
    def leaks(self) -> bool:
        """Whether anything leaked, also in a reply that cannot be used."""
        later = (cause.startswith("isolation.") for cause in self.also)
        return self.layer == "isolation" or any(later)


Number = Annotated[float, Field(gt=-1e18, lt=1e18)]
"""A score of which statistics can be made: its cube is a number too."""

Rank = Annotated[int, Field(ge=1)]


class Record(NamedTuple):
    """One case as the results folder keeps it: a line of ``cases.jsonl``."""

    id: str
    outcome: Outcome
    hash: str
    """Of question and tenant."""
    labels: str
    """Of everything the case is judged by."""
    scores: Mapping[str, Number | None]
    type: str | None = None
    tags: tuple[str, ...] = ()
    layer: Layer | None = None
    cause: str | None = None
    also: tuple[str, ...] = ()
    lucky: bool = False
    retrieved: tuple[str | None, ...] | None = None
    hits: tuple[Rank, ...] | None = None
    """Ranks of the relevant passages, from 1; None where case or reply cannot say."""
    failed: tuple[str, ...] = ()
    """Metrics that should have given a number and could not."""
    absent: tuple[str, ...] = ()
    """Metrics for which the reply lacks the evidence."""
    trials: tuple[Outcome, ...] = ()
    """The outcome of each trial, where there are several."""
    would_be: Outcome | None = None
    """The outcome that a case in quarantine would have."""


def memberships(case: Case | Record) -> set[str]:
    """Give the names of every slice that a case is in: ``type=x``, ``tag=x``, ``id=x``.

    >>> sorted(memberships(Case("qa-1", "Why?", type="fact", tags=("en",))))
    ['id=qa-1', 'tag=en', 'type=fact']
    """
    names = {f"tag={tag}" for tag in case.tags}
    names.add(f"id={case.id}")
    if case.type is not None:
        names.add(f"type={case.type}")
    return names


class TrialSummary(Frozen):
    """How far the trials of a case agree, over cases with two judged trials or more."""

    times: int
    passes: str
    """The rule by which a case passes: all, majority or any of its trials."""
    flaky: dict[str, str] = Field(default_factory=dict)
    """Case id to how many of its judged trials passed: ``2 of 3``."""
    flaky_left_out: int = 0
    within: float | None = None
    """Variance of passing between the trials of a case, on average."""
    between: float | None = None
    """Variance of passing between cases, without what trials alone make of it."""


class Quarantined(Frozen):
    """A case in quarantine as a report shows it, with the outcome it would have."""

    id: str
    until: date
    why: str
    owner: str | None = None
    outcome: Outcome
    layer: Layer | None = None
    cause: str | None = None

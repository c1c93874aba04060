"""Counts the cases of the run and of each slice by outcome, in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from runner.gates._review import NO_REVIEW, Review
from runner.gates._selection import Selection
from runner.model import (
    Case,
    Comparison,
    Failed,
    Outcome,
    Score,
    Summary,
    memberships,
)

WHOLE = ""
"""The name of the tally over every case."""


class Judged(NamedTuple):
    """One case that was asked, and what came of it."""

    case: Case
    outcome: Outcome
    leakage: Score
    trials: tuple[Outcome, ...] = ()
    would_be: Outcome | None = None
    """What came of it, where it is in quarantine."""

    @property
    def leaked(self) -> bool:
        """Whether something crossed a wall, in any of its trials."""
        return isinstance(self.leakage, float) and self.leakage > 0


class Measured(NamedTuple):
    """Everything that gates are held against."""

    cases: Iterable[Judged]
    """Read once."""
    summaries: Mapping[str, Summary]
    comparison: Comparison | None = None
    """None where there is no baseline yet."""
    selection: Selection | None = None
    """None where every case was asked."""
    review: Review = NO_REVIEW


class Tally:
    """Cases by outcome, and the ids of those that red lines speak of."""

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter()
        self.failed: list[str] = []
        self.unjudged: list[str] = []
        """Undetermined, or without a usable reply."""
        self.unasked: list[str] = []
        """The run was stopped before them."""
        self.walled = 0
        """Cases that say who asks or what belongs to somebody else."""
        self.watched = 0
        self.unseen: list[str] = []
        """Only who asks is known, and no passage of the reply names its tenant."""
        self.leaked: list[str] = []
        self.unanswered: list[str] = []
        """Walls that met no usable reply."""
        self.unwatched: list[str] = []
        """The metric failed, or what must not show could not have shown."""

    def add(self, judged: Judged) -> None:
        """Count one case."""
        case, outcome, _, trials, would_be = judged
        self.counts[outcome] += 1
        if outcome == "failed" or "failed" in trials:  # a red line knows no majority
            self.failed.append(case.id)
        elif outcome == "not_asked":
            self.unasked.append(case.id)
        elif outcome not in ("passed", "quarantined"):
            self.unjudged.append(case.id)
        if case.has_walls:
            self.walled += 1
            # What cannot be used shows no innocence, but it may show a leak.
            if (would_be or outcome) not in ("error", "not_asked") or judged.leaked:
                self._watch(judged)
            elif outcome == "error":
                self.unanswered.append(case.id)

    def _watch(self, judged: Judged) -> None:
        case, leakage = judged.case, judged.leakage
        if isinstance(leakage, float):
            self.watched += 1
            if judged.leaked:
                self.leaked.append(case.id)
        elif isinstance(leakage, Failed) or case.forbidden_doc_ids or case.canaries:
            self.unwatched.append(case.id)
        else:
            self.unseen.append(case.id)

    @property
    def cases(self) -> int:
        """How many there are."""
        return self.counts.total()

    @property
    def asked(self) -> int:
        """How many of them were asked and count: not in quarantine, and no stop."""
        return self.cases - self.counts["not_asked"] - self.counts["quarantined"]

    @property
    def accuracy(self) -> float | None:
        """Passed among the passed and the failed; None where there is neither."""
        judged = self.counts["passed"] + self.counts["failed"]
        return self.counts["passed"] / judged if judged else None

    @property
    def error_rate(self) -> float | None:
        """Share of the asked without a usable reply; None where none was asked."""
        return self.counts["error"] / self.asked if self.asked else None

    @property
    def undetermined(self) -> tuple[int, int]:
        """The undetermined among the cases with a reply."""
        return self.counts["undetermined"], self.asked - self.counts["error"]


def tally(names: AbstractSet[str], cases: Iterable[Judged]) -> Mapping[str, Tally]:
    """Give the tally of every slice named like ``type=policy``, and ``WHOLE``."""
    tallies = {name: Tally() for name in (WHOLE, *names)}
    for judged in cases:
        tallies[WHOLE].add(judged)
        for name in names and memberships(judged.case) & names:
            tallies[name].add(judged)
    return tallies

"""What is concluded: findings, records, gates, the comparison, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from runner.model._asked import Case
from runner.model._words import Better, Frozen, Layer, Outcome


class Finding(NamedTuple):
    """A diagnosis: outcome, and for a failing case its first collapsed layer."""

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
    """What came of each trial, where there are several."""
    would_be: Outcome | None = None
    """What came of a case in quarantine."""

    @property
    def leaks(self) -> bool:
        """Whether something crossed a wall, also in a reply that cannot be used."""
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
    """What came of each trial, where there are several."""
    would_be: Outcome | None = None
    """What came of a case in quarantine."""


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


STATISTICS = ("p50", "p90", "p95", "p99", "max")
"""Run-level suffixes of a metric's name: ``latency_p95``."""

RUN_LEVEL: Mapping[str, tuple[Better, tuple[float | None, float | None]]] = {
    "accuracy": ("higher", (0.0, 1.0)),
    "error_rate": ("lower", (0.0, 1.0)),
    "coverage": ("higher", (0.0, 1.0)),
}
"""What is measured over the run and not per case: direction and bounds."""

ACROSS: Mapping[str, str] = {
    "accuracy": "Cases that passed, of those that passed or failed.",
    "error_rate": "Cases that got no usable reply, of all that were asked.",
    "coverage": "Of the metric with the least: scores that came, of those due.",
}
"""What each name of ``RUN_LEVEL`` says, in a sentence."""


def split_statistic(name: str) -> tuple[str, str | None]:
    """Give the metric and the run-level suffix in a name.

    >>> split_statistic("latency_p95"), split_statistic("recall@5")
    (('latency', 'p95'), ('recall@5', None))
    """
    base, _, suffix = name.rpartition("_")
    return (base, suffix) if base and suffix in STATISTICS else (name, None)


GateOutcome = Literal[
    "passed", "failed", "inconclusive", "unmeasured", "no_baseline", "not_selected"
]
"""``not_selected``: a filter left out every case that it needs; neither pass nor fail.
"""

Level = Literal["fail", "warn"]
Rule = Literal[
    "min",
    "max",
    "max_drop",
    "red_line",
    "error_rate",
    "baseline",
    "removed",
    "yardstick",
]


class GateResult(Frozen):
    """One limit held against one number."""

    metric: str
    rule: Rule
    limit: float | None = None
    value: float | None = None
    level: Level = "fail"
    line: int | None = None
    outcome: GateOutcome
    slice: str | None = None
    relative: bool = False
    """The limit of ``max_drop`` is a share of the baseline's value."""
    baseline: float | None = None
    owner: str | None = None
    message: str = ""
    cases: tuple[str, ...] = ()
    """Ids that broke a red line."""
    layer: Layer | None = None
    """Of a gate that failed, where the cases that pull it down collapse first."""

    @property
    def blocks(self) -> bool:
        """Whether this alone turns the run red."""
        return self.level == "fail" and self.outcome in ("failed", "unmeasured")

    @property
    def is_broken_red_line(self) -> bool:
        """Whether cases crossed a red line, which no average excuses."""
        return self.rule == "red_line" and self.outcome == "failed"


Verdict = Literal["passed", "failed", "error", "skipped"]


class Delta(Frozen):
    """One metric now and in the baseline, over the cases that both scored."""

    now: float
    baseline: float
    delta: float
    """``now - baseline``, in the metric's own unit, whatever its direction."""
    pairs: int
    interval: tuple[float, float] | None = None
    """Of ``delta``; each edge is a one-sided bound at 95 %. None where it has one value
    over all cases, such as a percentile, or where pairs are too few to say."""
    p: float | None = None
    """How often chance alone would look at least as bad; None as the interval."""
    slices: dict[str, Delta] = Field(default_factory=dict)


Moved = Literal["loosened", "changed", "tightened"]


class YardstickChange(Frozen):
    """One thing that the run is held against, and was otherwise at the base commit."""

    what: str
    """As the spec writes it: ``recall@5 min``, ``red line``, ``cases``."""
    before: str
    after: str
    moved: Moved
    line: int | None = None
    """Of the spec as it is now."""


class Tighter(Frozen):
    """A limit that the last runs have beaten by more than noise, and a safe new one."""

    metric: str
    rule: str
    limit: float
    offered: float
    line: int | None = None
    runs: int
    """How many in a row beat it."""


class TrialSummary(Frozen):
    """How far the trials of a case agree, over the cases with two judged trials."""

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
    """A case that did not gate, and what came of it all the same."""

    id: str
    until: date
    why: str
    owner: str | None = None
    outcome: Outcome
    layer: Layer | None = None
    cause: str | None = None


class RankMove(Frozen):
    """A relevant passage that came in the baseline, and where it is now."""

    id: str
    before: int
    now: int | None = None
    """None where it did not come."""


class Shift(Frozen):
    """A case that fails now and passed before, or failed in another layer."""

    id: str
    was: Outcome
    now: Outcome
    layer_before: Layer | None = None
    cause_before: str | None = None
    layer: Layer | None = None
    cause: str | None = None
    ranks: tuple[RankMove, ...] = ()
    """Relevant passages that are gone or further down, the first ones by rank."""
    came: tuple[str, ...] = ()
    """Ids that came instead, the first ones by rank: the baseline had none of them."""


class Comparison(Frozen):
    """This run beside a baseline, paired case by case."""

    pairs: int
    """Cases whose question and labels are the same in both."""
    regressed: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    """Cases that fail in both, and first in another layer."""
    new: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    worse: int = 0
    """Flips from passed to failed; a call that failed is none of them."""
    better: int = 0
    """Flips from failed to passed."""
    p: float | None = None
    """Of these flips, were both ways equally likely (exact McNemar, two-sided); None
    where pairs are too few to say."""
    detectable: float | None = None
    """The smallest drop of accuracy that so many pairs show four times in five."""
    not_comparable: tuple[str, ...] = ()
    """What could not be held against the baseline: a case id or a metric, with why."""
    changed: tuple[str, ...] = ()
    """Cases whose question or labels are others; ``not_comparable`` says which."""
    deltas: dict[str, Delta] = Field(default_factory=dict)
    thinner: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Metrics that many of the cases of both runs have a score of in the baseline and
    not in this run: how many have one now, and how many had."""
    layers: dict[str, int] = Field(default_factory=dict)
    """How many cases first failed in each layer, in the baseline, over the pairs."""
    layers_now: dict[str, int] = Field(default_factory=dict)
    """The same of this run, over the same cases."""
    shifts: tuple[Shift, ...] = ()
    """How the first of the regressed cases fail, then of those that moved."""
    commit: str | None = None
    started: str | None = None

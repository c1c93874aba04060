"""What is found by pairing a run with its baseline."""

from __future__ import annotations

from pydantic import Field

from runner.model._vocabulary import Frozen, Layer, Outcome


class Delta(Frozen):
    """One metric now and in the baseline, over the cases that both scored."""

    now: float
    baseline: float
    delta: float
    """``now - baseline``, in the unit of the metric; its sign ignores ``better``."""
    pairs: int
    interval: tuple[float, float] | None = None
    """Of ``delta``, each edge a one-sided bound at 95 %. None for a number that only a
    whole run has, such as a percentile, and where there are too few pairs."""
    p: float | None = None
    """The one-sided p-value of a change for the worse; None where ``interval`` is."""
    slices: dict[str, Delta] = Field(default_factory=dict)


class RankMove(Frozen):
    """The ranks of a relevant passage in the baseline and in this run."""

    id: str
    before: int
    now: int | None = None
    """None where it was not retrieved."""


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
    """Ids retrieved now and not in the baseline, the first ones by rank."""


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
    """Two-sided p-value of these flips by the exact McNemar test; None where there are
    too few pairs."""
    detectable: float | None = None
    """The smallest drop of accuracy that so many pairs show four times in five."""
    not_comparable: tuple[str, ...] = ()
    """What could not be compared: a case id or a metric, with the reason."""
    changed: tuple[str, ...] = ()
    """Cases whose question or labels changed; ``not_comparable`` says which did."""
    deltas: dict[str, Delta] = Field(default_factory=dict)
    thinner: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Metrics of which many cases of both runs lost their score: how many of the cases
    have one now, and how many had one in the baseline."""
    layers: dict[str, int] = Field(default_factory=dict)
    """How many cases first failed in each layer, in the baseline, over the pairs."""
    layers_now: dict[str, int] = Field(default_factory=dict)
    """The same of this run, over the same cases."""
    shifts: tuple[Shift, ...] = ()
    """How the first of the regressed cases fail, then of those that moved."""
    commit: str | None = None
    started: str | None = None

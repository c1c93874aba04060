"""What is concluded of a run: gates, the verdict, and changes of its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from runner.model._vocabulary import Better, Frozen, Layer

STATISTICS = ("p50", "p90", "p95", "p99", "max")
"""Run-level suffixes of a metric's name: ``latency_p95``."""

RUN_LEVEL: Mapping[str, tuple[Better, tuple[float | None, float | None]]] = {
    "accuracy": ("higher", (0.0, 1.0)),
    "error_rate": ("lower", (0.0, 1.0)),
    "coverage": ("higher", (0.0, 1.0)),
}
"""What is measured over the run and not per case: direction and bounds."""

RUN_LEVEL_SUMMARIES: Mapping[str, str] = {
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

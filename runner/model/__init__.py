"""The nouns of a run, frozen, in the order data reaches them, and the two ports.

What exists once for every case (``Case``, ``Passage``, ``Response``, ``Failure``,
``Exchange``, ``Finding``) is a named tuple: immutable, and cheap enough for a hundred
thousand of them. What is read from or written to files is a pydantic model.
"""

from __future__ import annotations

from runner.model._asked import (
    Case,
    Endpoint,
    Exchange,
    Failure,
    Judge,
    Passage,
    Response,
    ServiceCause,
)
from runner.model._judged import (
    RUN_LEVEL,
    STATISTICS,
    Comparison,
    Delta,
    Finding,
    GateOutcome,
    GateResult,
    Level,
    Record,
    Rule,
    Verdict,
    memberships,
    split_statistic,
)
from runner.model._scored import (
    Absent,
    Counts,
    Failed,
    Measure,
    Metric,
    Ranking,
    Score,
    SliceSummary,
    Summary,
    Unscored,
)
from runner.model._words import (
    LAYERS,
    NOTHING,
    Better,
    Frozen,
    Layer,
    Match,
    Outcome,
    Qrels,
)

__all__ = [
    "LAYERS",
    "NOTHING",
    "RUN_LEVEL",
    "STATISTICS",
    "Absent",
    "Better",
    "Case",
    "Comparison",
    "Counts",
    "Delta",
    "Endpoint",
    "Exchange",
    "Failed",
    "Failure",
    "Finding",
    "Frozen",
    "GateOutcome",
    "GateResult",
    "Judge",
    "Layer",
    "Level",
    "Match",
    "Measure",
    "Metric",
    "Outcome",
    "Passage",
    "Qrels",
    "Ranking",
    "Record",
    "Response",
    "Rule",
    "Score",
    "ServiceCause",
    "SliceSummary",
    "Summary",
    "Unscored",
    "Verdict",
    "memberships",
    "split_statistic",
]

"""Puts all of it into one Report with a format version; reads an earlier one back."""

from __future__ import annotations

from pydantic import Field

from runner.model import (
    Comparison,
    Frozen,
    GateResult,
    Layer,
    Summary,
    Verdict,
)

FORMAT_VERSION = 1
EXCERPTS = 200  # failing cases that are kept with their texts


class Totals(Frozen):
    """Cases by outcome."""

    cases: int
    passed: int = 0
    failed: int = 0
    undetermined: int = 0
    errors: int = 0


class LayerCount(Frozen):
    """Where failing cases collapse; ``undetermined``: no evidence about this layer."""

    first: int = 0
    also: int = 0
    undetermined: bool = False
    """No case of the run had evidence about this layer."""
    causes: dict[str, int] = {}
    """First causes in this layer, most frequent first."""


class FailedCase(Frozen):
    """A failing or erroneous case with its texts, redacted and cut."""

    id: str
    type: str | None = None
    outcome: str = "failed"
    layer: Layer | None = None
    cause: str | None = None
    evidence: str = ""
    also: tuple[str, ...] = ()
    question: str = ""
    answer: str | None = None
    expected: tuple[str, ...] = ()
    retrieved: tuple[str | None, ...] | None = None
    file: str | None = None
    line: int | None = None


class Report(Frozen):
    """The whole record of a run; everything that is shown renders from it."""

    format_version: int = Field(default=FORMAT_VERSION, ge=1, le=FORMAT_VERSION)
    name: str
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What the reader should know and nothing gates on."""
    spec: str = ""
    """The spec file, relative to the workspace."""
    totals: Totals
    summaries: dict[str, Summary] = {}
    """By label, in layer order; the run-level ones (accuracy, error_rate, coverage)
    stand among them with ``layer: null``."""
    gates: tuple[GateResult, ...] = ()
    layers: dict[Layer, LayerCount] = {}
    comparison: Comparison | None = None
    failures: tuple[FailedCase, ...] = ()
    failures_left_out: int = 0
    latency_histogram: tuple[tuple[float, int], ...] = ()
    """Upper edge in seconds and number of calls, edges ascending."""
    filters: tuple[str, ...] = ()
    """Set where only part of the cases was asked."""
    fingerprints: dict[str, str] = {}
    commit: str | None = None
    started: str | None = None
    """UTC, ISO 8601."""
    duration_s: float | None = None
    version: str = ""
    """Of rag-eval-action."""

"""The gate that no case of the baseline is missing, where the spec asks for it.

Only ``removed: fail`` of the spec makes it a gate; else it is a notice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner.gates._limits import UNREAD
from runner.gates._red_lines import SHOWN, at_line, sentence
from runner.gates._tally import Measured
from runner.model import GateOutcome, GateResult
from runner.spec import Spec
from runner.units import count, listed


def removed(spec: Spec, measured: Measured) -> Iterator[GateResult]:
    """Give the gate, which a run over a part of the cases can neither pass nor fail."""
    if spec.removed.level != "fail":
        return
    outcome, message = _held(measured)
    gone = measured.comparison.removed if measured.comparison else ()
    yield GateResult(
        metric="cases",
        rule="removed",
        limit=0,
        value=len(gone) if outcome in ("passed", "failed") else None,
        line=spec.removed.line,
        outcome=outcome,
        message=sentence("cases", message, at_line(spec, spec.removed.line)),
    )


def _held(measured: Measured) -> tuple[GateOutcome, str]:
    if measured.review.baseline_unread:
        return "unmeasured", UNREAD
    if measured.selection:
        return "not_selected", "not selected by the filter"
    if measured.comparison is None:
        return "no_baseline", "has no baseline to be held against"
    gone = measured.comparison.removed
    return ("failed", are_gone(gone)) if gone else ("passed", "")


def are_gone(gone: Sequence[str]) -> str:
    """Give the sentence on cases of the baseline that are missing."""
    are = "is" if len(gone) == 1 else "are"
    cases = count(len(gone), "case")
    return f"{cases} of the baseline {are} gone: {listed(gone, SHOWN)}"

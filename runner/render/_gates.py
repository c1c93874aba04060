"""How a gate reads: its rule, how it stands, and why it does not pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from runner.model import Better, GateResult
from runner.render._escape import cut
from runner.render._numbers import limit, percent
from runner.render._said import Said, foreign, say

Status = Literal[
    "failed",
    "unmeasured",
    "warned",
    "no baseline",
    "passed",
    "not selected",
    "undetermined",
    "open",
]
"""``open``: nothing gates on it; ``undetermined``: a layer without evidence."""

_WORST: tuple[Status, ...] = (
    "failed",
    "unmeasured",
    "warned",
    "no baseline",
    "passed",
    "not selected",
)
_OWNER = 40
_OUTCOMES = {
    "inconclusive": " (inconclusive)",
    "unmeasured": " (not measured)",
    "no_baseline": " (no baseline)",
    "not_selected": " (not selected)",
}


def status(gate: GateResult) -> Status:
    """Give how a gate stands for its reader; what only warns is never failed."""
    if gate.outcome == "no_baseline":
        return "no baseline"
    if gate.outcome == "not_selected":
        return "not selected"
    if gate.outcome == "passed":
        return "passed"
    if not gate.blocks:
        return "warned"
    return "failed" if gate.outcome == "failed" else "unmeasured"


def worst(gates: Iterable[GateResult]) -> Status:
    """Give the worst status among gates on one number; ``open`` where there is none."""
    return min(map(status, gates), key=_WORST.index, default="open")


def rule(gate: GateResult, unit: str, better: Better) -> Said:
    """Give what a gate asks for, what kept it from an answer, and whose it is."""
    warns = " (warns)" if gate.level == "warn" else ""
    owner = (
        say(" · ", foreign(cut(gate.owner, _OWNER)))
        if gate.owner and gate.blocks
        else ()
    )
    return say(_asks(gate, unit, better), _OUTCOMES.get(gate.outcome, ""), warns, owner)


def _asks(gate: GateResult, unit: str, better: Better) -> str:
    if gate.rule == "red_line":
        return "red line"
    if gate.rule == "baseline" or gate.limit is None:
        return "baseline kept" if gate.rule == "baseline" else gate.rule
    if gate.rule == "min":
        return f"≥ {limit(gate.limit, unit)}"
    if gate.rule in ("max", "error_rate"):
        return f"≤ {limit(gate.limit, unit)}"
    most = percent(gate.limit) if gate.relative else limit(gate.limit, unit)
    return f"{'drop' if better == 'higher' else 'rise'} ≤ {most}"


def why(gate: GateResult) -> Said:
    """Give a gate's own sentence, but for a limit whose row says it all."""
    told = gate.rule in ("min", "max") and gate.outcome == "failed"
    return () if told else say(foreign(gate.message))

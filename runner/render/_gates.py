"""How a gate reads: its rule, how it stands, and why it does not pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from runner.model import Better, GateResult, Rule
from runner.render._numbers import limit, percent
from runner.render._sentence import Sentence, join, quote, say, told
from runner.text.shorten import cut

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
"""The worst first. ``open``: no gate; ``undetermined``: a layer without evidence."""

_WORST: Sequence[Status] = get_args(Status)
_OWNER = 40
FEW = 3
"""Names that a sentence gives before it counts the rest."""
_NAMED: Mapping[Rule, str] = {
    "red_line": "red line",
    "baseline": "is kept",
    "removed": "none removed",
    "yardstick": "is not loosened",
}
_OUTCOMES = {
    "inconclusive": "inconclusive",
    "unmeasured": "not measured",
    "no_baseline": "no baseline",
    "not_selected": "not selected",
}


def status(gate: GateResult) -> Status:
    """Give the status of a gate; one that only warns is never ``failed``."""
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


def rule(gate: GateResult, unit: str, better: Better) -> Sentence:
    """Give the limit of a gate, why it is undecided, and its owner."""
    remarks = [
        say(_OUTCOMES.get(gate.outcome, "")),
        say("only warns" if gate.level == "warn" else ""),
        say(quote(cut(gate.owner or "", _OWNER))) if gate.blocks else (),
    ]
    remark = join(", ", remarks)
    return say(asks(gate, unit, better), say(" (", remark, ")") if remark else ())


def asks(gate: GateResult, unit: str, better: Better) -> str:
    """Give the limit as the table shows it beside the metric."""
    if gate.rule in _NAMED or gate.limit is None:
        return _NAMED.get(gate.rule, gate.rule)
    if gate.rule == "min":
        return f"≥ {limit(gate.limit, unit)}"
    if gate.rule in ("max", "error_rate"):
        return f"≤ {limit(gate.limit, unit)}"
    most = percent(gate.limit) if gate.relative else limit(gate.limit, unit)
    return f"{'drop' if better == 'higher' else 'rise'} ≤ {most}"


def why(gate: GateResult) -> Sentence:
    """Give the message of a gate, unless its row in the table says it."""
    shown = gate.rule in ("min", "max") and gate.outcome == "failed"
    return () if shown else say(told(gate.message))

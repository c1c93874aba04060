"""Holds summaries and comparison against thresholds and red lines; gives the verdict.

Each gate passes, fails, is inconclusive or was not measured; what was not measured
fails, but where a filter left out every case that it needs. Red lines look at single
cases and no average excuses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from runner.errors import InputError, Place
from runner.gates._limits import held
from runner.gates._red_lines import calls, isolation, red_line
from runner.gates._removed import are_gone, removed
from runner.gates._review import NO_REVIEW, Loosened, Review, review
from runner.gates._selection import Selection
from runner.gates._tally import WHOLE, Judged, Measured, tally
from runner.model import GateResult, Verdict
from runner.spec import Spec
from runner.units import listed

__all__ = [
    "NO_REVIEW",
    "FailOn",
    "Judged",
    "Loosened",
    "Measured",
    "Review",
    "Selection",
    "exit_code",
    "hold",
    "notices",
    "verdict",
]

_SHOWN = 5  # metrics that a sentence names before it only counts

FailOn = Literal["gate", "error", "never"]


def hold(spec: Spec, measured: Measured) -> tuple[GateResult, ...]:
    """Give one result per gate: failed calls, red lines, leaks, the spec's limits.

    Some hold without being written: no call may fail, unless a limit on ``error_rate``
    of level fail says how many may; nothing may leak where a case has walls; and where
    the base commit is known, its baseline stays, and what became looser is told.

    Raises:
        InputError: No case was asked, which is never green.
    """
    names = {str(selector) for selector in spec.red_lines}
    names |= {limit.slice for limit in spec.limits if limit.slice}
    tallies = tally(names, measured.cases)
    if not tallies[WHOLE].cases:
        raise InputError("there is no case to judge", where=Place(spec.file))
    return (
        *calls(spec.limits, tallies[WHOLE]),
        *(
            red_line(
                selector,
                spec,
                tallies[str(selector)],
                filtered=measured.selection is not None,
            )
            for selector in spec.red_lines
        ),
        *isolation(spec.leakage_level, tallies[WHOLE]),
        *held(spec, measured, tallies),
        *removed(spec, measured),
        *review(measured.review),
    )


def verdict(gates: Sequence[GateResult]) -> tuple[Verdict, tuple[str, ...]]:
    """Give the word for the run, and a sentence for every gate that turned it red.

    A broken red line outweighs failed calls, and these outweigh any other gate.
    """
    blocking = [gate for gate in gates if gate.blocks]
    broken = [gate for gate in blocking if gate.is_broken_red_line]
    errors = [gate for gate in blocking if _is_error(gate)]
    rest = [gate for gate in blocking if gate not in broken and gate not in errors]
    told = dict.fromkeys(gate.message for gate in (*broken, *errors, *rest))
    reasons = tuple(told)  # two limits in one line may fail for one reason
    if errors and not broken:
        return "error", reasons
    return ("failed" if blocking else "passed"), reasons


def _is_error(gate: GateResult) -> bool:
    return gate.metric == "error_rate" and gate.outcome == "failed"


def exit_code(verdict: Verdict, gates: Iterable[GateResult], fail_on: FailOn) -> int:
    """Give the exit status: 0 passed or skipped, 1 a gate failed, 3 calls failed.

    ``error`` forgives failed gates, red lines among them, but not the failed calls
    beside a broken red line; ``never`` forgives both.
    """
    if verdict in ("passed", "skipped") or fail_on == "never":
        return 0
    if verdict == "error":
        return 3
    if fail_on == "gate":
        return 1
    return 3 if any(gate.blocks and _is_error(gate) for gate in gates) else 0


def notices(
    spec: Spec, measured: Measured, gates: Iterable[GateResult]
) -> Iterator[str]:
    """Give what the reader must know about how little this run can turn red."""
    written = [gate for gate in gates if gate.line and gate.level == "fail"]
    if written and all(gate.outcome == "not_selected" for gate in written):
        yield (
            "NO THRESHOLD APPLIES: the filter left out every case that one needs, so "
            "only failed calls and leaks can turn this run red"
        )
    if not any(limit.level == "fail" for limit in spec.limits):
        what, hint = "NO THRESHOLDS", " (add thresholds: to the spec)"
        if spec.limits:
            what, hint = "EVERY THRESHOLD ONLY WARNS", ""
        yield (
            f"{what}: no average can turn this run red, only failed calls, red lines "
            f"and leaks{hint}"
        )
    if spec.leakage_level == "warn":
        yield "A leak only warns here (thresholds.leakage.level is warn)"
    accuracy = measured.summaries.get("accuracy")
    if accuracy and not accuracy.scored:
        yield "NOTHING JUDGED: no case passed or failed"
    thinner = measured.comparison.thinner if measured.comparison else {}
    if thinner:
        yield _less(thinner)
    gone = measured.comparison.removed if measured.comparison else ()
    if gone and spec.removed.level != "fail":
        yield are_gone(gone)


def _less(thinner: Mapping[str, tuple[int, int]]) -> str:
    said = [f"{name} in {now:,} of {then:,}" for name, (now, then) in thinner.items()]
    what = "LESS IS MEASURED THAN IN THE BASELINE, of the same cases"
    return f"{what}: {listed(said, _SHOWN)}"

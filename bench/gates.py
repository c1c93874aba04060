"""How often a gate on a drop cries wolf, and how often it finds a drop that is there.

Simulated pairs of runs, each case judged once in both: a share of the cases flips
(the discordance), as many one way as the other where nothing changed (A/A). Beside the
confident gate stands the plain one at the same limit of 0.

    python -m bench.gates
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from tabulate import tabulate

from runner.comparison import Results, compare
from runner.gates import Judged, Measured, hold
from runner.model import Case, GateOutcome, Outcome, Record, Summary, Unscored
from runner.spec import CaseSource, EndpointSpec, Limit, Spec
from runner.units import Amount

SEED = 20
SIZES = (40, 80, 200)
DISCORDANCES = (0.05, 0.1, 0.2, 0.3)
DROP = 0.1
_PASSING = 0.8  # of the cases that do not flip
NAMES = [f"case-{number}" for number in range(max(SIZES))]
LIMIT = Limit("accuracy", "max_drop", Amount(0.0))
SPEC = Spec(
    name="gates",
    file="spec.yaml",
    endpoint=EndpointSpec(url="http://localhost"),
    cases=(CaseSource("cases.jsonl"),),
    measures=(),
    marks={},
    limits=(LIMIT, LIMIT._replace(confident=True)),
    red_lines=(),
)


class Alarms(NamedTuple):
    """Shares of comparisons in which a gate failed."""

    plain: float
    confident: float


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    runs = parser.parse_args().runs
    rng = Random(SEED)
    error = math.sqrt(0.05 * 0.95 / runs)
    print(f"{runs:,} comparisons each, seed {SEED}; 5 % is known to {error:.1%}\n")
    print("Nothing changed: how often the gate fails\n")
    rows = [
        (size, discordance, *alarms(size, discordance, 0.0, runs, rng))
        for size in SIZES
        for discordance in DISCORDANCES
    ]
    _show(rows)
    print(f"\nAccuracy truly fell by {DROP:.0%}: how often the gate fails\n")
    _show(
        (200, discordance, *alarms(200, discordance, DROP, runs, rng))
        for discordance in DISCORDANCES[1:]
    )


def _show(rows: Iterable[tuple[float, ...]]) -> None:
    head = ("cases", "discordance", "plain", "confident")
    digits = (".0f", ".2f", ".1%", ".1%")
    print(tabulate(rows, head, tablefmt="github", floatfmt=digits))


def alarms(
    size: int, discordance: float, drop: float, runs: int, rng: Random
) -> Alarms:
    """Give how often a limit of 0 on a drop of accuracy fails, plain and confident."""
    failed = [0, 0]
    for _ in range(runs):
        then, now = _runs(size, discordance, drop, rng)
        for kind, outcome in enumerate(_gates(now, then)):
            failed[kind] += outcome == "failed"
    return Alarms(failed[0] / runs, failed[1] / runs)


def _runs(
    size: int, discordance: float, drop: float, rng: Random
) -> tuple[list[Outcome], list[Outcome]]:
    """Draw what came of each case before and after; most cases pass."""
    then: list[Outcome] = []
    now: list[Outcome] = []
    for _ in range(size):
        at = rng.random()
        if at < (discordance + drop) / 2:
            before, after = True, False
        elif at < discordance:
            before, after = False, True
        else:
            before = after = rng.random() < _PASSING
        then.append("passed" if before else "failed")
        now.append("passed" if after else "failed")
    return then, now


def _gates(now: list[Outcome], then: list[Outcome]) -> list[GateOutcome]:
    found, earlier = _results(now), _results(then)
    cases = [
        Judged(Case(record.id, "Why?"), record.outcome, Unscored("no walls"))
        for record in found.records.values()
    ]
    measured = Measured(cases, found.summaries, compare(found, earlier))
    gates = hold(SPEC, measured)
    return [gate.outcome for gate in gates if gate.rule == "max_drop"]


def _results(outcomes: list[Outcome]) -> Results:
    records = {
        name: Record(name, outcome, name, name, {})
        for name, outcome in zip(NAMES, outcomes, strict=False)
    }
    mean = outcomes.count("passed") / len(outcomes)
    accuracy = Summary(layer=None, better="higher", mean=mean, scored=len(outcomes))
    return Results(records, {"accuracy": accuracy})


if __name__ == "__main__":
    main()

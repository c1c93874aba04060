"""What so many labels can say of a judge, and how often a judge is let through wrongly.

Judge and people are simulated as two raters who call the same share of items good and
agree with a true kappa; nothing here is measured on a model.

    python -m bench.kappa
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random

from tabulate import tabulate

from runner.agreement import Contingency
from runner.calibration import Demand

SEED = 20
SIZES = (50, 100, 200, 400)
KAPPAS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
GOOD = (0.5, 0.7, 0.8)
"""Shares of the items that people call good."""


def shares(kappa: float, good: float) -> tuple[float, float, float, float]:
    """Give the chances of the four cells of a table."""
    apart = good * (1 - good) * (1 - kappa)
    return good - apart, apart, apart, 1 - good - apart


def expected(size: int, kappa: float, good: float) -> Contingency:
    """Give the table that so many labels are expected to make; no whole numbers."""
    return Contingency(*(size * share for share in shares(kappa, good)))


def drawn(
    size: int, kappa: float, good: float, sets: int, rng: Random
) -> Iterator[Contingency]:
    """Give tables of sets of labels that were drawn at random."""
    for _ in range(sets):
        cells = Counter(rng.choices(range(4), shares(kappa, good), k=size))
        yield Contingency(*(cells[cell] for cell in range(4)))


def held(size: int, kappa: float, good: float, sets: int, rng: Random) -> float:
    """Give the share of sets whose interval holds the true kappa, of those with one."""
    edges = [table.interval for table in drawn(size, kappa, good, sets, rng)]
    known = [edge for edge in edges if edge]
    return sum(low <= kappa <= high for low, high in known) / len(known)


def let_through(size: int, kappa: float, good: float, sets: int, rng: Random) -> float:
    """Give the share of sets by which a judge may block, with the default demand."""
    return sum(map(_may, drawn(size, kappa, good, sets, rng))) / sets


def _may(table: Contingency) -> bool:
    demand = Demand()
    good = table.both_good + table.second_alone
    enough = min(good, table.total - good) >= demand.of_each
    kappa, edges = table.kappa, table.interval
    if kappa is None or edges is None or not enough:
        return False
    return kappa >= demand.min_kappa and edges[0] > 0


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2_000)
    sets = parser.parse_args().sets
    rng = Random(SEED)
    print("The interval that labels give, half of them good; and four of five good\n")
    for good in (0.5, 0.8):
        rows = [[size, *(_edges(size, k, good) for k in KAPPAS)] for size in SIZES]
        print(_shown(["labels", *KAPPAS], rows), "\n")
    print(f"How often it holds the true kappa: {sets:,} sets each, seed {SEED}\n")
    rows = [
        [size, good, *(f"{held(size, k, good, sets, rng):.1%}" for k in KAPPAS)]
        for size in SIZES
        for good in GOOD
    ]
    print(_shown(["labels", "good", *KAPPAS], rows), "\n")
    print("How often a judge of a true kappa may block, at the mark of 0.6\n")
    rows = [
        [size, good, *(f"{let_through(size, k, good, sets, rng):.1%}" for k in KAPPAS)]
        for size in SIZES
        for good in GOOD
    ]
    print(_shown(["labels", "good", *KAPPAS], rows))


def _edges(size: int, kappa: float, good: float) -> str:
    low, high = expected(size, kappa, good).interval or (0.0, 0.0)
    return f"{low:.2f} to {high:.2f}"


def _shown(head: list[object], rows: list[list[object]]) -> str:
    return tabulate(
        rows, list(map(str, head)), tablefmt="github", disable_numparse=True
    )


if __name__ == "__main__":
    main()

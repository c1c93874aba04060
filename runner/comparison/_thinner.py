"""Whether a run measures less of the same cases than its baseline did."""

from __future__ import annotations

from collections.abc import Collection
from math import isnan

from runner.comparison._columns import Columns
from runner.comparison._pairing import Pairs
from runner.comparison._shifts import BROKEN

_MOST_LOST = 0.1
"""Share of the scores that may be lost by chance: a number that no answer states this
time, an answer that declines."""


def thinner(pairs: Pairs, labels: Collection[str]) -> dict[str, tuple[int, int]]:
    """Give the metrics that lost many scores: how many there are, and were.

    What came without a score is in no mean, so that a reply which no longer shows what
    would be held against it (its citations, its numbers, whose a passage is) passes.
    A case that fails hides nothing by it: a wrong answer states no key point that
    could be looked for in its passages.
    """
    both = [pair for pair in pairs if pair.now.outcome not in BROKEN]
    here = Columns([pair.now for pair in both])
    there = Columns([pair.then for pair in both])
    found = {}
    for label in sorted(labels):
        new, old = (
            len(both) - sum(map(isnan, side.under(label))) for side in (here, there)
        )
        if new < old and round((old - new) / old, 9) > _MOST_LOST:
            found[label] = (new, old)
    return found

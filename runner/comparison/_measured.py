"""Whether a run measures less of the same cases than its baseline did."""

from __future__ import annotations

from collections.abc import Collection

from runner.comparison._pairing import Pairs

_MOST_LOST = 0.1
"""Share of the scores that may be lost by chance: a number that no answer states this
time, an answer that declines."""


def thinner(pairs: Pairs, labels: Collection[str]) -> dict[str, tuple[int, int]]:
    """Give the metrics of which many scores are gone: how many are left, and were.

    What came without a score is in no mean, so that a reply which no longer shows what
    would be held against it (its citations, its numbers, whose a passage is) passes.
    A call that failed is told elsewhere.
    """
    both = [pair for pair in pairs if pair.now.outcome != "error"]
    found = {}
    for label in sorted(labels):
        new = sum(now.scores.get(label) is not None for now, _ in both)
        old = sum(then.scores.get(label) is not None for _, then in both)
        if new < old and round((old - new) / old, 9) > _MOST_LOST:
            found[label] = (new, old)
    return found

"""Aggregates columns of scores into a Summary per metric, and the run-level numbers.

Statistics are over the scored cases; the unscored and the failed are counted beside
them, so that a mean can always be read together with what it leaves out.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import compress
from math import fsum, sqrt
from operator import mul
from typing import NamedTuple, Protocol

from runner.inference import bootstrap, is_binary, wilson
from runner.model import (
    RUN_LEVEL,
    STATISTICS,
    Absent,
    Case,
    Failed,
    Measure,
    Outcome,
    SliceSummary,
    Summary,
    Unscored,
)

_SCORED_ONLY = bytes(int(code == 1) for code in range(256))
_APART = ("not_asked", "quarantined")  # outcomes of cases that are in no number
_EDGES = tuple(0.001 * 2**step for step in range(64))


class Scores(Protocol):
    """What is read of a column: ``status`` 0 is missing, 1 scored, else a reason."""

    measure: Measure
    values: array[float]
    status: bytearray
    reasons: list[Unscored | Failed | None]


class Slice(NamedTuple):
    """A part of the cases: ``type=policy`` and a byte of 1 for each of its cases."""

    name: str
    members: bytes


def summarise(
    column: Scores,
    slices: Iterable[Slice] = (),
    *,
    ceiling: float | None = None,
    depth: int | None = None,
) -> Summary:
    """Give the Summary of one metric over all cases, and over each slice.

    Nothing scored gives no mean. The interval is Wilson's where every score is 0 or 1,
    else the bootstrap's within the metric's bounds; it needs two scores.
    """
    measure = column.measure
    chosen = bytes(column.status.translate(_SCORED_ONLY))
    values = list(compress(column.values, chosen))
    counts = _counts(column)
    return Summary(
        layer=measure.layer,
        better=measure.better,
        version=measure.metric.version,
        judge=measure.judge,
        unit=measure.metric.unit,
        ceiling=ceiling,
        depth=depth,
        percentiles=percentiles(values) if measure.metric.unit else {},
        reasons={why.reason: n for why, n in counts},
        slices={part.name: _part(column, chosen, part.members) for part in slices},
        absent=sum(n for why, n in counts if isinstance(why, Absent)),
        unscored=sum(n for why, n in counts if isinstance(why, Unscored)),
        failed=sum(n for why, n in counts if isinstance(why, Failed)),
        **spread(values, measure.metric.bounds)._asdict(),
    )


class Spread(NamedTuple):
    """Mean, standard deviation (n - 1) and 95 % interval of a list of values."""

    scored: int
    mean: float | None = None
    sd: float | None = None
    interval: tuple[float, float] | None = None


def spread(
    values: Sequence[float], bounds: tuple[float | None, float | None] = (None, None)
) -> Spread:
    """Give the statistics of a list of values; an empty list has none."""
    count = len(values)
    if not count:
        return Spread(0)
    mean = fsum(values) / count
    if count == 1:
        return Spread(1, mean)
    parts = [value - mean for value in values]
    sd = sqrt(fsum(map(mul, parts, parts)) / (count - 1))
    if bounds == (0.0, 1.0) and is_binary(values):
        return Spread(count, mean, sd, wilson(mean, count))
    (low, high), (least, most) = bootstrap(values), bounds
    low = low if least is None else max(least, low)
    high = high if most is None else min(most, high)
    return Spread(count, mean, sd, (low, high))


def percentiles(values: Iterable[float]) -> dict[str, float]:
    """Give p50 to p99 and max of a list of values; an empty list has none."""
    ordered = sorted(values)
    if not ordered:
        return {}
    return {name: percentile(ordered, name) for name in STATISTICS}


def percentile(ordered: Sequence[float], statistic: str) -> float:
    """Give one of ``STATISTICS`` over ascending values, one at least.

    Interpolated linearly between ranks, as most tools do by default.
    """
    share = 1.0 if statistic == "max" else int(statistic[1:]) / 100
    spot = share * (len(ordered) - 1)
    below = int(spot)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (spot - below)


def histogram(values: Iterable[float]) -> tuple[tuple[float, int], ...]:
    """Give counts up to each upper edge in seconds, edges doubling from 1 ms.

    Only the edges from the first to the last filled one are given.
    """
    counts = Counter(map(partial(bisect_left, _EDGES), values))
    if not counts:
        return ()
    steps = range(min(counts), max(counts) + 1)
    return tuple((_EDGES[step], counts[step]) for step in steps)


def run_level(
    outcomes: Sequence[Outcome], summaries: Iterable[Summary], slices: Iterable[Slice]
) -> dict[str, Summary]:
    """Give accuracy, error rate and coverage as Summaries without a layer.

    Accuracy is passed / (passed + failed): errors and undetermined cases are in neither
    and count as unscored; what was not asked or is in quarantine does everywhere.
    Coverage is the least of the metrics' coverages.
    """
    judged = bytes(outcome in ("passed", "failed") for outcome in outcomes)
    passed = [float(outcome == "passed") for outcome in outcomes]
    whole = list(compress(passed, judged))
    asked = [outcome for outcome in outcomes if outcome not in _APART]
    errors = [float(outcome == "error") for outcome in asked]
    covered = [s.coverage for s in summaries if s.coverage is not None]
    parts = {
        part.name: _mean(passed, judged, part.members, unscored_rest=True)
        for part in slices
    }
    return {
        "accuracy": _run_summary(
            "accuracy", spread(whole, (0.0, 1.0)), len(outcomes) - len(whole), parts
        ),
        "error_rate": _run_summary(
            "error_rate", spread(errors, (0.0, 1.0)), len(outcomes) - len(asked)
        ),
        "coverage": _run_summary(
            "coverage", Spread(len(covered), min(covered, default=None))
        ),
    }


def _run_summary(
    name: str,
    found: Spread,
    unscored: int = 0,
    slices: Mapping[str, SliceSummary] | None = None,
) -> Summary:
    better, _ = RUN_LEVEL[name]
    return Summary(
        layer=None,
        better=better,
        unscored=unscored,
        slices=dict(slices or {}),
        **found._asdict(),
    )


def ceiling(cases: Iterable[Case], k: int) -> float | None:
    """Give the best mean recall that k ranks allow, or None where it is 1.

    A case with more than k relevant ids cannot reach 1.
    """
    grades = [case.qrels.values() for case in cases if not case.expect_refusal]
    sizes = [sum(map(bool, given)) for given in grades]
    best = [min(k, size) / size for size in sizes if size]
    mean = fsum(best) / len(best) if best else 1.0
    return mean if mean < 1 else None


def _counts(column: Scores) -> list[tuple[Unscored | Failed, int]]:
    """Give why cases have no score and how many: first what lowers coverage."""
    counts = [
        (why, column.status.count(code))
        for code, why in enumerate(column.reasons)
        if why is not None
    ]
    return sorted((count for count in counts if count[1]), key=_order)


def _order(count: tuple[Unscored | Failed, int]) -> tuple[bool, bool, int]:
    why, number = count
    return not isinstance(why, Failed), not isinstance(why, Absent), -number


def _part(column: Scores, chosen: bytes, members: bytes) -> SliceSummary:
    statuses = bytes(compress(column.status, members))
    counts = [(why, statuses.count(code)) for code, why in enumerate(column.reasons)]
    failed = sum(n for why, n in counts if isinstance(why, Failed))
    found = _mean(column.values, chosen, members)
    return found.model_copy(
        update={
            "failed": failed,
            "unscored": len(statuses) - found.scored - failed,
            "absent": sum(n for why, n in counts if isinstance(why, Absent)),
        }
    )


def _mean(
    values: Iterable[float],
    chosen: bytes,
    members: bytes,
    *,
    unscored_rest: bool = False,
) -> SliceSummary:
    both = int.from_bytes(chosen) & int.from_bytes(members)
    scored = list(compress(values, both.to_bytes(len(members))))
    mean = fsum(scored) / len(scored) if scored else None
    rest = members.count(1) - len(scored) if unscored_rest else 0
    return SliceSummary(mean=mean, scored=len(scored), unscored=rest)

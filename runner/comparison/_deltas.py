"""How numbers moved between two runs, over the cases that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import fsum, isnan, nan

from runner.aggregate import percentile
from runner.comparison._columns import Columns, scored
from runner.comparison._pairing import JUDGED, Pair, Pairs
from runner.inference import FEW, drop, is_binary
from runner.model import Better, Counts, Delta, Record, Summary, memberships


def deltas(
    pairs: Pairs, summaries: Mapping[str, Summary], slices: Iterable[str]
) -> dict[str, Delta]:
    """Give how each number moved over the pairs, by its name, and within slices.

    Percentiles of a label have their own names; a name without a pair is left out.
    """
    members = _members(pairs, dict.fromkeys(slices))
    parts = {name: dict(_deltas(part, summaries)) for name, part in members.items()}
    found = {}
    for name, delta in _deltas(pairs, summaries):
        sliced = {part: each[name] for part, each in parts.items() if name in each}
        found[name] = delta.model_copy(update={"slices": sliced})
    return found


def _members(pairs: Pairs, slices: Iterable[str]) -> Mapping[str, Pairs]:
    members: dict[str, list[Pair]] = {name: [] for name in slices}
    for pair in pairs if members else ():
        for name in memberships(pair.now) & members.keys():
            members[name].append(pair)
    return members


def _deltas(
    pairs: Pairs, summaries: Mapping[str, Summary]
) -> Iterator[tuple[str, Delta]]:
    sides = [pair.now for pair in pairs], [pair.then for pair in pairs]
    found = [Columns(records) for records in sides]
    for label, summary in summaries.items():
        if label == "coverage":
            yield from _coverage(sides, found, summaries)
            continue
        rate = _OUTCOME_RATES.get(label)
        columns = (
            [[rate(each) for each in records] for records in sides]
            if rate
            else [scores.under(label) for scores in found]
        )
        now, then = scored(*columns)
        if now:
            yield label, _mean_moved(now, then, summary.better)
            yield from _percentiles_moved(label, now, then, summary.percentiles)


def _percentiles_moved(
    label: str,
    now: Sequence[float],
    then: Sequence[float],
    statistics: Collection[str],
) -> Iterator[tuple[str, Delta]]:
    if not statistics:
        return
    new, old = sorted(now), sorted(then)
    for name in statistics:
        moved = _delta(percentile(new, name), percentile(old, name), len(new))
        yield f"{label}_{name}", moved


def _mean_moved(now: Sequence[float], then: Sequence[float], better: Better) -> Delta:
    """Give how a mean moved, and what chance leaves open of it."""
    pairs = len(now)
    delta = _delta(fsum(now) / pairs, fsum(then) / pairs, pairs)
    if pairs < FEW:
        return delta
    sign = -1.0 if better == "higher" else 1.0
    found = drop(
        [sign * (new - old) for new, old in zip(now, then, strict=True)],
        binary=is_binary(now) and is_binary(then),
    )
    edges = sorted(sign * edge for edge in found.interval)
    return delta.model_copy(update={"interval": tuple(edges), "p": found.p})


def _delta(now: float, baseline: float, pairs: int) -> Delta:
    return Delta(now=now, baseline=baseline, delta=now - baseline, pairs=pairs)


_OUTCOME_RATES: Mapping[str, Callable[[Record], float]] = {
    "accuracy": lambda record: (
        float(record.outcome == "passed") if record.outcome in JUDGED else nan
    ),
    "error_rate": lambda record: float(record.outcome == "error"),
}


def _coverage(
    sides: Sequence[Sequence[Record]],
    found: Sequence[Columns],
    labels: Collection[str],
) -> Iterator[tuple[str, Delta]]:
    """Give the least coverage of a metric on either side, as the run level has it."""
    now, then = map(_least_covered, sides, found, [labels] * len(sides))
    if now is not None and then is not None:
        yield "coverage", _delta(now, then, len(sides[0]))


def _least_covered(
    records: Sequence[Record], found: Columns, labels: Iterable[str]
) -> float | None:
    failed = Counter(label for record in records for label in record.failed)
    absent = Counter(label for record in records for label in record.absent)
    counts = (
        Counts(
            scored=len(records) - sum(map(isnan, found.under(label))),
            failed=failed[label],
            absent=absent[label],
        )
        for label in labels
    )
    shares = (count.coverage for count in counts)
    return min((share for share in shares if share is not None), default=None)

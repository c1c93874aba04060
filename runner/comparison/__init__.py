"""This run beside a baseline, paired case by case: deltas, flips, comparability.

Nothing is compared that was not measured in the same way. A run pairs with another
when both read replies and judge cases alike (response mapping, match, pass marks), a
case when its question and its labels are the same, a metric when its label (name and
options), its version and, without a cutoff, its depth are. Where only the pass marks
are others, what was measured is compared, and not what came of a case. The rest is
listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import fsum, isnan, nan, sqrt
from typing import NamedTuple

from runner.aggregate import percentile
from runner.comparison._columns import Columns, scored
from runner.comparison._measured import thinner
from runner.comparison._pairing import (
    Pair,
    Pairs,
    Results,
    alike,
    numbers_alike,
    paired,
    runs_differ,
)
from runner.comparison._shifts import (
    BROKEN,
    DEPTH,
    SHIFTS,
    failing,
    moved,
    shift,
    worsened,
)
from runner.inference import FEW, detectable, drop, is_binary, mcnemar
from runner.model import (
    Better,
    Comparison,
    Counts,
    Delta,
    Outcome,
    Record,
    Summary,
    memberships,
)

__all__ = ["DEPTH", "SHIFTS", "Results", "compare", "failing", "worsened"]

_JUDGED: frozenset[Outcome] = frozenset({"passed", "failed"})


def compare(now: Results, then: Results, *, slices: Iterable[str] = ()) -> Comparison:
    """Hold a run against an earlier one, over the cases that are the same in both.

    Cases pair by id, so a question that is asked twice under two ids pairs twice. An
    id whose question or labels changed is not comparable; it is neither new nor
    removed. ``regressed`` and ``fixed`` are flips between passed and failed or error.
    A case that was judged before and is undetermined now is no flip, and is listed as
    not comparable so that it cannot slip away. A case that fails in both and first in
    another layer has moved.

    Args:
        now: The run that is judged.
        then: The baseline.
        slices: Names like ``type=policy``; each delta is given over them too.
    """
    pairs, new, removed, unpaired, changed = paired(now, then)
    whole = runs_differ(now.fingerprints, then.fingerprints)
    labels, unlike = alike(now, then)
    if whole:
        # Which cases there are does not hang on how they are judged, and what was
        # measured of them not on the pass marks.
        known = pairs if numbers_alike(now.fingerprints, then.fingerprints) else ()
        kept = {name: now.summaries[name] for name in labels if name != "accuracy"}
        return Comparison(
            pairs=0,
            new=new,
            removed=removed,
            not_comparable=(whole, *(unlike if known else ())),
            deltas=_sliced(known, kept, slices),
            commit=then.commit,
            started=then.started,
        )
    flips = _flips(pairs)
    regressed = [pair for pair in pairs if _broke(pair.then, pair.now)]
    elsewhere = [pair for pair in pairs if moved(*pair)]
    return Comparison(
        pairs=len(pairs),
        worse=flips.worse,
        better=flips.better,
        p=flips.p,
        detectable=flips.detectable,
        regressed=tuple(pair.now.id for pair in regressed),
        fixed=tuple(n.id for n, t in pairs if _broke(n, t)),
        moved=tuple(pair.now.id for pair in elsewhere),
        new=new,
        removed=removed,
        not_comparable=(*unlike, *unpaired, *_faded(pairs)),
        changed=changed,
        deltas=_sliced(
            pairs, {label: now.summaries[label] for label in labels}, slices
        ),
        thinner=thinner(pairs, now.summaries.keys() & then.summaries.keys()),
        layers=dict(Counter(t.layer for _, t in pairs if t.layer)),
        layers_now=dict(Counter(n.layer for n, _ in pairs if n.layer)),
        shifts=tuple(shift(*pair) for pair in [*regressed, *elsewhere][:SHIFTS]),
        commit=then.commit,
        started=then.started,
    )


def _broke(before: Record, after: Record) -> bool:
    return before.outcome == "passed" and after.outcome in BROKEN


class _Flips(NamedTuple):
    worse: int
    better: int
    p: float | None = None
    detectable: float | None = None


def _flips(pairs: Pairs) -> _Flips:
    """Say what chance may make of the cases that were judged on both sides."""
    both = [
        (n.outcome, t.outcome) for n, t in pairs if {n.outcome, t.outcome} <= _JUDGED
    ]
    worse = both.count(("failed", "passed"))
    better = both.count(("passed", "failed"))
    if len(both) < FEW:
        return _Flips(worse, better)
    spread = sqrt((worse + better) / len(both))
    least = detectable(spread, len(both))
    return _Flips(worse, better, mcnemar(worse, better), least)


def _faded(pairs: Pairs) -> Iterator[str]:
    for now, then in pairs:
        if now.outcome == "undetermined" and then.outcome in _JUDGED:
            yield f"{now.id}: {then.outcome} in the baseline, undetermined now"


def _sliced(
    pairs: Pairs, summaries: Mapping[str, Summary], slices: Iterable[str]
) -> dict[str, Delta]:
    """Give the delta of every name that has a pair, with those of its slices."""
    members = _members(pairs, dict.fromkeys(slices))
    parts = {name: dict(_deltas(part, summaries)) for name, part in members.items()}
    return {
        name: delta.model_copy(
            update={
                "slices": {
                    part: deltas[name]
                    for part, deltas in parts.items()
                    if name in deltas
                }
            }
        )
        for name, delta in _deltas(pairs, summaries)
    }


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
        float(record.outcome == "passed") if record.outcome in _JUDGED else nan
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

"""This run beside a baseline, paired case by case: deltas, flips, comparability.

Nothing is compared that was not measured in the same way. A run pairs with another
when both read replies and judge cases alike (response mapping, match, pass marks), a
case when its question and its labels are the same, a metric when its label (name and
options) and its version are, and without a cutoff its depth is no greater. Where only
the pass marks are others, what was measured is compared, and not what came of a case.
The rest is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from typing import NamedTuple

from runner.comparison._deltas import deltas
from runner.comparison._pairing import (
    JUDGED,
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
from runner.comparison._thinner import thinner
from runner.inference import FEW, detectable, mcnemar
from runner.model import Comparison, Record

__all__ = ["DEPTH", "SHIFTS", "Results", "compare", "failing", "worsened"]


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
            deltas=deltas(known, kept, slices),
            commit=then.commit,
            started=then.started,
        )
    regressed = [pair for pair in pairs if _broke(pair.then, pair.now)]
    elsewhere = [pair for pair in pairs if moved(*pair)]
    return Comparison(
        pairs=len(pairs),
        **_flips(pairs)._asdict(),
        regressed=tuple(pair.now.id for pair in regressed),
        fixed=tuple(n.id for n, t in pairs if _broke(n, t)),
        moved=tuple(pair.now.id for pair in elsewhere),
        new=new,
        removed=removed,
        not_comparable=(*unlike, *unpaired, *_faded(pairs)),
        changed=changed,
        deltas=deltas(pairs, {label: now.summaries[label] for label in labels}, slices),
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
    """The fields of a ``Comparison`` about cases that passed in one run alone."""

    worse: int
    better: int
    p: float | None = None
    detectable: float | None = None


def _flips(pairs: Pairs) -> _Flips:
    """Say what chance may make of the cases that were judged on both sides."""
    both = [
        (n.outcome, t.outcome) for n, t in pairs if {n.outcome, t.outcome} <= JUDGED
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
        if now.outcome == "undetermined" and then.outcome in JUDGED:
            yield f"{now.id}: {then.outcome} in the baseline, undetermined now"

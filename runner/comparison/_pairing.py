"""Which cases and metrics of two runs are the same, and what sets the others apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from runner.model import NOTHING, Outcome, Record, ServiceCause, Summary
from runner.units import count


class Results(NamedTuple):
    """A run as a comparison needs it: no texts."""

    records: Mapping[str, Record]
    """By case id, in case order."""
    summaries: Mapping[str, Summary]
    fingerprints: Mapping[str, str] = NOTHING
    commit: str | None = None
    started: str | None = None
    filters: Sequence[str] = ()
    """Set where only a part of the cases was asked."""


class Pair(NamedTuple):
    """One case, and what came of it in both runs."""

    now: Record
    then: Record


Pairs = Sequence[Pair]
JUDGED: frozenset[Outcome] = frozenset({"passed", "failed"})
_CHANGED = ("the question changed", "the labels changed")
_UNRECORDED: ServiceCause = "service.not_recorded"


class Paired(NamedTuple):
    """The cases that both runs asked alike, and what became of the others."""

    pairs: Pairs
    new: tuple[str, ...]
    removed: tuple[str, ...]
    unlike: tuple[str, ...]
    """What could not be compared, with why."""
    changed: tuple[str, ...] = ()
    """Ids of the cases whose question or labels are others."""


def paired(now: Results, then: Results) -> Paired:
    """Pair the cases of two runs by id.

    What a run did not ask, by a filter, because it was stopped or because no recording
    holds it, says nothing about the case set: the case is neither new nor removed.
    """
    new, old = _asked(now), _asked(then)
    pairs = [Pair(record, old[name]) for name, record in new.items() if name in old]
    why = {each.now.id: _differ(each) for each in pairs}
    return Paired(
        [each for each in pairs if not why[each.now.id]],
        () if then.filters else _absent(new, then),
        () if now.filters else _absent(old, now),
        (
            *(f"{name}: {what}" for name, what in why.items() if what),
            *_unasked(now, "now"),
            *_unasked(then, "in the baseline"),
        ),
        tuple(name for name, what in why.items() if what in _CHANGED),
    )


def _asked(run: Results) -> Mapping[str, Record]:
    return {
        name: record
        for name, record in run.records.items()
        if record.outcome != "not_asked" and record.cause != _UNRECORDED
    }


def _differ(both: Pair) -> str:
    """Give why a case cannot be compared; empty where it can."""
    if both.now.hash != both.then.hash:
        return _CHANGED[0]
    if both.now.labels != both.then.labels:
        return _CHANGED[1]
    if both.now.outcome == "quarantined":
        return "in quarantine now"
    in_quarantine = both.then.outcome == "quarantined"
    return "in quarantine in the baseline" if in_quarantine else ""


def _absent(here: Mapping[str, Record], there: Results) -> tuple[str, ...]:
    return tuple(name for name in here if name not in there.records)


def _unasked(run: Results, when: str) -> Iterator[str]:
    number = len(run.records) - len(_asked(run))
    if number:
        yield f"{count(number, 'case')}: not asked {when}"


def runs_differ(now: Mapping[str, str], then: Mapping[str, str]) -> str:
    """Give why outcomes of two runs cannot be compared; empty where they can.

    Where only the pass marks are others, it is about the accuracy alone.
    """
    new, old = now.get("spec", "absent"), then.get("spec", "absent")
    if new == old:
        return ""
    changed = f"changed (fingerprint {old} in the baseline, {new} now)"
    if numbers_alike(now, then):
        return f"accuracy: the pass marks that decide {changed}"
    return f"the whole run: the response mapping, match or the pass marks {changed}"


def numbers_alike(now: Mapping[str, str], then: Mapping[str, str]) -> bool:
    """Whether the scores of two runs are comparable, whatever the pass marks are."""
    return "numbers" in now and now["numbers"] == then.get("numbers")


def alike(now: Results, then: Results) -> tuple[list[str], list[str]]:
    """Give the labels measured alike in both, and for the others the reason.

    More depth than in the baseline is another measure, unless the baseline is of a part
    of the cases and has less for that alone. Less depth now is no excuse for a drop.
    """
    same, unlike = [], []
    whole_then = _is_whole(then)
    for label in dict.fromkeys((*now.summaries, *then.summaries)):
        new, old = now.summaries.get(label), then.summaries.get(label)
        if new is None or old is None:
            side = "in the baseline" if new is None else "now"
            unlike.append(f"{label}: measured only {side}")
        elif new.version != old.version:
            versions = f"version {old.version} in the baseline, {new.version} now"
            unlike.append(f"{label}: {versions}")
        elif new.judge != old.judge:
            judges = f"judged by {old.judge or 'nobody'} in the baseline"
            unlike.append(f"{label}: {judges}, by {new.judge or 'nobody'} now")
        elif _deeper(new, old) and whole_then:
            unlike.append(
                f"{label}: depth {old.depth} in the baseline, {new.depth} now"
            )
        else:
            same.append(label)
    return same, unlike


def _is_whole(run: Results) -> bool:
    return not run.filters and len(_asked(run)) == len(run.records)


def _deeper(one: Summary, other: Summary) -> bool:
    return (one.depth or 0) > (other.depth or 0)

"""What a change does to the cases: gone, labelled otherwise, or in quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from runner.cases import labels_hash
from runner.model import Case, Moved, Quarantine, YardstickChange
from runner.units import count, listed

NONE = "none"  # on the side where there is no such thing
_SHOWN = 5  # ids that a row names before it only counts


def removed(now: Sequence[Case], then: Sequence[Case]) -> Iterator[YardstickChange]:
    """Give the cases that are gone, and those that other labels judge."""
    new = {case.id: labels_hash(case) for case in now}
    gone = [case.id for case in then if case.id not in new]
    relabelled = [
        case.id for case in then if new.get(case.id, "") not in ("", labels_hash(case))
    ]
    if gone:
        total = count(len(then), "case")
        yield YardstickChange(
            what="cases",
            before=total,
            after=f"{len(gone):,} removed: {listed(gone, _SHOWN)}",
            moved="loosened",
        )
    if relabelled:
        other = count(len(relabelled), "case")
        yield YardstickChange(
            what="labels",
            before="as they were",
            after=f"other in {other}: {listed(relabelled, _SHOWN)}",
            moved="changed",
        )


def quarantines(
    now: Mapping[str, Quarantine | None], then: Mapping[str, Quarantine | None]
) -> Iterator[YardstickChange]:
    """Give the cases of both that gate no longer, for longer not, or again.

    Args:
        now: Every case with its quarantine, where one holds.
        then: The same at the base commit.
    """
    moved: dict[Moved, list[str]] = {"loosened": [], "tightened": []}
    for name, after in now.items():
        last, before = _last(after), _last(then.get(name))
        if name in then and last != before:
            moved["loosened" if last > before else "tightened"].append(name)
    for word, names in moved.items():
        if names:
            yield YardstickChange(
                what="quarantine",
                before=_until(names, then),
                after=_until(names, now),
                moved=word,
            )


def _last(held: Quarantine | None) -> date:
    return held.until if held else date.min


def _until(names: Iterable[str], held: Mapping[str, Quarantine | None]) -> str:
    days = {name: held[name] for name in names}
    if not any(days.values()):
        return NONE
    said = [f"{name} {f'until {d.until}' if d else NONE}" for name, d in days.items()]
    return listed(said, _SHOWN)

"""What a change does to the cases: gone, asked or labelled otherwise, in quarantine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import NamedTuple

from runner.model import Case, Moved, Quarantine, YardstickChange, memberships
from runner.units import count, listed
from runner.yardstick._moved import NONE, ORDER, change, presence, sets, worst

_SHOWN = 5  # ids that a row names before it only counts
_WERE = "as they were"


class _Both(NamedTuple):
    """One case, on both sides of the change."""

    now: Case
    then: Case


def cases(
    now: Sequence[Case], then: Sequence[Case], *, reads_meta: bool = False
) -> Iterator[YardstickChange]:
    """Give the cases that are gone or new, and that are asked or judged otherwise.

    Args:
        now: All of them.
        then: All at the base commit.
        reads_meta: Whether requests hold something of a case's ``meta``.
    """
    new, old = {case.id: case for case in now}, {case.id: case for case in then}
    gone = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    before = count(len(old), "case")
    yield from _named("cases", before, f"{len(gone):,} removed", gone, "loosened")
    # By their number, new cases make the others count less.
    yield from _named("cases", before, f"{len(added):,} new", added, "changed")
    both = [
        _Both(case, old[name])
        for name, case in new.items()
        if name in old and case._replace(place=None) != old[name]._replace(place=None)
    ]
    unread = _APART if reads_meta else _APART | {"meta"}
    asked = [name for name in Case._fields if name not in unread | _LABELS.keys()]
    yield from _other("questions", both, asked)
    yield from _labels(both)
    for field in ("type", "tags"):
        yield from _other(field, both, (field,))


_APART = frozenset({"id", "type", "tags", "owner", "quarantine", "place"})
"""What of a case is told on its own, or means nothing to the verdict."""


def _named(
    what: str, before: str, after: str, names: Sequence[str], moved: Moved
) -> Iterator[YardstickChange]:
    """Give the change that some cases make, named by their ids; nothing for none."""
    if names:
        yield from change(what, before, f"{after}: {listed(names, _SHOWN)}", moved)


def unasked(
    cases: Sequence[Case], now: Collection[str], then: Collection[str]
) -> Iterator[YardstickChange]:
    """Give the cases that the same filter leaves out now and did not before.

    Args:
        cases: All at the base commit.
        now: Ids of those that are left out.
        then: The same at the base commit.
    """
    out = [case.id for case in cases if case.id in now and case.id not in then]
    before = f"{count(len(cases) - len(then), 'case')} of the filter"
    yield from _named("cases", before, f"{len(out):,} left out", out, "loosened")


def _other(
    what: str, both: Iterable[_Both], fields: Sequence[str]
) -> Iterator[YardstickChange]:
    read = attrgetter(*fields)
    names = [pair.now.id for pair in both if read(pair.now) != read(pair.then)]
    after = f"other in {count(len(names), 'case')}"
    yield from _named(what, _WERE, after, names, "changed")


def _labels(both: Iterable[_Both]) -> Iterator[YardstickChange]:
    """Give the cases that labels judge otherwise, by which way their bar moved."""
    found: dict[Moved | None, list[str]] = {}
    for pair in both:
        moves = {name: label(pair) for name, label in _LABELS.items()}
        named = [_NAMES.get(name, name) for name, move in moves.items() if move]
        said = f"{pair.now.id} ({', '.join(named)})"
        found.setdefault(worst(moves.values()), []).append(said)
    for move in ORDER:
        names = found.get(move, [])
        after = f"{_HOW[move]} in {count(len(names), 'case')}"
        yield from _named("labels", _WERE, after, names, move)


_HOW: Mapping[Moved, str] = {
    "loosened": "less asked for",
    "changed": "other",
    "tightened": "more asked for",
}
_NAMES = {"qrels": "expected_doc_ids", "key_points": "must_include"}


def _present(field: str) -> Callable[[_Both], Moved | None]:
    return lambda both: presence(getattr(both.now, field), getattr(both.then, field))


def _guards(field: str) -> Callable[[_Both], Moved | None]:
    """Compare a list in which each entry is one more requirement."""
    return lambda both: sets(
        getattr(both.now, field), getattr(both.then, field), more="tightened"
    )


def _points(both: _Both) -> Moved | None:
    """Compare key points: fewer, or with more spellings, is looser."""
    new, old = ({frozenset(point) for point in case.key_points} for case in both)
    if new == old:
        return None
    if all(any(point >= other for other in old) for point in new):
        return "loosened"
    if all(any(other <= point for other in new) for point in old):
        return "tightened"
    return "changed"


def _phrases(both: _Both) -> Moved | None:
    """Compare ways to decline: more of them let more replies pass as refusals."""
    moved = sets(both.now.refusal_phrases, both.then.refusal_phrases, more="loosened")
    return moved and (moved if both.now.expect_refusal else "changed")


def _declining(both: _Both) -> Moved | None:
    same = both.now.expect_refusal == both.then.expect_refusal
    return None if same else "changed"


_LABELS: Mapping[str, Callable[[_Both], Moved | None]] = {
    "tenant": _present("tenant"),
    "canaries": _guards("canaries"),
    "forbidden_doc_ids": _guards("forbidden_doc_ids"),
    "must_not_include": _guards("must_not_include"),
    "key_points": _points,
    "qrels": _present("qrels"),
    "reference": _present("reference"),
    "anchors": _guards("anchors"),
    "intents": _guards("intents"),
    "expect_refusal": _declining,
    "refusal_phrases": _phrases,
}
"""Which way the bar of a case moves, by each field that judges its reply."""


def left(
    now: Sequence[Case], then: Sequence[Case], groups: Mapping[str, str]
) -> Iterator[YardstickChange]:
    """Give the cases that left a red line or a slice that is on both sides.

    Args:
        now: All of them.
        then: All at the base commit.
        groups: What each is called, with what it is on: ``tag=x``.
    """
    new = {case.id: memberships(case) for case in now}
    for what, group in groups.items():
        held = [case.id for case in then if group in memberships(case)]
        out = [name for name in held if name in new and group not in new[name]]
        before = count(len(held), "case")
        yield from _named(what, before, f"{len(out):,} left it", out, "loosened")


def quarantines(
    now: Mapping[str, Quarantine | None], then: Mapping[str, Quarantine | None]
) -> Iterator[YardstickChange]:
    """Give the cases whose quarantine began, ended, or was moved.

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
            yield from change(
                "quarantine", _until(names, then), _until(names, now), word
            )


def _last(held: Quarantine | None) -> date:
    return held.until if held else date.min


def _until(names: Iterable[str], held: Mapping[str, Quarantine | None]) -> str:
    days = {name: held[name] for name in names}
    if not any(days.values()):
        return NONE
    said = [f"{name} {f'until {d.until}' if d else NONE}" for name, d in days.items()]
    return listed(said, _SHOWN)

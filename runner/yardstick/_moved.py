"""Whether a requirement that moved is looser or tighter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from runner.model import Level, Moved, YardstickChange

NONE = "none"  # on the side where there is no such thing
ORDER: Sequence[Moved] = ("loosened", "changed", "tightened")


def change(
    what: str, before: str, after: str, moved: Moved | None, line: int | None = None
) -> Iterator[YardstickChange]:
    """Give the change of one thing; nothing where it did not move."""
    if moved:
        yield YardstickChange(
            what=what, before=before, after=after, moved=moved, line=line
        )


def step(now: float, then: float, *, looser_up: bool) -> Moved | None:
    """Give which way a number moved; None where it stayed."""
    difference = round(now, 9) - round(then, 9)
    if not difference:
        return None
    return "loosened" if (difference > 0) == looser_up else "tightened"


def level(now: Level, then: Level) -> Moved | None:
    """Give which way a level moved: what only warns is looser."""
    return step(now == "warn", then == "warn", looser_up=True)


def worst(moves: Iterable[Moved | None]) -> Moved | None:
    """Give the loosest of several moves; no tightening makes up for it.

    None where nothing moved.
    """
    found = {*moves}
    return next((move for move in ORDER if move in found), None)


def sets(
    now: Collection[object], then: Collection[object], *, more: Moved
) -> Moved | None:
    """Give which way a list moved in which the order means nothing.

    Args:
        now: The list.
        then: The same at the base commit.
        more: Which way it moves by what is added to it.
    """
    new, old = {*now}, {*then}
    if new == old:
        return None
    if new > old:
        return more
    if new < old:
        return "tightened" if more == "loosened" else "loosened"
    return "changed"


def presence(now: object, then: object) -> Moved | None:
    """Give which way a value moved without which nothing is judged."""
    if now == then:
        return None
    if not now:
        return "loosened"
    return "changed" if then else "tightened"

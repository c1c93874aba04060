"""Which cases are in which part of the case set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runner.aggregate import Slice
from runner.model import Case, memberships


def slices_of(cases: Sequence[Case], wanted: Iterable[str]) -> tuple[Slice, ...]:
    """Give the slices named like ``type=policy``, and one per type of the case set.

    A wanted slice that matches no case is given all the same, empty.
    """
    types = dict.fromkeys(f"type={case.type}" for case in cases if case.type)
    members = {name: bytearray(len(cases)) for name in (*wanted, *types)}
    for position, case in enumerate(cases):
        for name in members.keys() & memberships(case):
            members[name][position] = 1
    return tuple(Slice(name, bytes(mine)) for name, mine in members.items())

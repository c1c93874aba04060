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
    by_type = {name.removeprefix("type="): members[name] for name in types}
    others = members.keys() - types.keys()
    for position, case in enumerate(cases):
        if case.type:
            by_type[case.type][position] = 1
        for name in others and others & memberships(case):
            members[name][position] = 1
    return tuple(Slice(name, bytes(mine)) for name, mine in members.items())

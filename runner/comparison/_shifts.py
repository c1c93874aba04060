"""How a case changed for the worse: where it fails, and what it retrieved instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from runner.model import Outcome, RankMove, Record, Shift

BROKEN: frozenset[Outcome] = frozenset({"failed", "error"})
SHIFTS = 200  # cases of which it is told how they changed
DEPTH = 20  # ids of a case that a baseline keeps
_TOLD = 5  # ids of each kind that are told


def failing(record: Record) -> bool:
    """Whether a case fails, so that it may be worse than it was."""
    return record.outcome in BROKEN


def worsened(now: Record, then: Record) -> bool:
    """Whether a case fails, and passed in the baseline or failed in another layer."""
    return now.outcome in BROKEN and (then.outcome == "passed" or moved(now, then))


def moved(now: Record, then: Record) -> bool:
    """Whether a case fails in both runs, and first in another layer."""
    fails = {now.outcome, then.outcome} <= BROKEN
    return fails and now.layer != then.layer


def shift(now: Record, then: Record) -> Shift:
    """Give how a case failed in both runs, and how its retrieved ids changed.

    Of ids nothing is told where a run does not know them. An id beyond the depth to
    which a baseline keeps them may have come there as well.
    """
    return Shift(
        id=now.id,
        was=then.outcome,
        now=now.outcome,
        layer_before=then.layer,
        cause_before=then.cause,
        layer=now.layer,
        cause=now.cause,
        ranks=tuple(islice(_ranks(now, then), _TOLD)),
        came=tuple(islice(_came(now, then), _TOLD)),
    )


def _ranks(now: Record, then: Record) -> Iterator[RankMove]:
    """Give the relevant passages of the baseline that are gone or further down."""
    if now.retrieved is None or then.retrieved is None:
        return
    for rank in then.hits or ():
        name = then.retrieved[rank - 1] if rank <= len(then.retrieved) else None
        if name is None:
            continue
        found = _rank(name, now.retrieved)
        if found is None or found > rank:
            yield RankMove(id=name, before=rank, now=found)


def _rank(name: str, ids: Sequence[str | None]) -> int | None:
    return ids.index(name) + 1 if name in ids else None


def _came(now: Record, then: Record) -> Iterator[str]:
    if now.retrieved is not None and then.retrieved is not None:
        known = {None, *then.retrieved}
        for name in dict.fromkeys(now.retrieved[:DEPTH]):
            if name not in known and name is not None:
                yield name

"""Gates on the yardstick: that a change neither loosens it nor removes the baseline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from runner.model import GateResult, YardstickChange
from runner.units import listed

Loosened = Literal["fail", "warn", "ignore"]
_SHOWN = 3  # changes that a sentence names before it only counts


class Review(NamedTuple):
    """What a change does to the yardstick that it is held against."""

    changes: tuple[YardstickChange, ...] = ()
    """Where the spec at the base commit is known."""
    loosened: Loosened = "warn"
    """What a looser limit does to the verdict."""
    unknown: str = ""
    """Why nobody knows what the change loosens, where somebody should."""
    baseline_lost: bool = False
    """The baseline was there at the base commit, and this change removes it."""
    baseline_unread: str = ""
    """Why the baseline could not be read, whether or not there is one."""
    base: str | None = None
    """The base commit, where it is known."""
    owners: frozenset[str] | None = None
    """Accounts that a comment may call; None where nobody has said yet."""
    notices: tuple[str, ...] = ()
    """What must be known of what the run is held against."""


NO_REVIEW = Review()


def review(found: Review) -> Iterator[GateResult]:
    """Give a gate for what became looser, and one for a baseline that is gone.

    Where it is not known what became looser, that is unmeasured, as with any gate.
    """
    if found.baseline_lost:
        yield GateResult(
            metric="baseline",
            rule="baseline",
            outcome="failed",
            message="baseline: this change removes it; it was there at the base commit",
        )
    if found.unknown and found.loosened != "ignore":
        yield GateResult(
            metric="yardstick",
            rule="yardstick",
            limit=0,
            level=found.loosened,
            outcome="unmeasured",
            message=f"yardstick: {found.unknown}",
        )
    looser = [change for change in found.changes if change.moved == "loosened"]
    if looser and found.loosened != "ignore":
        said = listed([_said(change) for change in looser], _SHOWN, "; ")
        yield GateResult(
            metric="yardstick",
            rule="yardstick",
            limit=0,
            value=len(looser),
            level=found.loosened,
            line=looser[0].line,
            outcome="failed",
            message=f"yardstick: this change loosens what judges it: {said}",
        )


def _said(change: YardstickChange) -> str:
    return f"{change.what} {change.before} -> {change.after}"

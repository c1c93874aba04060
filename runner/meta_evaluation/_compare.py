"""Scores beside labels become the agreements of a calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from runner.calibration import Agreement, Flips
from runner.labels import Item
from runner.model import Better, Failed, Score


class Mark(NamedTuple):
    """From which score on the judge calls an item good."""

    value: float
    better: Better = "higher"
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    """The least and the greatest score; None where there is no bound."""

    def good(self, score: float) -> bool:
        """Whether a score is at the mark or better, compared to 1e-9."""
        over = round(score, 9) - round(self.value, 9)
        return over >= 0 if self.better == "higher" else over <= 0

    def distance(self, score: float) -> float:
        """Give how far a score is from the mark, as a share of the room on its side.

        Without a bound there it is the difference itself.
        """
        apart = abs(score - self.value)
        edge = self.bounds[score > self.value]
        room = 0.0 if edge is None else abs(edge - self.value)
        return apart / room if room else apart

    def upward(self, score: float) -> float:
        """Give a score so that more is better."""
        return score if self.better == "higher" else -score


class RatedItem(NamedTuple):
    """One item, the label of people and the score of the judge."""

    item: Item
    people: bool
    """Whether people call it good."""
    score: Score

    def differs(self, mark: Mark) -> bool:
        """Whether the judge has a score, and decides otherwise than people."""
        score = self.score
        return isinstance(score, float) and mark.good(score) != self.people


def compared(rows: Iterable[RatedItem], mark: Mark) -> Agreement:
    """Give how far judge and people agree on some items."""
    scored, failed, unscored = [], 0, 0
    for row in rows:
        if isinstance(row.score, float):
            good = mark.good(row.score)
            scored.append((mark.upward(row.score), good, row.people))
        elif isinstance(row.score, Failed):
            failed += 1
        else:
            unscored += 1
    return Agreement.of(scored, failed=failed, unscored=unscored)


def by(
    rows: Sequence[RatedItem], mark: Mark, names: Callable[[Item], Iterable[str]]
) -> Mapping[str, Agreement]:
    """Give the agreement for each name that items have, in alphabetical order."""
    groups: dict[str, list[RatedItem]] = {}
    for row in rows:
        for name in names(row.item):
            groups.setdefault(name, []).append(row)
    return {name: compared(groups[name], mark) for name in sorted(groups)}


def differing(rows: Iterable[RatedItem], mark: Mark) -> list[RatedItem]:
    """Give the items on which judge and people differ, the surest of the judge first.

    Sure is far from the mark; a tie keeps the order of the labels.
    """

    def surest(row: RatedItem) -> float:
        return -mark.distance(row.score) if isinstance(row.score, float) else 0.0

    return sorted((row for row in rows if row.differs(mark)), key=surest)


def flips(before: Sequence[Score], after: Sequence[Score], mark: Mark) -> Flips:
    """Give how often the decision changed; copies that were not made count nowhere."""
    pairs = list(zip(before, after, strict=True))
    moved = [
        (mark.good(one), mark.good(other))
        for one, other in pairs
        if isinstance(one, float) and isinstance(other, float)
    ]
    return Flips(
        items=len(moved),
        to_good=sum(then is False and now for then, now in moved),
        to_bad=sum(then and not now for then, now in moved),
        failed=sum(isinstance(other, Failed) for _, other in pairs),
    )

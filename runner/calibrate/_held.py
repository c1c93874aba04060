"""One measure is held against people: its entry, and the items that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from runner.calibrate._compare import Beside, by, compared, differing, flips
from runner.calibrate._rating import Rater
from runner.calibrate._wanted import Wanted
from runner.calibration import Entry, Flips, TaskPrint
from runner.model import Score


class Held(NamedTuple):
    """A measure beside people."""

    wanted: Wanted
    entry: Entry
    rows: Sequence[Beside]

    @property
    def differing(self) -> list[Beside]:
        """The items on which judge and people differ, the judge's surest first."""
        return differing(self.rows, self.wanted.mark)

    def with_flips(self, rater: Rater, copies: int, seed: int) -> Held:
        """Give it with how often the judge decides otherwise on changed copies.

        Args:
            rater: Asks the judge.
            copies: Of how many items they are rated; of good and bad ones alike.
            seed: Of that choice, and of the order of passages.
        """
        chosen = _chosen(self.rows, copies, seed)
        found = _flips(self.wanted, rater, chosen, seed)
        return self._replace(entry=self.entry.model_copy(update={"flips": found}))


def held(wanted: Wanted, rater: Rater, prints: Mapping[str, TaskPrint]) -> Held:
    """Give a measure beside people, without changed copies.

    Args:
        wanted: The measure, its items and its mark.
        rater: Asks the judge.
        prints: Of the judge's tasks.
    """
    scores = rater.scores(wanted.measure, [one.item for one in wanted.items])
    rows = [
        Beside(one.item, bool(one.good), score)
        for one, score in zip(wanted.items, scores, strict=True)
    ]
    metric, mark = wanted.measure.metric, wanted.mark
    entry = Entry(
        version=metric.version,
        options=dict(wanted.measure.options),
        tasks={task.name: prints[task.name] for task in metric.tasks},
        better=metric.better,
        mark=mark.value,
        mark_from=wanted.mark_from,
        whole=compared(rows, mark),
        languages=by(rows, mark, lambda item: [item.language]),
        slices=by(rows, mark, lambda item: item.slices),
    )
    return Held(wanted, entry, rows)


def _flips(
    wanted: Wanted, rater: Rater, rows: Sequence[Beside], seed: int
) -> dict[str, Flips]:
    items = [row.item for row in rows]
    before = [row.score for row in rows]

    def after(name: str) -> Sequence[Score]:
        return rater.changed(wanted.measure, items, name, seed)

    names = wanted.changes() if items else []
    return {name: flips(before, after(name), wanted.mark) for name in names}


def _chosen(rows: Sequence[Beside], copies: int, seed: int) -> list[Beside]:
    """Give so many scored items, as many that people call good as bad if there are."""

    def drawn(row: Beside) -> bytes:
        return blake2b(f"{seed}\0{row.item.key}".encode()).digest()

    scored = sorted((row for row in rows if isinstance(row.score, float)), key=drawn)
    good = [row for row in scored if row.people]
    bad = [row for row in scored if not row.people]
    few = max(copies // 2, copies - len(bad))
    return [*good[:few], *bad[: copies - min(few, len(good))]]

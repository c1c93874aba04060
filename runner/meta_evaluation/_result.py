"""How far the judge agrees with people on one measure: its entry in a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from runner.calibration import Entry, Flips, TaskFingerprint
from runner.meta_evaluation._compare import RatedItem, by, compared, differing, flips
from runner.meta_evaluation._measures import LabelledMeasure
from runner.meta_evaluation._rating import Rater
from runner.model import Score


class MeasureResult(NamedTuple):
    """The judge beside people on one measure."""

    of: LabelledMeasure
    entry: Entry
    rows: Sequence[RatedItem]

    @property
    def differing(self) -> list[RatedItem]:
        """The items on which judge and people differ, the judge's surest first."""
        return differing(self.rows, self.of.mark)

    def with_flips(self, rater: Rater, copies: int, seed: int) -> MeasureResult:
        """Give it with how often the judge decides otherwise on perturbed copies.

        Args:
            rater: Asks the judge.
            copies: Items of which copies are rated; half of them good, half bad, where
                there are as many.
            seed: Of that choice, and of the order of passages.
        """
        chosen = _balanced(self.rows, copies, seed)
        found = _flips(self.of, rater, chosen, seed)
        return self._replace(entry=self.entry.model_copy(update={"flips": found}))


def rated_measure(
    of: LabelledMeasure, rater: Rater, known: Mapping[str, TaskFingerprint]
) -> MeasureResult:
    """Rate the labelled items of a measure, without perturbed copies.

    Args:
        of: The measure, its items and its mark.
        rater: Asks the judge.
        known: The fingerprints of the judge's tasks, by name.
    """
    scores = rater.scores(of.measure, [one.item for one in of.items])
    rows = [
        RatedItem(one.item, bool(one.good), score)
        for one, score in zip(of.items, scores, strict=True)
    ]
    metric, mark = of.measure.metric, of.mark
    entry = Entry(
        version=metric.version,
        options=dict(of.measure.options),
        tasks={task.name: known[task.name] for task in metric.tasks},
        better=metric.better,
        mark=mark.value,
        mark_from=of.mark_from,
        whole=compared(rows, mark),
        languages=by(rows, mark, lambda item: [item.language]),
        slices=by(rows, mark, lambda item: item.slices),
    )
    return MeasureResult(of, entry, rows)


def _flips(
    of: LabelledMeasure, rater: Rater, rows: Sequence[RatedItem], seed: int
) -> dict[str, Flips]:
    items = [row.item for row in rows]
    before = [row.score for row in rows]

    def after(name: str) -> Sequence[Score]:
        return rater.perturbed(of.measure, items, name, seed)

    names = of.perturbations() if items else []
    return {name: flips(before, after(name), of.mark) for name in names}


def _balanced(rows: Sequence[RatedItem], copies: int, seed: int) -> list[RatedItem]:
    """Give so many scored items, as many that people call good as bad if there are."""

    def drawn(row: RatedItem) -> bytes:
        return blake2b(f"{seed}\0{row.item.key}".encode()).digest()

    scored = sorted((row for row in rows if isinstance(row.score, float)), key=drawn)
    good = [row for row in scored if row.people]
    bad = [row for row in scored if not row.people]
    few = max(copies // 2, copies - len(bad))
    return [*good[:few], *bad[: copies - min(few, len(good))]]

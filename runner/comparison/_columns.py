"""Scores of one side of the pairs, label by label, NaN where a case has none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import isnan, nan
from operator import not_, or_

from runner.model import Record, Row


class Columns:
    """The scores of some cases.

    Args:
        records: The cases; of a hundred thousand they are read as blocks where they are
            rows of one table.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        rows = [each.scores for each in records if isinstance(each.scores, Row)]
        alike = len(rows) == len(records) and len({row.table for row in rows}) == 1
        self._table = rows[0].table if alike else None
        self._numbers = [row.number for row in rows] if alike else []

    def under(self, label: str) -> list[float]:
        """Give the scores under a label, in the order of the cases."""
        if self._table is None:
            scores = (record.scores.get(label) for record in self._records)
            return [nan if each is None else each for each in scores]
        if label not in self._table.places:
            return [nan] * len(self._numbers)
        column = self._table.column(label)
        return [column[number] for number in self._numbers]


def scored(
    now: Sequence[float], then: Sequence[float]
) -> tuple[Sequence[float], Sequence[float]]:
    """Give the scores of the cases that have one on both sides."""
    gone = list(map(or_, map(isnan, now), map(isnan, then)))
    if not any(gone):
        return now, then
    there = list(map(not_, gone))
    return list(compress(now, there)), list(compress(then, there))

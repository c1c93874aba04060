"""The scores of many cases in one block of memory, a row for each."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from math import nan
from typing import Final


class Table:
    """Rows of scores under the same labels; a hundred thousand take no object each.

    Args:
        labels: In the order of the columns.
    """

    def __init__(self, labels: Collection[str]) -> None:
        self.places: Final = {label: place for place, label in enumerate(labels)}
        self._cells = array("d")

    def add(self, scores: Collection[float | None]) -> Row:
        """Keep a row of scores, None where there is none, and give it.

        Raises:
            OverflowError: A number is too large for a float.
        """
        number = len(self._cells) // max(len(self.places), 1)
        self._cells.extend([nan if each is None else each for each in scores])
        return Row(self, number)

    def column(self, label: str) -> array[float]:
        """Give the scores under a label by the number of their rows, NaN for None."""
        return self._cells[self.places[label] :: len(self.places)]

    def cell(self, number: int, label: str) -> float | None:
        """Give one score.

        Raises:
            KeyError: There is no such label.
        """
        found = self._cells[number * len(self.places) + self.places[label]]
        return found if found == found else None  # noqa: PLR0124 - NaN is not itself


class Row(Mapping[str, float | None]):
    """One case's scores by their labels."""

    __slots__ = ("number", "table")

    def __init__(self, table: Table, number: int) -> None:
        self.table = table
        self.number = number

    def __getitem__(self, label: str) -> float | None:
        """Give the score under a label."""
        return self.table.cell(self.number, label)

    def __iter__(self) -> Iterator[str]:
        """Give the labels."""
        return iter(self.table.places)

    def __len__(self) -> int:
        """Give the number of labels."""
        return len(self.table.places)

"""Keeps a value for each of the first few cases of a kind, in case order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class FirstCases(Generic[Item]):
    """Values of the first ``limit`` cases by position; offered in any order.

    Never more than ``limit`` are kept, so that memory does not grow with the run.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[int, Item] = {}

    def offer(self, position: int, make: Callable[[], Item]) -> None:
        """Keep what ``make`` gives, unless ``limit`` earlier cases are kept already.

        A later case makes room for it.
        """
        kept = self._kept
        if len(kept) >= self._limit and (last := max(kept)) > position:
            del kept[last]
        if len(kept) < self._limit:
            kept[position] = make()

    def get(self, position: int) -> Item | None:
        """Give the value of a case; None where none is kept."""
        return self._kept.get(position)

    def __len__(self) -> int:
        """Give how many are kept."""
        return len(self._kept)

    @property
    def items(self) -> tuple[Item, ...]:
        """The values, in case order."""
        return tuple(self._kept[position] for position in sorted(self._kept))

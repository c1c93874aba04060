"""The first of many, in case order, although they come in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class First(Generic[Item]):
    """Keeps what belongs to the first positions, and never more than ``limit``."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[int, Item] = {}

    def offer(self, position: int, make: Callable[[], Item]) -> None:
        """Keep what ``make`` gives, unless enough earlier ones are there."""
        kept = self._kept
        if len(kept) >= self._limit and (last := max(kept)) > position:
            del kept[last]
        if len(kept) < self._limit:
            kept[position] = make()

    def get(self, position: int) -> Item | None:
        """Give what is kept of a position."""
        return self._kept.get(position)

    def __len__(self) -> int:
        """Give how many are kept."""
        return len(self._kept)

    @property
    def items(self) -> tuple[Item, ...]:
        """What is kept, by position."""
        return tuple(self._kept[position] for position in sorted(self._kept))

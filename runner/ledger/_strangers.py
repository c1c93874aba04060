"""Ids that never meet: no expected id among those that were retrieved, in any case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.model import Case
from runner.units import count, listed

_FEW = 3  # ids of each kind in the example
_TELLING = 2  # cases; one alone may just have missed


class _Example(NamedTuple):
    position: int
    case: Case
    came: tuple[str | None, ...]


class Strangers:
    """Watches for the first meeting; a run in which there is none is read wrongly.

    Labels of another form (``doc_12`` for ``12.md#3``) look like a retrieval that finds
    nothing, and no metric can tell one from the other.
    """

    def __init__(self) -> None:
        self._met = False
        self._apart = 0
        self._first: _Example | None = None

    def see(
        self, position: int, case: Case, came: tuple[str | None, ...], *, met: bool
    ) -> None:
        """Note a labelled case, and whether any passage that came is relevant."""
        self._met = self._met or met
        if self._met:
            return
        self._apart += 1
        if self._first is None or position < self._first.position:
            self._first = _Example(position, case, came)

    def notice(self) -> str:
        """Say that ids never met, with the first example; nothing where they did."""
        if self._met or self._first is None or self._apart < _TELLING:
            return ""
        _, case, came = self._first
        return (
            f"NO EXPECTED ID EVER CAME, in {count(self._apart, 'case')}: {case.id} "
            f"expects {_ids(case.relevant)}, and {_ids(came)} came. If these name the "
            "same, mend the labels, endpoint.response.context.id or endpoint.match"
        )


def _ids(names: Sequence[str | None]) -> str:
    return listed([name or "(no id)" for name in names], _FEW)

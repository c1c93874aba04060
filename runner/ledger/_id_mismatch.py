"""Detects labels and retrieved passages whose ids match in no case of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.model import Case
from runner.units import count, listed

_FEW = 3  # ids of each kind that the notice names
_LEAST = 2  # cases; one alone may be a search that found nothing


class _Example(NamedTuple):
    """The first case, which the notice shows."""

    position: int
    case: Case
    retrieved: tuple[str | None, ...]


class IdMismatch:
    """Looks for one case in which an expected id was retrieved.

    Where there is none, labels and passages may name the same things differently
    (``doc_12`` and ``12.md#3``), and no metric can tell that from a search that finds
    nothing.
    """

    def __init__(self) -> None:
        self._any_hit = False
        self._missed = 0
        self._first: _Example | None = None

    def see(
        self,
        position: int,
        case: Case,
        retrieved: tuple[str | None, ...],
        *,
        has_hit: bool,
    ) -> None:
        """Note a labelled case, and whether any passage of its reply is relevant."""
        self._any_hit = self._any_hit or has_hit
        if self._any_hit:
            return
        self._missed += 1
        if self._first is None or position < self._first.position:
            self._first = _Example(position, case, retrieved)

    def notice(self) -> str:
        """Say that no id ever matched, with the first case; empty where one did."""
        if self._any_hit or self._first is None or self._missed < _LEAST:
            return ""
        _, case, retrieved = self._first
        return (
            f"NO EXPECTED ID EVER CAME, in {count(self._missed, 'case')}: {case.id} "
            f"expects {_ids(case.relevant)}, and {_ids(retrieved)} came. If these name "
            "the same, mend the labels, endpoint.response.context.id or endpoint.match"
        )


def _ids(names: Sequence[str | None]) -> str:
    return listed([name or "(no id)" for name in names], _FEW)

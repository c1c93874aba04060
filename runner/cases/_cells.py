"""Reads the text of a CSV or TSV cell as the JSON value that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json, to_json

from runner.errors import NAMED
from runner.units import count

_GROUPED = re.compile(r"(?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_OTHER = re.compile(r"[;；，、\n]")
_DOUBTFUL = re.compile(r"[,;；，、\n]")


def json_cell(cell: str) -> Any:
    """Give the JSON value of a cell that begins like one."""
    try:
        return from_json(cell, allow_inf_nan=False)
    except ValueError:
        raise ValueError(
            f"begins like JSON and is none: {cell[:60]!r} (lists are written "
            'as ["a", "b"], or a|b, or a, b)'
        ) from None


def names_cell(cell: str) -> Any:
    """Take a cell of ids or tags apart: at ``|`` where there is one, else at ``,``.

    What begins like JSON is read as JSON; blank parts are left out.
    """
    return json_cell(cell) if _is_json(cell) else _parts(cell)


def texts_cell(cell: str) -> Any:
    """Take a cell of texts apart as ``names_cell`` does, but no number as ``1,000``."""
    if _is_json(cell):
        return json_cell(cell)
    if "|" in cell:
        return _parts(cell)
    held = _GROUPED.sub(lambda number: number[0].replace(",", "\0"), cell)
    return [part.replace("\0", ",") for part in _parts(held)]


def _is_json(cell: str) -> bool:
    return cell.lstrip().startswith(("[", "{"))


def _parts(cell: str) -> list[str]:
    parts = cell.split("|" if "|" in cell else ",")
    return [part for raw in parts if (part := raw.strip())]


class Misread:
    """Collects cells that can be taken apart in two ways, for a notice a column."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, bool], str] = {}

    def look(self, cell: str, file: str, column: str, *, texts: bool) -> None:
        """Remember a column's first cell that is cut at commas, or not at ``;``."""
        if not _DOUBTFUL.search(cell) or "|" in cell or _is_json(cell):
            return
        if (file, column, "," in cell) in self._first:
            return
        parts = len(texts_cell(cell))
        if (texts and parts > 1) or (parts == 1 and _OTHER.search(cell.strip())):
            self._first.setdefault((file, column, parts > 1), cell.strip())

    def notices(self) -> Iterator[str]:
        """Say, once for a column, how such a cell is read and how to write it."""
        for (file, column, cut), cell in self._first.items():
            start = f"warning: {file} {column}: {_short(cell)!r} is read as"
            if cut:
                parts = texts_cell(cell)
                several, one = "|".join(parts), to_json([cell]).decode()
                yield (
                    f"{start} {count(len(parts), 'entry', 'entries')}, cut at its "
                    f"commas (write {_short(several)} for these, {_short(one)} for one)"
                )
            else:
                several = "|".join(part.strip() for part in _OTHER.split(cell))
                yield f"{start} 1 entry (write {_short(several)} for several)"


def _short(text: str) -> str:
    return text if len(text) <= NAMED else f"{text[:NAMED]}…"

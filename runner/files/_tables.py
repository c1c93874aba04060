"""CSV and TSV: one record a row, each value the text of a cell."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from runner.cases import Row
from runner.errors import InputError, Place, Problems
from runner.files._json import LINE_LIMIT

_TOLD_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
_TOLD = 20  # ragged rows that are told one by one


def table_rows(text: str, file: str, *, tabs: bool) -> Iterator[Row]:
    """Give the records under the header row; rows without any text are none.

    A ``.csv`` whose header has no comma is read with its semicolons or tabs, which
    spreadsheets write in some countries; a first line such as ``sep=;``, which they
    read, says so too. Blank cells are left out of a record.

    Raises:
        InputError: The header or the quoting is broken.
        Problems: Rows have more or fewer cells than the header.
    """
    told = _TOLD_SEPARATOR.match(text)
    separator = told[1] if told else _delimiter(text)
    lines = _lines(text, file, "\t" if tabs else separator)
    if told:
        next(lines)
    line, header = next(lines, (1, []))
    names = _names(header, Place(file, line))
    ragged: list[InputError] = []
    for line, cells in lines:
        where = Place(file, line)
        if not any(map(str.strip, cells)):
            continue
        if len(cells) < len(names) or any(map(str.strip, cells[len(names) :])):
            what = f"has {len(cells)} cells, and the header has {len(names)}"
            hint = "put a cell with a separator or a line break in it in double quotes"
            ragged.append(InputError(what, where=where, hint=hint))
            if len(ragged) == _TOLD:
                break
            continue
        pairs = zip(names, cells, strict=False)
        yield Row(
            {name: cell for name, cell in pairs if cell.strip()}, where, cells=True
        )
    if ragged:
        raise Problems(ragged)


def _delimiter(text: str) -> str:
    header = text.lstrip().split("\n", 1)[0]
    return next((char for char in ",;\t" if char in header), ",")


def _lines(text: str, file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not blank, each with the line it begins in."""
    csv.field_size_limit(LINE_LIMIT)
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        hint = 'a double quote inside quotes is written twice: ""'
        where = Place(file, line)
        raise InputError(f"is no CSV: {error}", where=where, hint=hint) from None


def _names(header: list[str], where: Place) -> list[str]:
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()
    for number, name in enumerate(names, 1):
        if not name:
            raise InputError(f"column {number} has no name", where=where)
        if names.index(name) + 1 < number:
            raise InputError(f"the column {name} stands twice", where=where)
    return names

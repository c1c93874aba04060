"""How the keys of a row map to fields of a case, decided once for each set of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from runner.cases._cells import Misread, names_cell, texts_cell
from runner.cases._fields import CANONICAL, FIELDS, POSITION, Field, near_field
from runner.errors import InputError, Place, Problems, did_you_mean

REPORTED = 100  # mistakes of one source that are told one by one


class Mistakes:
    """Everything that is wrong in one source; the first hundred in full."""

    def __init__(self) -> None:
        self.kept: list[InputError] = []
        self.count = 0
        self.of_files: set[tuple[str, str]] = set()

    def add(self, what: str, where: Place, key: str = "", hint: str = "") -> None:
        """Note a mistake at a place, or at a key below it."""
        self.count += 1
        if self.count <= REPORTED:
            path = f"{where.path}.{key}" if where.path and key else where.path or key
            where = Place(where.file, where.line, path)
            self.kept.append(InputError(what, where=where, hint=hint))

    def add_once(self, what: str, where: Place, key: str, hint: str) -> None:
        """Note a mistake that is one of a whole file's keys, however many rows."""
        if (where.file, key) not in self.of_files:
            self.of_files.add((where.file, key))
            self.add(what, where, key, hint)

    def stop(self) -> None:
        """Raise Problems if there is any."""
        if self.count > REPORTED:
            self.kept.append(InputError(f"and {self.count - REPORTED:,} more mistakes"))
        if self.kept:
            raise Problems(self.kept)


class Row(NamedTuple):
    """One record of a case file, as it was parsed."""

    data: Mapping[str, Any]
    place: Place
    cells: bool = False
    """Every value is the text of a cell; a blank cell is left out."""


class Step(NamedTuple):
    """Read one key into one field."""

    key: str
    position: int
    read: Callable[[Any], Any]


class Plan(NamedTuple):
    """What to do with every row of a file that has the same keys."""

    steps: tuple[Step, ...] = ()
    unknown: tuple[str, ...] = ()
    """Keys that are no field and go to ``meta``."""


def _declared(
    names: Mapping[str, Any], source: Place, part: str, mistakes: Mistakes
) -> Iterator[tuple[str, str]]:
    """Give each name in ``fields`` or ``defaults`` with its field."""
    seen = set()
    for name in names:
        field = CANONICAL.get(name)
        if field is None:
            hint = did_you_mean(name, CANONICAL)
            mistakes.add(
                f"{name} is no field of a case", source, f"{part}.{name}", hint
            )
        elif field in seen:
            mistakes.add(f"{field} is given twice", source, f"{part}.{name}")
        else:
            seen.add(field)
            yield name, field


def columns(
    fields: Mapping[str, str], source: Place, mistakes: Mistakes
) -> dict[str, str]:
    """Give column to field, as the spec maps them."""
    found: dict[str, str] = {}
    for name, field in _declared(fields, source, "fields", mistakes):
        if fields[name] in found:
            what = f"{fields[name]} is mapped to two fields"
            mistakes.add(what, source, f"fields.{name}")
        found[fields[name]] = field
    return found


def filled(
    values: Mapping[str, Any], source: Place, mistakes: Mistakes
) -> dict[int, Any]:
    """Give position to value for what the spec fills in."""
    found = {}
    for name, field in _declared(values, source, "defaults", mistakes):
        try:
            found[POSITION[field]] = FIELDS[field].read(values[name])
        except ValueError as error:
            mistakes.add(str(error), source, f"defaults.{name}")
    return found


def plan(
    row: Row, mapped: Mapping[str, str], mistakes: Mistakes, misread: Misread
) -> Plan:
    """Give the plan for rows with these keys, and report what is wrong in them.

    A column that the spec maps wins over one that has the field's own name, which then
    is as unknown as any other.
    """
    steps: dict[str, Step] = {}
    unknown = []
    taken = set(mapped.values())
    for key in row.data:
        field = mapped.get(key) or CANONICAL.get(key)
        if field is None and (near := near_field(key)):
            mapping = f"{{{CANONICAL[near]}: {key}}}"
            hint = f"did you mean {near}? rename it, or map it with fields: {mapping}"
            mistakes.add_once("no field has this name", row.place, key, hint)
        elif field is None or (field in taken and key not in mapped):
            unknown.append(key)
        elif field in steps:
            what = f"means {field}, and so does {steps[field].key}"
            mistakes.add(what, row.place, key, "keep one of them")
        else:
            read = _reader(FIELDS[field], row, key, misread)
            steps[field] = Step(key, POSITION[field], read)
    return Plan(tuple(steps.values()), tuple(unknown))


def _reader(field: Field, row: Row, key: str, misread: Misread) -> Callable[[Any], Any]:
    """Give what reads a key of such rows: the text of cells, or values as they are."""
    if not row.cells:
        return field.read
    file = row.place.file
    texts = field.cell is texts_cell
    if not texts and field.cell is not names_cell:
        return lambda cell: field.read(field.cell(cell))

    def read(cell: str) -> Any:
        misread.look(cell, file, key, texts=texts)
        return field.read(field.cell(cell))

    return read

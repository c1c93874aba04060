"""Reads the case files of a spec: finds them by globs, parses them by suffix."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple

from runner.cases import Row, check_unique, load, lookalikes
from runner.errors import InputError, Place, Problems, named, reason
from runner.files._globs import matching
from runner.files._json import json_rows, jsonl_rows
from runner.files._tables import table_rows
from runner.files._text import check_file, inside, name_of, near, read_text
from runner.files._yaml import YAML_LIMIT, parse_yaml
from runner.model import Case
from runner.spec import CaseSource, Spec

_FORMATS: Mapping[str, str] = {
    ".json": "json",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".csv": "commas",
    ".tsv": "tabs",
}
_LIMIT = 256 * 2**20  # bytes of one case file
_SHEETS = frozenset({".xlsx", ".xls", ".ods", ".numbers"})


def read_cases(spec: Spec, *, root: Path) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Give the cases of all sources in their order, and notices for their authors.

    Raises:
        Problems: All that is wrong in all files: a source that matches no file, a file
            without a case, wrong fields, an id that stands twice.
    """
    reading = _Reading(spec, root)
    cases: list[Case] = []
    for source in spec.cases:
        cases += reading.source(source)
    reading.stop()
    check_unique(cases)
    return tuple(cases), (*reading.notices, *lookalikes(cases))


def read_rows(path: Path, *, file: str) -> list[Row]:
    """Give the records of one case file; ``file`` is what errors call it.

    Raises:
        InputError: It cannot be read, or its ending is none of the known.
    """
    return list(_rows(path, file).rows)


class _Rows(NamedTuple):
    rows: Iterator[Row]
    encoding: str


def _rows(path: Path, file: str) -> _Rows:
    check_file(path, file)
    ending = path.suffix.lower()
    kind = _FORMATS.get(ending)
    if kind is None:
        hint = "save the sheet as CSV UTF-8" if ending in _SHEETS else ""
        known = ", ".join(_FORMATS)
        what = f"a case file ends in {known}"
        raise InputError(what, where=Place(file), hint=hint)
    limit = YAML_LIMIT if kind == "yaml" else _LIMIT
    text, encoding = read_text(path, file=file, limit=limit)
    return _Rows(_parse(text, file, kind), encoding)


def _parse(text: str, file: str, kind: str) -> Iterator[Row]:
    if not text or text.isspace():
        raise InputError("is empty", where=Place(file))
    if kind == "json":
        return json_rows(text, file)
    if kind == "lines":
        return jsonl_rows(text, file)
    if kind == "yaml":
        return _yaml_rows(text, file)
    return table_rows(text, file, tabs=kind == "tabs")


def _yaml_rows(text: str, file: str) -> Iterator[Row]:
    document = parse_yaml(text, file, depth=2)
    data: Any = document.data
    path: tuple[str, ...] = ()
    if isinstance(data, dict):
        lists = [key for key, value in data.items() if _holds_records(value)]
        if len(lists) != 1:
            found = (
                f"lists of cases: {', '.join(lists)}" if lists else "no list of cases"
            )
            raise InputError(f"holds {found}", where=Place(file), hint="keep one list")
        path, data = (lists[0],), data[lists[0]]
    if not isinstance(data, list):
        raise InputError("holds no list of cases", where=Place(file))
    for index, record in enumerate(data):
        where = Place(file, document.lines.get((*path, index)))
        if not isinstance(record, dict):
            raise InputError("a case is a mapping of fields", where=where)
        yield Row(record, where)


def _holds_records(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


class _Reading:
    """The files of one spec that were read, and everything that was wrong."""

    def __init__(self, spec: Spec, root: Path) -> None:
        self.spec = spec
        self.root = Path(os.path.realpath(root))
        self.folder = (self.root / spec.file).parent
        self.problems: list[InputError] = []
        self.notices: list[str] = []
        self.read: set[Path] = set()

    def source(self, source: CaseSource) -> Sequence[Case]:
        """Give the cases of one source, or none of them where something was wrong."""
        where = source.place or Place(self.spec.file)
        try:
            loaded = load(
                self.rows(self.files(source.path, where), where),
                fields=source.fields,
                defaults=source.defaults,
                source=where,
            )
        except InputError as found:
            self.problems += found
            return ()
        self.notices += loaded.notices
        return loaded.cases

    def files(self, pattern: str, where: Place) -> list[Path]:
        """Give the files that a path or glob matches, by name."""
        base = self.root if pattern.startswith("/") else self.folder
        whole = Path(os.path.normpath(base / pattern.lstrip("/")))
        if not whole.is_relative_to(self.root):
            hint = "only files in the workspace are read"
            raise InputError(
                f"{pattern} leads out of the workspace", where=where, hint=hint
            )
        try:
            whole.stat()
        except PermissionError as error:
            what = f"{pattern} cannot be read: {reason(error)}"
            raise InputError(what, where=where) from None
        except (OSError, ValueError):  # so is too long a name
            pass
        else:
            return [whole]
        if not has_magic(pattern):
            what = f"{named(pattern)} is not there"
            raise InputError(what, where=where, hint=near(whole))
        try:
            found = matching(str(whole.relative_to(self.root)), self.root)
        except ValueError as error:
            raise InputError(f"{pattern}: {error}", where=where) from None
        files = [path for path in found if path.name[0] != "."]
        if not files:
            raise InputError(f"no file matches {named(pattern)}", where=where)
        return files

    def rows(self, files: list[Path], where: Place) -> Iterator[Row]:
        """Give the records of some files; a broken one does not end the reading."""
        for path in files:
            count = 0
            try:
                for row in self.of_file(path, where):
                    count += 1
                    yield row
            except InputError as found:
                self.problems += found
            else:
                if not count:
                    file = name_of(path, self.root)
                    self.problems.append(InputError("holds no case", where=Place(file)))

    def of_file(self, path: Path, where: Place) -> Iterator[Row]:
        """Give the records of one file; a file that is named twice is an error."""
        real = inside(path, self.root)
        file = name_of(path, self.root)
        if real in self.read:
            raise InputError(f"{file} is named twice", where=where)
        self.read.add(real)
        rows, encoding = _rows(real, file)
        if encoding == "gb18030":
            self.notices.append(f"{file}: read as GB18030, as it is not UTF-8")
        return rows

    def stop(self) -> None:
        """Raise all problems, if there are any."""
        if self.problems:
            raise Problems(sorted(self.problems, key=_place))


def _place(problem: InputError) -> tuple[str, int]:
    where = problem.where or Place("")
    return where.file, where.line or 0

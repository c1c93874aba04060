"""The only module that reads YAML, JSON, JSON Lines and CSV; keeps line numbers."""

from __future__ import annotations

import csv
import glob
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic_core import from_json

from runner.cases import Row, check_unique, load
from runner.errors import Document, InputError, Place
from runner.model import Case
from runner.spec import Spec


def read_document(path: Path, *, root: Path) -> Document:
    """Give a YAML file with the line of every key."""
    where = path.resolve().relative_to(root.resolve()).as_posix()
    text = path.read_text(encoding="utf-8")
    lines: dict[tuple[str | int, ...], int] = {}

    def walk(node: Any, at: tuple[str | int, ...]) -> None:
        lines.setdefault(at, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                lines[(*at, key.value)] = key.start_mark.line + 1
                walk(value, (*at, key.value))
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                walk(value, (*at, number))

    walk(yaml.compose(text, yaml.CSafeLoader), ())
    return Document(yaml.load(text, yaml.CSafeLoader), lines, where)


def read_cases(spec: Spec, *, root: Path) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Give the cases of all sources in order, and what their authors should know."""
    cases: list[Case] = []
    notices: list[str] = []
    folder = (root / spec.file).parent
    for source in spec.cases:
        base = root if source.path.startswith("/") else folder
        found = sorted(glob.glob(str(base / source.path.lstrip("/")), recursive=True))
        if not found:
            raise InputError(
                f"no case file matches {source.path}",
                where=Place(spec.file, source.line),
            )
        for name in found:
            file = Path(name).resolve().relative_to(root.resolve()).as_posix()
            loaded = load(
                read_rows(Path(name), file=file),
                fields=source.fields,
                defaults=source.defaults,
            )
            cases += loaded.cases
            notices += loaded.notices
    check_unique(cases)
    return tuple(cases), tuple(notices)


def read_rows(path: Path, *, file: str) -> list[Row]:
    """Give the records of one case file."""
    if path.suffix in {".csv", ".tsv"}:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(
                stream, delimiter="\t" if path.suffix == ".tsv" else ","
            )
            return [
                Row(
                    {k: v for k, v in r.items() if v},
                    Place(file, reader.line_num),
                    True,
                )
                for r in reader
            ]
    if path.suffix == ".jsonl":
        return [Row(data, Place(file, line)) for line, data in read_jsonl(path)]
    text = path.read_text(encoding="utf-8-sig")
    data = (
        json.loads(text)
        if path.suffix == ".json"
        else yaml.load(text, yaml.CSafeLoader)
    )
    if isinstance(data, dict):
        data = next(value for value in data.values() if isinstance(value, list))
    return [Row(entry, Place(file)) for entry in data]


def read_jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    """Give line number and value of each line that is not blank."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                try:
                    yield (
                        number,
                        from_json(line, allow_inf_nan=False, cache_strings="keys"),
                    )
                except ValueError as error:
                    where = Place(path.name, number)
                    raise InputError(f"is no JSON: {error}", where=where) from None

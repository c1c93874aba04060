"""The reference page of the spec, from its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from runner.cases import FIELDS
from runner.docs._table import table
from runner.spec import DEFAULT_MARKS


class _Row(NamedTuple):
    key: str
    default: str
    meaning: str


def spec_page(schema: Mapping[str, Any]) -> str:
    """Give every key of a spec: its default, and what it means."""
    parts, keys = ["# The spec", _SPEC], _Keys(schema)
    for key, part in schema["properties"].items():
        rows = [_key_row(key, part, required=key in schema["required"])]
        rows += keys.rows(key, part)
        parts += [f"## {key}", table(("Key", "When left out", "Meaning"), rows)]
    parts += ["# A case", _CASE, cases_table()]
    return "\n\n".join(parts) + "\n"


_SPEC = """\
Every key that a spec may hold; any other is an error. `NAME` stands for a metric or a
name over the run, as in [the metrics](metrics.md), `SLICE` for a part of the cases such
as `type=fact`, and `[]` for each entry of a list, which may stand alone where it is the
only one. The same for editors: [spec.schema.json](../schema/spec.schema.json)."""
_CASE = """\
The fields of a record in a case file; what is nearly a field's name is an error, any
other key goes to `meta` with one notice. How files, lists in a sheet, key points and
refusals are written: [case files](cases.md)."""


class _Keys:
    """The keys of a schema; those that stand in several places are told in one."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._declared = schema["$defs"]
        self._home: dict[str, str] = {}
        below = list(schema["properties"].items())
        while below:  # level by level: the place nearest to the top
            found = [each for path, part in below for each in self._nested(path, part)]
            below = []
            for path, name in found:
                if self._home.setdefault(name, path) == path:
                    below += self._inner(path, name)

    def rows(self, path: str, part: Mapping[str, Any]) -> Iterator[_Row]:
        """Give the keys below one: first all that stand in it, then what these hold."""
        for place, name in self._nested(path, part):
            if self._home[name] != place:
                continue
            required = self._declared[name].get("required", ())
            inner = self._inner(place, name)
            for key, each in inner:
                is_needed = key.rpartition(".")[2] in required
                row = _key_row(key, each, required=is_needed)
                yield row._replace(meaning=row.meaning + self._elsewhere(key, each))
            for key, each in inner:
                yield from self.rows(key, each)

    def _elsewhere(self, path: str, part: Mapping[str, Any]) -> str:
        """Say where the keys are told that a key holds, if not below it."""
        homes = [self._home[name] for place, name in self._nested(path, part)]
        elsewhere = [home for home in homes if not home.startswith(path)]
        return f" Its keys are those of `{elsewhere[0]}`." if elsewhere else ""

    def _nested(self, path: str, part: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for reference, suffix in {to: suffix for suffix, to in _below(part)}.items():
            yield f"{path}{suffix}", reference.rpartition("/")[2]

    def _inner(self, path: str, name: str) -> list[tuple[str, Mapping[str, Any]]]:
        properties = self._declared[name].get("properties", {})
        return [(f"{path}.{key}", each) for key, each in properties.items()]


def _below(part: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a key holds: how to write it, and the reference to it."""
    if "$ref" in part:
        yield "", part["$ref"]
    for choice in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from _below(choice)
    if "items" in part:
        yield from ((f"[]{suffix}", to) for suffix, to in _below(part["items"]))
    for written, inner in (
        (".NAME", next(iter(part.get("patternProperties", {}).values()), None)),
        (".SLICE", part.get("additionalProperties")),
    ):
        if isinstance(inner, Mapping):
            yield from ((f"{written}{suffix}", to) for suffix, to in _below(inner))


def _key_row(path: str, part: Mapping[str, Any], *, required: bool) -> _Row:
    default = "required" if required else _default(part.get("default"), part)
    if path == "pass":
        marks = (f"`{name}: {mark:g}`" for name, mark in DEFAULT_MARKS.items())
        default = ", ".join(marks)
    return _Row(f"`{path}`", default, part.get("description", ""))


def _default(value: Any, part: Mapping[str, Any]) -> str:
    choices = (part, *part.get("anyOf", ()))
    patterns = [choice.get("pattern", "") for choice in choices]
    if value in (None, [], {}):
        return "-" if value is None else "none"
    if isinstance(value, dict):
        return "as below"
    if isinstance(value, list):
        return ", ".join(f"`{entry}`" for entry in value)
    if any("i?B" in pattern for pattern in patterns):
        return f"`{value // 2**20}MiB`"
    if any("ms|s" in pattern and "%" not in pattern for pattern in patterns):
        return f"`{value:g}s`"
    return f"`{value}`"


def cases_table() -> str:
    """Give the fields of a case, with the other names that are accepted."""
    rows = (
        (f"`{name}`", field.meaning, ", ".join(f"`{alias}`" for alias in field.aliases))
        for name, field in FIELDS.items()
    )
    return table(("Field", "Meaning", "Also accepted as"), rows)

"""The reference page of the spec, from its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runner.cases import FIELDS
from runner.docs._table import table
from runner.spec import DEFAULT_MARKS


def spec_page(schema: Mapping[str, Any]) -> str:
    """Give every key of a spec: its default, and what it means."""
    parts = ["# The spec", _SPEC]
    for key, part in schema["properties"].items():
        rows = [_key_row(key, part, required=key in schema["required"])]
        rows += _key_rows(schema, part, key)
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


def _key_rows(
    schema: Mapping[str, Any], part: Mapping[str, Any], path: str
) -> Iterator[tuple[str, str, str]]:
    below = {reference: suffix for suffix, reference in _below(part)}
    for reference, suffix in below.items():
        declared = schema["$defs"][reference.rpartition("/")[2]]
        for key, inner in declared["properties"].items():
            inner_path = f"{path}{suffix}.{key}"
            yield _key_row(
                inner_path, inner, required=key in declared.get("required", ())
            )
            yield from _key_rows(schema, inner, inner_path)


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


def _key_row(
    path: str, part: Mapping[str, Any], *, required: bool
) -> tuple[str, str, str]:
    default = "required" if required else _default(part.get("default"), part)
    if path == "pass":
        marks = (f"`{name}: {mark:g}`" for name, mark in DEFAULT_MARKS.items())
        default = ", ".join(marks)
    return f"`{path}`", default, part.get("description", "")


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

"""Turns the errors of pydantic into messages of our own, each at a key path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from runner.errors import KeyPath, did_you_mean, kind_of
from runner.spec._part import Part
from runner.units import plain


class Mistake(NamedTuple):
    """One thing that is wrong in the file, at a key path."""

    path: KeyPath
    what: str
    hint: str = ""


def mistakes(
    error: ValidationError, model: type[BaseModel], data: Any
) -> Iterator[Mistake]:
    """Give everything that is wrong in ``data``, which ``model`` did not accept."""
    spoilt: set[KeyPath] = set()
    for found in error.errors(include_url=False):
        owner = _owner(model, found["loc"])
        path = _in_file(found["loc"], data, found["type"])
        if found["type"] == "too_short" and path in spoilt:
            continue  # pydantic counts only what is right in a list
        spoilt.update(path[:length] for length in range(len(path) + 1))
        yield Mistake(path, *_sentence(found, owner, path))


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """Give the keys that a mapping of the file may have, with their fields."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _owner(model: type[BaseModel], loc: KeyPath) -> type[BaseModel]:
    """Give the model of the mapping that the last element of a location is in."""
    for step in loc[:-1]:
        field = keys_of(model).get(str(step))
        model = (field and _inner(field.annotation)) or model
    return model


def _inner(annotation: Any) -> type[BaseModel] | None:
    """Give the model somewhere inside a type hint."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_inner, get_args(annotation))), None)


def _in_file(loc: KeyPath, data: Any, kind: str) -> KeyPath:
    """Leave out steps that are no keys of the file, such as the members of a union."""
    path: list[str | int] = []
    for step in loc:
        if isinstance(data, Mapping) and step in data:
            data = data[str(step)]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        elif kind != "missing" or step != loc[-1]:
            continue
        path.append(step)
    return tuple(path)


def _sentence(
    found: Mapping[str, Any], owner: type[BaseModel], path: KeyPath
) -> tuple[str, str]:
    kind, value = found["type"], found["input"]
    context = found.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(owner, str(path[-1]) if path else "")
    if kind == "missing":
        return "is missing", ""
    if kind == "value_error":
        return str(context["error"]), ""
    if kind == "literal_error":
        allowed = [option.strip("'") for option in _options(context["expected"])]
        what = f"is {kind_of(value)}, and may be {', '.join(allowed)}"
        return what, did_you_mean(str(value), allowed)
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, and is {kind_of(value)}", _remedy(
            kind, value, owner
        )
    return _bound(kind, context, value) or str(found["msg"]), ""


_WANTED: Mapping[str, str] = {
    "string_type": "text",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "mapping_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
}
_SIGNS = {">": ("min",), "≥": ("min",), "<": ("max",), "≤": ("max",)}
_LIMIT = re.compile(r"\s*([<>≥≤]?=?)\s*([0-9.]+\s*(?:%|ms|s|m|min|h)?)\s*")
_BOUNDS: Mapping[str, str] = {
    "ge": "at least",
    "gt": "more than",
    "le": "at most",
    "lt": "less than",
}


def _options(expected: str) -> list[str]:
    return expected.replace(" or ", ", ").split(", ")


def _remedy(kind: str, value: object, owner: type[BaseModel]) -> str:
    if kind == "model_type" and "min" in keys_of(owner):
        return _as_limit(value)
    if kind in {"tuple_type", "list_type"}:
        return "put it in [ ]" if isinstance(value, str | Mapping) else ""
    plain_word = isinstance(value, bool | int | float)
    return "put it in quotes" if kind == "string_type" and plain_word else ""


def _as_limit(value: object) -> str:
    """Give how to write a limit that came as a number, or a sign and a number."""
    matched = _LIMIT.fullmatch(str(value))
    if not matched:
        return "write {min: 0.8}"
    sign, number = matched.groups()
    rules = _SIGNS.get(sign[:1], ("min", "max"))
    return "write " + " or ".join(f"{{{rule}: {number}}}" for rule in rules)


def _bound(kind: str, context: Mapping[str, Any], value: object) -> str | None:
    if kind in {"too_short", "string_too_short"}:
        return "is empty"
    for name, words in _BOUNDS.items():
        if name in context:
            return f"must be {words} {plain(context[name])}, and is {kind_of(value)}"
    return None


def _unknown(owner: type[BaseModel], key: str) -> tuple[str, str]:
    if issubclass(owner, Part) and key in owner.later:
        return f"not yet: {key} is planned", "leave it out until it is built"
    fields = keys_of(owner)
    for name, field in fields.items():
        inner = _inner(field.annotation)
        if inner and key in keys_of(inner):
            return "unknown key", f"it belongs in {name}"
    known = list(fields)
    return "unknown key", did_you_mean(key, known) or f"known: {', '.join(known)}"

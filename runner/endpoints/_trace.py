"""Shows what each expression of a mapping finds in one reply, for ``probe``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from runner.endpoints._expressions import find_by
from runner.endpoints._values import described, is_stream, nearest, streams_in
from runner.errors import InputError
from runner.model import Passage
from runner.spec import CitationMap, ResponseMap
from runner.templating import Locate

_OF_REPLY = (
    *("error", "answer", "contexts", "citations", "refused", "usage", "session"),
)
_EMPTY: Mapping[str, Any] = {"answer": "", "contexts": []}
"""What expressions over a stream give where no event matches."""

_NEEDED = frozenset({"answer", "contexts", "context.id", "context.text"})


class Match(NamedTuple):
    """One expression of a mapping, and what it matches in a reply."""

    key: str
    """Below ``endpoint.response``."""
    path: str
    value: Any = None
    """Of a key of ``context``, the values in all passages that have one."""
    problem: InputError | None = None
    """The mistake, where a needed value is missing."""


def trace(spec: ResponseMap, reply: Any, place: Locate) -> list[Match]:
    """Give what each expression of a mapping finds, in the order of the spec.

    Never raises for what the reply holds: an expression that cannot take it has a
    problem. Needed are the answer, the passages, their id and text, and what else of a
    passage the spec names itself; the rest may be silent in one reply.
    """
    found = [*_of_reply(spec, reply, place)]
    entries = next((each.value for each in found if each.key == "contexts"), None)
    if isinstance(entries, list) and entries:
        found += _of_passages(spec, entries, place)
    return found


def _of_reply(spec: ResponseMap, reply: Any, place: Locate) -> Iterator[Match]:
    for key in _OF_REPLY:
        written = getattr(spec, key)
        path = written.path if isinstance(written, CitationMap) else written
        if path is not None:
            keys = (key, "path") if isinstance(written, CitationMap) else (key,)
            yield _match(keys, path, reply, place)


def _of_passages(spec: ResponseMap, entries: list[Any], place: Locate) -> list[Match]:
    made = []
    for field in Passage._fields:
        path = getattr(spec.context, field)
        if path is None:
            continue
        each = [_match(("context", field), path, entry, place) for entry in entries]
        values = [found.value for found in each if found.value is not None]
        problem = each[0].problem
        if values or not (
            f"context.{field}" in _NEEDED or field in spec.context.model_fields_set
        ):
            problem = None
        made.append(Match(f"context.{field}", path, values or None, problem))
    return made


def _match(keys: tuple[str, ...], path: str, value: Any, place: Locate) -> Match:
    where = place("endpoint", "response", *keys)
    name = ".".join(keys)
    try:
        found = find_by(path, where)(value)
    except InputError as error:
        return Match(name, path, problem=error)
    empty = found is None or (
        (is_stream(value) or streams_in(value)) and found == _EMPTY.get(name)
    )
    if not empty or (keys[0] != "context" and name not in _NEEDED):
        return Match(name, path, found)
    what = "passage" if keys[0] == "context" else "reply"
    hints = (nearest(path, value), f"or write {keys[-1]}: null if it is not shown")
    problem = InputError(
        f"`{path}` finds nothing; {described(value, what)}",
        where=where,
        hint="; ".join(filter(None, hints)),
    )
    return Match(name, path, found, problem)

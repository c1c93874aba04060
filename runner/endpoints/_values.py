"""Checks values of a reply, and describes a reply in messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from sys import float_info
from typing import Any

from runner.errors import did_you_mean
from runner.text.shorten import excerpt

_KEYS_SHOWN = 12
_EVENTS_SEEN = 1000
_PATH_SHOWN = 60  # characters
_KINDS = {str: "a string", bool: "a boolean", dict: "an object", list: "a list"}


class Malformed(Exception):
    """A reply does not hold what the mapping says; becomes a ``Failure``."""


def kind(value: Any) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")


def word(value: Any, key: str) -> str | None:
    """Convert an id to a string; null becomes None.

    Raises:
        Malformed: It is a boolean, a fraction, a list or an object.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Malformed(f"{key} is {kind(value)} ({excerpt(value)}), not a string")


def number(value: Any) -> float | None:
    """Convert a number to a float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < float_info.max else None


def described(reply: Any, what: str = "reply") -> str:
    """Describe a reply by its keys, for messages.

    Of a stream, which kinds of events came.
    """
    if is_stream(reply):
        return _outline(reply["events"])
    if streams := streams_in(reply):
        rest = {name: value for name, value in reply.items() if name not in streams}
        told = [f"in {name} {_outline(reply[name]['events'])}" for name in streams]
        return "; ".join([*([described(rest)] if rest else []), *told])
    if not isinstance(reply, dict):
        return f"the {what} is {kind(reply)}"
    leaves = _leaves(reply)
    keys = [excerpt(path, _PATH_SHOWN) for path in islice(leaves, _KEYS_SHOWN + 1)]
    if len(keys) > _KEYS_SHOWN:
        keys[-1] = "..."
    return f"the {what} has the keys {', '.join(keys) or '(none)'}"


def is_stream(value: Any) -> bool:
    """Whether a value is what a streamed reply is collected into."""
    return isinstance(value, dict) and value.keys() == {"events"}


def streams_in(reply: Any) -> list[str]:
    """Give the names of the steps that streamed; nothing where there are no steps."""
    if not isinstance(reply, dict):
        return []
    return [name for name, value in reply.items() if is_stream(value)]


def _outline(events: list[Any]) -> str:
    """Describe events by their names and keys."""
    kinds = dict.fromkeys(islice(map(_shape, events), _EVENTS_SEEN))
    shown = list(islice(kinds, _KEYS_SHOWN))
    more = ["..."] if len(kinds) > len(shown) else []
    return f"the events hold {'; '.join([*shown, *more]) or '(nothing)'}"


def _shape(event: Any) -> str:
    name, data = event["event"], event["data"]
    words = [f"event {excerpt(name, _PATH_SHOWN)!r}"] if name else []
    if not isinstance(data, dict):
        return " ".join([*words, f"data {excerpt(data, _PATH_SHOWN)!r}"])
    words += [
        f"data.{key} {excerpt(data[key], _PATH_SHOWN)!r}"
        for key in ("event", "type")  # what servers name their events by
        if isinstance(data.get(key), str)
    ]
    paths = [f"data.{path}" for path in islice(_leaves(data), _KEYS_SHOWN)]
    return f"{' '.join(words)}: {', '.join(paths)}".removeprefix(": ")


def nearest(path: str, reply: Any) -> str:
    """Give a path in the reply that a wrong path may have meant, as a hint.

    >>> nearest("answer", {"data": {"answer": "yes"}})
    'did you mean data.answer?'
    """
    last = path.rpartition(".")[2]
    paths = [*islice(_paths(reply), 200)]
    for known in paths:
        if known != path and known.rpartition(".")[2] == last:
            return f"did you mean {known}?"
    return did_you_mean(path, [known for known in paths if known != path])


def _leaves(value: Any, prefix: str = "", depth: int = 4) -> Iterator[str]:
    """Give the path of each value that is no object, as the mapping writes it.

    Of a list of objects its own path comes, and those within its first entry.
    """
    for key, item in value.items():
        plain = key.isidentifier() and key.isascii()
        path = prefix + (key if plain else json.dumps(key, ensure_ascii=False))
        first = item[0] if isinstance(item, list) and item else None
        if isinstance(item, dict) and item and depth:
            yield from _leaves(item, f"{path}.", depth - 1)
            continue
        yield path
        if isinstance(first, dict) and depth:
            yield from _leaves(first, f"{path}[0].", depth - 1)


def _paths(value: Any, prefix: str = "", depth: int = 3) -> Iterator[str]:
    if not isinstance(value, dict) or not depth:
        return
    for key, item in islice(value.items(), 50):
        if isinstance(key, str) and key.isidentifier():
            yield f"{prefix}{key}"
            yield from _paths(item, f"{prefix}{key}.", depth - 1)
            if isinstance(item, list) and item:
                yield from _paths(item[0], f"{prefix}{key}[0].", depth - 1)

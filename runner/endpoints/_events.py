"""Bytes of a streamed reply become events, by the framing that the spec names.

The lines and fields of ``sse`` are those of the HTML standard, section 9.2; ``ndjson``
is a JSON value a line, ``prefixed`` a key, a colon and a JSON value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic_core import from_json

_BOM = b"\xef\xbb\xbf"
_END = re.compile(rb"\r\n|\r|\n")
_KEY = re.compile(rb"\s*([\w-]+):")
_STRUCTURED = ("{", "[", '"')
_TORN = re.compile(rb'\s*(?:\{|"|\[\s*[{"\[])')


class Event(NamedTuple):
    """One event as it was sent."""

    name: bytes
    """Empty where it has none."""
    data: bytes


class Lines:
    """Splits bytes at line ends, however they are cut into pieces."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_return = False
        self._first = True

    def split(self, piece: bytes) -> Iterator[bytes]:
        """Give the lines that a piece ends, without their ends."""
        if self._after_return and piece:
            piece = piece.removeprefix(b"\n")  # the second half of a line's end
            self._after_return = False
        *ended, rest = _END.split(piece)
        for line in ended:
            self._rest += line
            yield self._take_line()
        self._rest += rest
        self._after_return = self._after_return or piece.endswith(b"\r")

    def last(self) -> bytes:
        """Give what came after the last line end."""
        return self._take_line()

    def _take_line(self) -> bytes:
        line = bytes(self._rest)
        self._rest.clear()
        if self._first:
            self._first = False
            return line.removeprefix(_BOM)
        return line


class Sse:
    """Server-sent events: fields, ended by a blank line.

    Comments and unknown fields are nothing, and what has no data is no event.
    """

    def __init__(self) -> None:
        self._name = b""
        self._data: list[bytes] = []

    def line(self, line: bytes) -> Event | None:
        """Take a line; give the event that it ends."""
        if not line:
            return self.end()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value
        return None

    def end(self) -> Event | None:
        """Give the event whose blank line is missing at the end of the body."""
        name, data = self._name, self._data
        self._name, self._data = b"", []
        return Event(name, b"\n".join(data)) if data else None


class Ndjson:
    """A value a line; blank lines are none."""

    def line(self, line: bytes) -> Event | None:
        """Give the event that a line is."""
        return Event(b"", line) if line.strip() else None

    def end(self) -> None:
        """Give nothing: no event is longer than its line."""


class Prefixed(Ndjson):
    """A key, a colon and a value a line; a line without key has no name."""

    def line(self, line: bytes) -> Event | None:
        """Give the event that a line is."""
        found = _KEY.match(line)
        return Event(found[1], line[found.end() :]) if found else super().line(line)


FRAMINGS: Mapping[str, type[Sse | Ndjson]] = {
    "sse": Sse,
    "ndjson": Ndjson,
    "prefixed": Prefixed,
}


def together(events: Iterable[Event]) -> dict[str, Any]:
    """Give all events as the one value that expressions read."""
    return {
        "events": [
            {"event": name.decode(errors="replace") or None, "data": value(data)}
            for name, data in events
        ]
    }


def value(data: bytes) -> Any:
    """Give what the data of an event says: JSON, else the text as it is.

    A number, true or false alone stays text: who streams plain words sends ``30`` as
    one, and its spaces count. NaN and infinity become null, and half of a surrogate
    pair a question mark: servers do send them.
    """
    text = data.decode(errors="replace")
    try:
        found = from_json(data, allow_inf_nan=False)
    except ValueError:
        return _repair(text) if text.lstrip().startswith(_STRUCTURED) else text
    return text if isinstance(found, int | float) else found


def torn(data: bytes) -> bool:
    """Whether data begins as JSON and is none: it was cut off."""
    if not _TORN.match(data):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return True
    return False


def _repair(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        found = json.loads(text, parse_constant=lambda _: None)
        plain = json.dumps(found, ensure_ascii=False, allow_nan=False)
        return from_json(plain.encode(errors="replace"))
    return text

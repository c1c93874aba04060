"""A JSON scanner that reads value after value and knows the line of each."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from runner.cases import Row
from runner.errors import InputError, Place

_DEPTH = 100
_DIGITS = 1000
_SPACE = re.compile(r"[ \t\r\n]*")
_RECORDS = re.compile(r"\[[ \t\r\n]*[{\]]")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice} stands twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value in JSON")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


_decoder = json.JSONDecoder(
    object_pairs_hook=_no_repeats,
    parse_constant=_no_number,
    parse_int=_integer,
    parse_float=_finite,
)


def plain(line: str) -> dict[str, Any] | None:
    """Give the object in a line by a fast path; None where the scanner is needed.

    The scanner reads any line, at three times the price.
    """
    if not line.startswith("{") or line.count("[") + line.count("{") > _DEPTH:
        return None
    record: dict[str, Any]
    try:
        record, end = _decoder.raw_decode(line)
    except (ValueError, RecursionError):
        return None
    if line[end:].strip(" \t\r") or _SURROGATE.search(line):
        return None
    return record


class Scanner:
    """A position in JSON text, with its line."""

    def __init__(self, text: str, file: str, line: int) -> None:
        self.text = text
        self.file = file
        self.at = 0
        self.line = line

    def move(self, to: int) -> None:
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def next(self) -> str:
        """Give the next character that is no space, or nothing at the end."""
        found = _SPACE.match(self.text, self.at)
        self.move(found.end() if found else self.at)
        return self.text[self.at : self.at + 1]

    def take(self, char: str) -> None:
        """Read a character that must be next."""
        if self.next() != char:
            got = self.next() or "the end of the file"
            self.refuse(f"is no JSON: {char} should stand where {got} is")
        self.at += 1

    def key(self) -> str:
        """Read a key and its colon."""
        if self.next() != '"':
            self.refuse("is no JSON: a key in double quotes should stand here")
        name = self.value()
        self.take(":")
        return str(name)

    def holds_records(self) -> bool:
        """Whether a list of objects begins here, or an empty one."""
        return self.next() == "[" and bool(_RECORDS.match(self.text, self.at))

    def value(self) -> Any:
        """Read a value."""
        self.next()
        try:
            value, end = _decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            self.move(max(error.pos, self.at))
            self.refuse(f"is no JSON: {_sentence(error, self.text)}")
        except RecursionError:
            self.refuse(f"is nested more than {_DEPTH} levels deep")
        except ValueError as error:
            self.refuse(str(error))
        self.check(value, self.text[self.at : end])
        self.move(end)
        return value

    def check(self, value: Any, written: str) -> None:
        """Refuse a value that is nested too deeply, or holds a lone surrogate."""
        if written.count("[") + written.count("{") > _DEPTH and _deep(value):
            self.refuse(f"is nested more than {_DEPTH} levels deep")
        if _SURROGATE.search(written):
            try:
                json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                self.refuse("holds half of a surrogate pair (\\ud800 to \\udfff)")

    def row(self, path: str = "") -> Row:
        """Read a record, with the line it begins in."""
        self.next()
        where = Place(self.file, self.line, path)
        value = self.value()
        if not isinstance(value, dict):
            kind = "a list" if isinstance(value, list) else repr(value)[:40]
            raise InputError(f"a case is an object, and this is {kind}", where=where)
        return Row(value, where)

    def end(self, hint: str) -> None:
        """Refuse anything that follows."""
        if self.next():
            self.refuse("something follows after the end of the JSON", hint)

    def refuse(self, what: str, hint: str = "") -> NoReturn:
        """Raise an error at the current line."""
        raise InputError(what, where=Place(self.file, self.line), hint=hint)


def _sentence(error: json.JSONDecodeError, text: str) -> str:
    if text[: error.pos].rstrip().endswith(",") and text[error.pos : error.pos + 1] in (
        "]",
        "}",
    ):
        return "a comma stands before the closing bracket"
    return error.msg[0].lower() + error.msg[1:].removesuffix(" at")


def _deep(value: Any) -> bool:
    """Whether it is nested too deeply; walks level by level and never recurses."""
    level = [value]
    for _ in range(_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True

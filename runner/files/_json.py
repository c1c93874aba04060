"""JSON and JSON Lines, record by record, each with the line it begins in."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from pydantic_core import from_json

from runner.cases import Row
from runner.errors import InputError, Place
from runner.files._text import check_file

LINE_LIMIT = 32 * 2**20  # bytes or characters; a reply has 10 MiB before escaping
_DEPTH = 100
_DIGITS = 1000
_SPACE = re.compile(r"[ \t\r\n]*")
_AT = re.compile(r" at line \d+ (?=column)")
_RECORDS = re.compile(r"\[[ \t\r\n]*[{\]]")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_jsonl(path: Path, *, file: str = "") -> Iterator[tuple[int, Any]]:
    """Give line number and value of each line that is not blank.

    One line at a time is held, so that a file may be larger than the memory. ``file``
    is what errors call it.

    Raises:
        InputError: The file cannot be read, or a line is too long or no JSON (NaN and
            infinity are none).
    """
    file = file or str(path)
    check_file(path, file)
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LINE_LIMIT + 1):
            number += 1
            if len(line) > LINE_LIMIT:
                raise _too_long(Place(file, number))
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.isspace() or not line:
                continue
            try:
                value = from_json(line, allow_inf_nan=False, cache_strings="keys")
            except ValueError as error:
                what = f"is no JSON: {_AT.sub(' at ', str(error))}"
                raise InputError(what, where=Place(file, number)) from None
            yield number, value


def _too_long(where: Place) -> InputError:
    return InputError(f"is longer than {LINE_LIMIT // 2**20} MiB", where=where)


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


def jsonl_rows(text: str, file: str) -> Iterator[Row]:
    """Give the records of a case file with one JSON object a line.

    Raises:
        InputError: A line is no JSON object.
    """
    for number, line in enumerate(_lines(text), 1):
        if len(line) > LINE_LIMIT:
            raise _too_long(Place(file, number))
        if line and not line.isspace():
            scanner = _Scanner(line, file, number)
            if scanner.next() == "[":
                scanner.refuse("a case is an object", "name a list of them .json")
            row = scanner.row()
            scanner.end("one line holds one record")
            yield row


def _lines(text: str) -> Iterator[str]:
    """Give line after line without a copy of all; only a line feed ends one in JSON."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def json_rows(text: str, file: str) -> Iterator[Row]:
    """Give the records of a JSON file: a list, or an object with one list of objects.

    Raises:
        InputError: It is no JSON, holds no such list or two of them, or a record is no
            object.
    """
    scanner = _Scanner(text, file, 1)
    if scanner.next() == "[":
        yield from _elements(scanner)
    elif scanner.next() == "{":
        yield from _members(scanner)
    else:
        scanner.refuse("holds no list of cases", "write [{...}, {...}]")
    scanner.end("name it .jsonl where each line is a record")


def _elements(scanner: _Scanner) -> Iterator[Row]:
    """Give the objects of the list that begins here."""
    scanner.take("[")
    index, last = 0, 0
    while scanner.next() != "]":
        if index:
            scanner.take(",")
            if scanner.next() == "]":
                scanner.refuse("a comma stands before the closing bracket")
        scanner.next()
        path = f"[{index}]" if scanner.line == last else ""
        last = scanner.line
        yield scanner.row(path)
        index += 1
    scanner.take("]")


def _members(scanner: _Scanner) -> Iterator[Row]:
    """Give the objects of the one list in the object that begins here."""
    scanner.take("{")
    lists: list[str] = []
    others: list[str] = []
    while scanner.next() != "}":
        if lists or others:
            scanner.take(",")
        name = scanner.key()
        if scanner.holds_records():
            if lists:
                scanner.refuse(f"holds two lists of cases, {lists[0]} and {name}")
            lists.append(name)
            yield from _elements(scanner)
        else:
            others.append(name)
            scanner.value()
    scanner.take("}")
    if not lists and scanner.next():
        scanner.refuse("holds one record after the other", "name the file .jsonl")
    if not lists:
        hint = "write [{...}, {...}]"
        scanner.refuse("holds no list of cases", f"{hint}; there are: {_few(others)}")


def _few(names: list[str]) -> str:
    return ", ".join(names[:8]) or "no keys"


class _Scanner:
    """A place in JSON text that knows its line."""

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
        """Step over a character that must be next."""
        if self.next() != char:
            got = self.next() or "the end of the file"
            self.refuse(f"is no JSON: {char} should stand where {got} is")
        self.at += 1

    def key(self) -> str:
        """Step over a key and its colon."""
        if self.next() != '"':
            self.refuse("is no JSON: a key in double quotes should stand here")
        name = self.value()
        self.take(":")
        return str(name)

    def holds_records(self) -> bool:
        """Whether a list of objects begins here, or an empty one."""
        return self.next() == "[" and bool(_RECORDS.match(self.text, self.at))

    def value(self) -> Any:
        """Step over a value and give it."""
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
        """Refuse what would break whoever walks through it or writes it later."""
        if written.count("[") + written.count("{") > _DEPTH and _deep(value):
            self.refuse(f"is nested more than {_DEPTH} levels deep")
        if _SURROGATE.search(written):
            try:
                json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                self.refuse("holds half of a surrogate pair (\\ud800 to \\udfff)")

    def row(self, path: str = "") -> Row:
        """Step over a record and give it, with the line it begins in."""
        self.next()
        where = Place(self.file, self.line, path)
        value = self.value()
        if not isinstance(value, dict):
            kind = "a list" if isinstance(value, list) else repr(value)[:40]
            raise InputError(f"a case is an object, and this is {kind}", where=where)
        return Row(value, where)

    def end(self, hint: str) -> None:
        """See that nothing follows."""
        if self.next():
            self.refuse("something follows after the end of the JSON", hint)

    def refuse(self, what: str, hint: str = "") -> NoReturn:
        """Stop here."""
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

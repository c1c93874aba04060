"""JSON and JSON Lines, record by record, each with the line it begins in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from runner.cases import Row
from runner.errors import InputError, Place
from runner.files._scan import Scanner, plain
from runner.files._text import check_file, unread
from runner.units import listed

LINE_LIMIT = 32 * 2**20  # bytes or characters; a reply has 10 MiB before escaping
_KEYS = 8  # of an object without cases that are named
_AT = re.compile(r" at line \d+ (?=column)")


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
    try:
        stream = path.open("rb")
    except OSError as error:
        raise unread(error, Place(file)) from None
    with stream:
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


def jsonl_rows(text: str, file: str) -> Iterator[Row]:
    """Give the records of a case file with one JSON object a line.

    Raises:
        InputError: A line is no JSON object.
    """
    for number, line in enumerate(_lines(text), 1):
        if len(line) > LINE_LIMIT:
            raise _too_long(Place(file, number))
        if (record := plain(line)) is not None:
            yield Row(record, Place(file, number))
        elif line and not line.isspace():
            scanner = Scanner(line, file, number)
            if scanner.next() == "[":
                scanner.refuse("a case is an object", "name a list of them .json")
            row = scanner.row()
            scanner.end("one line holds one record")
            yield row


def _lines(text: str) -> Iterator[str]:
    """Give one line after the other; only a line feed ends a line in JSON Lines."""
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
    scanner = Scanner(text, file, 1)
    if scanner.next() == "[":
        yield from _elements(scanner)
    elif scanner.next() == "{":
        yield from _members(scanner)
    else:
        scanner.refuse("holds no list of cases", "write [{...}, {...}]")
    scanner.end("name it .jsonl where each line is a record")


def _elements(scanner: Scanner) -> Iterator[Row]:
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


def _members(scanner: Scanner) -> Iterator[Row]:
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
        keys = listed(others, _KEYS) or "no keys"
        hint = f"write [{{...}}, {{...}}]; there are: {keys}"
        scanner.refuse("holds no list of cases", hint)

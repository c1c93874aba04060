"""Citations in their three forms: ids in the reply, positions, marks in the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from runner.endpoints._expressions import Find, find_by, first_group, regex
from runner.endpoints._values import Malformed, kind, word
from runner.errors import InputError, Place
from runner.model import Passage
from runner.spec import CitationMap
from runner.templating import Locate
from runner.text.shorten import excerpt

_NUMBER = re.compile(r"[0-9]+")
_POSITION = re.compile(r"[0-9]{1,9}")
_SHOWN = 40

Passages = tuple[Passage, ...] | None


class Cited(NamedTuple):
    """The citations of a reply, and its answer without citation marks."""

    answer: str | None
    citations: tuple[str, ...] | None = None
    """Equal ones once, in the order of the answer; None where the reply is silent."""
    marks: tuple[tuple[int, str], ...] = ()


Cite = Callable[[Any, str | None, Passages], Cited]
"""Finds citations, given the reply, its answer and its passages."""


def cite_nothing(_reply: Any, answer: str | None, _passages: Passages) -> Cited:
    """Give no citations: the system shows none."""
    return Cited(answer)


def cite_by(spec: str | CitationMap, place: Locate) -> Cite:
    """Make the reader of citations that a spec describes.

    Raises:
        InputError: An expression or a pattern cannot be compiled.
    """
    if isinstance(spec, str):
        return _ids(spec, place())
    if spec.pattern is not None:
        return _marks(spec, spec.pattern, place)
    path = str(spec.path)
    if spec.first is None:
        return _ids(path, place("path"))
    return _positions(spec, path, spec.first, place)


def _ids(path: str, where: Place) -> Cite:
    """Read a list of ids from the reply."""
    find = find_by(path, where)

    def cite(reply: Any, answer: str | None, _passages: Passages) -> Cited:
        found = _list(find(reply), path)
        if found is None:
            return Cited(answer)
        return Cited(answer, _distinct([word(item, "citations[]") for item in found]))

    return cite


def _positions(spec: CitationMap, path: str, first: int, place: Locate) -> Cite:
    """Read a list of positions, counted from ``first``, from the reply."""
    find = find_by(path, place("path"))
    names = _names(spec.of, place)

    def cite(reply: Any, answer: str | None, passages: Passages) -> Cited:
        found = _list(find(reply), path)
        if found is None:
            return Cited(answer)
        known = names(reply, passages)
        return Cited(
            answer,
            _distinct(
                _id_at(str(item), first, known) for item in found if item is not None
            ),
        )

    return cite


def _marks(spec: CitationMap, pattern: str, place: Locate) -> Cite:
    """Find marks in the answer and take them out of it.

    A mark holds one or several positions counted from ``first``, or without it an id. A
    position outside the list is kept as ``#7``: an invalid citation, no error. A
    passage without id cannot be cited by name and gives no citation.
    """
    where, first = place("pattern"), spec.first
    expression = regex(pattern, where)
    if expression.match("") is not None:
        raise InputError(f"{pattern!r} matches the empty string", where=where)
    names = _names(spec.of, place)

    def read(text: str, known: list[str | None]) -> list[str | None]:
        if first is None:
            return [text.strip()]
        numbers = _NUMBER.findall(text) or [text.strip()]
        return [_id_at(number, first, known) for number in numbers]

    def cite(reply: Any, answer: str | None, passages: Passages) -> Cited:
        if answer is None:
            return Cited(answer)
        found = [*expression.finditer(answer)]
        if not found:
            return Cited(answer, ())
        text, spots = _cut(answer, found)
        known = names(reply, passages) if first is not None else []
        marks = tuple(
            (offset, name)
            for offset, mark in zip(spots, found, strict=True)
            for name in read(first_group(mark), known)
            if name is not None
        )
        return Cited(text, _distinct(name for _, name in marks), marks)

    return cite


def _id_at(position: str, first: int, known: list[str | None]) -> str | None:
    """Give the id at a position, ``#7`` where the list has no such position."""
    index = int(position) - first if _POSITION.fullmatch(position) else -1
    if 0 <= index < len(known):
        return known[index]
    return f"#{excerpt(position, _SHOWN)}"


def _cut(answer: str, found: list[Any]) -> tuple[str, list[int]]:
    """Take marks out together with the spaces before them; give where they stood."""
    pieces: list[str] = []
    spots = []
    size = end = 0
    for mark in found:
        piece = answer[end : mark.start()].rstrip(" \t")
        pieces.append(piece)
        size += len(piece)
        spots.append(size)
        end = mark.end()
    return "".join(pieces) + answer[end:], spots


def _names(
    of: str | None, place: Locate
) -> Callable[[Any, Passages], list[str | None]]:
    """Give how to get the list that positions refer to: passages, or another list."""
    if of is None:
        return lambda _reply, passages: [passage.id for passage in passages or ()]
    find: Find = find_by(of, place("of"))

    def names(reply: Any, _passages: Passages) -> list[str | None]:
        return [word(item, "citations.of[]") for item in _list(find(reply), of) or ()]

    return names


def _list(found: Any, path: str) -> list[Any] | None:
    if found is None or isinstance(found, list):
        return found
    raise Malformed(f"citations (`{path}`) is {kind(found)}, not a list")


def _distinct(ids: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([name for name in ids if name is not None]))

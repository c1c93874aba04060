"""Citations in their three forms: ids in the reply, positions, marks in the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from runner.endpoints._expressions import Find, find_by, first_group, regex
from runner.endpoints._values import Malformed, kind, word
from runner.errors import InputError, Place
from runner.model import Passage
from runner.spec import CitationMap

_NUMBER = re.compile(r"\d+")

Passages = tuple[Passage, ...] | None


class Cited(NamedTuple):
    """What a reply cites, and the answer without the marks that say so."""

    answer: str | None
    citations: tuple[str, ...] | None = None
    """Equal ones once, in the order of the answer; None where the reply is silent."""
    marks: tuple[tuple[int, str], ...] = ()


Cite = Callable[[Any, str | None, Passages], Cited]
"""Reply, answer and passages to what is cited."""


def cite_nothing(_reply: Any, answer: str | None, _passages: Passages) -> Cited:
    """Give no citations: the system shows none."""
    return Cited(answer)


def cite_by(spec: CitationMap, where: Place) -> Cite:
    """Give the form of citations that a spec maps.

    Raises:
        InputError: An expression or a pattern cannot be compiled.
    """
    if spec.pattern is not None:
        return _marks(spec, spec.pattern, where)
    path = str(spec.path)
    if spec.first is not None:
        return _positions(spec, path, spec.first, where)
    return _ids(path, where)


def _ids(path: str, where: Place) -> Cite:
    """Read a list of ids from the reply."""
    find = find_by(path, where)

    def cite(reply: Any, answer: str | None, _passages: Passages) -> Cited:
        found = _listed(find(reply), path)
        if found is None:
            return Cited(answer)
        ids = (word(item, "citations[]") for item in found)
        return Cited(answer, _distinct(item for item in ids if item is not None))

    return cite


def _positions(spec: CitationMap, path: str, first: int, where: Place) -> Cite:
    """Read a list of positions, counted from ``first``, from the reply."""
    find = find_by(path, where)
    names = _names(spec.of, where)

    def cite(reply: Any, answer: str | None, passages: Passages) -> Cited:
        found = _listed(find(reply), path)
        if found is None:
            return Cited(answer)
        known = names(reply, passages)
        return Cited(
            answer,
            _distinct(i for item in found for i in _resolve(str(item), first, known)),
        )

    return cite


def _marks(spec: CitationMap, pattern: str, where: Place) -> Cite:
    """Find marks in the answer and take them out of it.

    A mark holds one or several positions counted from ``first``, or without it an id. A
    position outside the list is kept as ``#7``: an invalid citation, no error. A
    passage without id cannot be cited by name and gives no citation.
    """
    expression, first = regex(pattern, where), spec.first
    if expression.match("") is not None:
        raise InputError(f"{pattern!r} matches the empty string", where=where)
    names = _names(spec.of, where)

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
            for name in _read(first_group(mark), first, known)
        )
        return Cited(text, _distinct(name for _, name in marks), marks)

    return cite


def _read(text: str, first: int | None, known: list[str | None]) -> list[str]:
    return [text.strip()] if first is None else _resolve(text, first, known)


def _resolve(text: str, first: int, known: list[str | None]) -> list[str]:
    """Give the ids at every position in a text, ``#7`` for one outside the list."""
    ids = []
    for number in _NUMBER.findall(text) or [text]:
        index = int(number) - first if number.isdigit() and len(number) < 10 else -1  # noqa: PLR2004 - no list is that long
        name = known[index] if 0 <= index < len(known) else f"#{number}"
        if name is not None:
            ids.append(name)
    return ids


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


def _names(of: str | None, where: Place) -> Callable[[Any, Passages], list[str | None]]:
    """Give how to get the list that positions refer to: passages, or another list."""
    if of is None:
        return lambda _reply, passages: [passage.id for passage in passages or ()]
    find: Find = find_by(of, where._replace(path=f"{where.path}.of".strip(".")))

    def names(reply: Any, _passages: Passages) -> list[str | None]:
        return [word(item, "citations.of[]") for item in _listed(find(reply), of) or ()]

    return names


def _listed(found: Any, path: str) -> list[Any] | None:
    if found is None or isinstance(found, list):
        return found
    raise Malformed(f"citations (`{path}`) is {kind(found)}, not a list")


def _distinct(ids: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))

"""Sentences whose parts say who wrote them, so that each format can escape the rest.

A sentence is a tuple of pieces: our own words, names and texts of others, or a message
that holds both. Only the format that prints it knows how to escape what is not ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["ours", "strong", "name", "quote", "sentence"]
"""``name``: of a metric and the like, plain where it is a plain word; ``quote``: chosen
freely by others; ``sentence``: our words and the names of others in one text."""


class Piece(NamedTuple):
    """A part of a sentence; a format escapes it unless its kind is ours."""

    text: str
    kind: Kind = "ours"
    url: str = ""
    """The target of a link, one of ours."""


Sentence = tuple[Piece, ...]
"""An empty one is nothing to say."""


def named(text: str) -> Piece:
    """Make a piece of a name in a spec, such as a metric."""
    return Piece(text, "name")


def quote(text: str, url: str = "") -> Piece:
    """Make a piece of foreign text, such as a case id, perhaps with a link."""
    return Piece(text, "quote", url)


def told(text: str) -> Piece:
    """Make a piece of a message that mixes our words with foreign text."""
    return Piece(text, "sentence")


def link(text: str, url: str) -> Piece:
    """Make a link with our own text."""
    return Piece(text, url=url)


def strong(text: str) -> Piece:
    """Make a bold piece of our own text."""
    return Piece(text, "strong")


def say(*parts: str | Piece | Sentence) -> Sentence:
    """Join our own text, pieces and sentences; empty parts are left out."""
    pieces: list[Piece] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(Piece(part))
        elif isinstance(part, Piece):
            pieces.append(part)
        else:
            pieces.extend(part)
    return tuple(piece for piece in pieces if piece.text)


def join(separator: str, sentences: Iterable[Sentence]) -> Sentence:
    """Join the sentences that are not empty with a separator."""
    joined: Sentence = ()
    for sentence in filter(None, sentences):
        joined = say(joined, separator, sentence) if joined else sentence
    return joined


def plain(said: Sentence) -> str:
    """Give a sentence as text, for formats in which text makes no structure."""
    return "".join(piece.text for piece in said)

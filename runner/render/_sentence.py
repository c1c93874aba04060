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
    """Where it leads, an address of ours."""


Sentence = tuple[Piece, ...]
"""An empty one is nothing to say."""


def named(text: str) -> Piece:
    """Give what a spec names, such as a metric."""
    return Piece(text, "name")


def quote(text: str, url: str = "") -> Piece:
    """Give a text that others chose, such as a case id; it may lead somewhere."""
    return Piece(text, "quote", url)


def told(text: str) -> Piece:
    """Give a sentence that came whole, such as a gate's message."""
    return Piece(text, "sentence")


def link(text: str, url: str) -> Piece:
    """Give a piece of ours that leads somewhere."""
    return Piece(text, url=url)


def strong(text: str) -> Piece:
    """Give a piece of ours that stands out."""
    return Piece(text, "strong")


def say(*parts: str | Piece | Sentence) -> Sentence:
    """Give a sentence of our words, pieces and sentences; empty parts are left out."""
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
    """Give the sentences that are not empty with a separator between them."""
    joined: Sentence = ()
    for sentence in filter(None, sentences):
        joined = say(joined, separator, sentence) if joined else sentence
    return joined


def plain(said: Sentence) -> str:
    """Give a sentence as text, for formats in which text makes no structure."""
    return "".join(piece.text for piece in said)

"""Sentences that keep our words and foreign text apart until a format joins them."""

from __future__ import annotations

from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a sentence; ``foreign``: others wrote it, and a format escapes it."""

    text: str
    foreign: bool = False
    strong: bool = False
    url: str = ""
    """Where it leads, an address of ours."""


Said = tuple[Piece, ...]


def foreign(text: str, url: str = "") -> Piece:
    """Give a piece that others wrote; it may lead where we say."""
    return Piece(text, foreign=True, url=url)


def link(text: str, url: str) -> Piece:
    """Give a piece of ours that leads somewhere, where ``url`` is known."""
    return Piece(text, url=url)


def strong(text: str) -> Piece:
    """Give a piece of ours that stands out."""
    return Piece(text, strong=True)


def say(*parts: str | Piece | Said) -> Said:
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


def join(separator: str, sentences: list[Said]) -> Said:
    """Give the sentences that are not empty with a separator between them."""
    joined: Said = ()
    for sentence in filter(None, sentences):
        joined = say(joined, separator, sentence) if joined else sentence
    return joined


def plain(said: Said) -> str:
    """Give a sentence as text, for formats in which text makes no structure."""
    return "".join(piece.text for piece in said)

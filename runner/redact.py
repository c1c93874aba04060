"""Keeps secrets out of whatever leaves the process."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""A shorter secret would take ordinary words with it."""

MASK = "***"


class Redactor:
    """Replaces secrets in text, in every spelling that they may travel in.

    Values shorter than ``SHORTEST`` are left alone.

    >>> Redactor(["s3cr3t!"]).text("Bearer s3cr3t! and s3cr3t%21")
    'Bearer *** and ***'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        spellings = {
            spelling
            for secret in secrets
            if len(secret) >= SHORTEST
            for spelling in _spellings(secret)
        }
        self._spellings = sorted(spellings, key=lambda text: (-len(text), text))

    def text(self, text: str) -> str:
        """Give the text with ``***`` for each secret; longer secrets go first."""
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, MASK)
        return text


def _spellings(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    for encoded in (quote(secret), quote(secret, safe=""), quote_plus(secret)):
        yield encoded
        yield _lower_escapes(encoded)
    for shift in range(3):
        yield from _in_base64(secret.encode(), shift)


def _lower_escapes(encoded: str) -> str:
    first, *rest = encoded.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _in_base64(secret: bytes, shift: int) -> Iterator[str]:
    """Give the characters that a secret alone decides, ``shift`` bytes into a triple.

    A header such as ``Basic`` encodes it together with what stands before and after.
    """
    start = (0, 2, 3)[shift]
    whole = (shift + len(secret)) // 3 * 4 + (0, 1, 2)[(shift + len(secret)) % 3]
    for encode in (b64encode, urlsafe_b64encode):
        yield encode(bytes(shift) + secret).decode()[start:whole]

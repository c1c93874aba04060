"""Removes secrets from every text that leaves the process."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from threading import Lock
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""A shorter secret would take ordinary words with it."""

MASK = "***"

_TELLING = re.compile(r"TOKEN|KEY|SECRET|PASSWORD", re.IGNORECASE)
_CUT = re.compile("…|[.]{3}")
"""How every text ends that was cut to be shown."""


class Redactor:
    """Replaces secrets in text, in every spelling that they may travel in.

    Each line of a secret is one, too, and so is a beginning of it before an ellipsis:
    texts are cut before they come here. Values shorter than ``SHORTEST`` are left
    alone.

    >>> Redactor(["s3cr3t!"]).text("Bearer s3cr3t! and s3cr3t%21, or s3cr3t...")
    'Bearer *** and ***, or ***...'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._lock = Lock()
        self._secrets = frozenset(secrets)
        spellings = {
            spelling
            for secret in self._secrets
            for part in (secret, *map(str.strip, secret.splitlines()))
            if len(part) >= SHORTEST
            for spelling in _spellings(part)
        }
        self._spellings = sorted(spellings, key=lambda text: (-len(text), text))
        self._beginnings = {spelling[:SHORTEST] for spelling in spellings}

    @classmethod
    def of(cls, secrets: Iterable[str] | Redactor) -> Redactor:
        """Give a Redactor of these secrets; one that is given is returned itself.

        So callers that share one also share what it learns later.
        """
        return secrets if isinstance(secrets, Redactor) else cls(secrets)

    def learn(self, secret: str) -> None:
        """Mask one more secret from now on, such as a token that came during a run.

        Safe while other threads mask or learn.
        """
        with self._lock:
            other = Redactor({*self._secrets, secret})
            # The beginnings first: what has one and no spelling yet stays as it is.
            self._secrets, self._beginnings = other._secrets, other._beginnings
            self._spellings = other._spellings

    def text(self, text: str) -> str:
        """Give the text with ``***`` for each secret; longer secrets go first."""
        if not self._spellings:
            return text
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, MASK)
        return self._uncut(text)

    def _uncut(self, text: str) -> str:
        """Mask what is left of a secret before an ellipsis."""
        if not any(beginning in text for beginning in self._beginnings):
            return text
        pieces: list[str] = []
        end = 0
        for mark in _CUT.finditer(text):
            pieces += self._without_beginning(text[end : mark.start()]), mark[0]
            end = mark.end()
        return "".join([*pieces, text[end:]])

    def _without_beginning(self, text: str) -> str:
        for spelling in self._spellings:
            tail = text[-len(spelling) :]
            start = tail.find(spelling[:SHORTEST])
            while start >= 0:
                if spelling.startswith(tail[start:]):
                    return text[: len(text) - len(tail) + start] + MASK
                start = tail.find(spelling[:SHORTEST], start + 1)
        return text


def names_secret(variable: str) -> bool:
    """Whether the name of a variable says that its value is secret.

    >>> names_secret("RAG_API_KEY"), names_secret("RAG_URL")
    (True, False)
    """
    return bool(_TELLING.search(variable))


def _spellings(secret: str) -> Iterator[str]:
    yield secret
    yield " ".join(secret.split())
    yield repr(secret)[1:-1]
    yield html.escape(secret)
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
    """Give the Base64 characters that the secret alone decides, ``shift`` bytes in.

    A header such as ``Basic`` encodes it together with what stands before and after.
    """
    start = (0, 2, 3)[shift]
    whole = (shift + len(secret)) // 3 * 4 + (0, 1, 2)[(shift + len(secret)) % 3]
    for encode in (b64encode, urlsafe_b64encode):
        yield encode(bytes(shift) + secret).decode()[start:whole]

"""Reads the body of a reply in pieces, within a size limit, and decompresses it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from urllib3.exceptions import HTTPError, ProtocolError

from runner.text.shorten import excerpt

Take = Callable[[bytes], object]
"""Receives each piece of a body as it arrives."""

SUCCESS = range(200, 300)
"""The statuses of success."""

NO_STATUS = 0
"""The status of a reply that did not come over HTTP."""

_CHUNK = 64 * 1024
_SHOWN = 4 * 1024


class TooLarge(Exception):
    """The body is larger than it may be; becomes a ``Failure``."""


class Unreadable(Exception):
    """The body's content encoding cannot be undone; becomes a ``Failure``."""


class Reply(NamedTuple):
    """A reply to one request."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    """Empty where the pieces went to ``take``."""


def read(raw: Any, limit: int, take: Take | None) -> Reply:
    """Read the body of a response; of an error page only the first bytes.

    Args:
        raw: A response of ``urllib3`` that was not read yet.
        limit: Bytes that the body may have, compressed and not.
        take: Gets the pieces of the body of a success, instead of the reply.

    Raises:
        TooLarge: The body is larger; the rest of it was not read.
        Unreadable: The body is compressed in a way that was not asked for.
        OSError: The call failed, says the system.
        urllib3.exceptions.HTTPError: The call failed while the body was read.
    """
    body = b""
    if raw.status not in SUCCESS:
        body = _beginning(raw)
    elif take is None:
        body = b"".join(_plain(raw, _pieces(raw.read, limit), limit))
    else:
        for piece in _plain(raw, _pieces(raw.read1, limit), limit):
            take(piece)
    return Reply(raw.status, raw.reason or "", raw.headers, body)


def _pieces(read_: Callable[..., bytes], limit: int) -> Iterator[bytes]:
    size = 0
    try:
        while piece := read_(_CHUNK, decode_content=False):
            size += len(piece)
            if size > limit:
                raise TooLarge
            yield piece
    except ValueError as error:  # as of a chunk of less than no bytes
        raise ProtocolError(error) from error


def _plain(raw: Any, pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Give the decompressed pieces."""
    encoding = _encoding(raw)
    if encoding == "identity":
        yield from pieces
    elif encoding in ("gzip", "x-gzip"):
        yield from _unzip(pieces, limit)
    else:
        raise Unreadable(f"the body has the encoding {excerpt(encoding, 40)!r}")


def _unzip(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(wbits=31)
    left = limit
    for piece in pieces:
        try:
            inflated = inflater.decompress(piece, left + 1)
        except zlib.error as error:
            raise Unreadable(f"the body is no gzip: {error}") from error
        left -= len(inflated)
        if left < 0:
            raise TooLarge
        yield inflated
    if not inflater.eof:
        raise Unreadable("the body is cut off within its gzip")


def _beginning(raw: Any) -> bytes:
    """Give the first bytes of an error page; none where they cannot be read."""
    body = b""
    with suppress(OSError, ValueError, HTTPError, zlib.error):
        body = raw.read(_SHOWN, decode_content=False)
        if _encoding(raw) == "gzip":
            body = zlib.decompressobj(wbits=31).decompress(body, _SHOWN)
    return body


def _encoding(raw: Any) -> str:
    return str(raw.headers.get("Content-Encoding", "identity")).strip().lower()

"""Writes to standard output and error: never fails, prints no control characters."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO

from runner import render
from runner.errors import Unavailable, reason


def shows_colour(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal."""
    return stream is not None and stream.isatty()


def tell(text: str, stream: TextIO | None) -> None:
    """Write a line that may hold foreign text, without control characters."""
    write(f"{render.harmless(text)}\n", stream)


def write(text: str, stream: TextIO | None) -> None:
    """Write a text as far as the stream can take it.

    What its encoding lacks becomes a question mark. Where the reader has left, the disk
    is full or there is no stream, the text is lost and nothing else: the results are
    files, and the exit status is the verdict.
    """
    with suppress(Unavailable):
        deliver(text, stream)


def deliver(text: str, stream: TextIO | None) -> None:
    """Write the result of a command, as ``write`` does, and fail where that fails.

    Raises:
        Unavailable: It cannot be written whole. A reader who left has read enough.
    """
    if stream is None:
        return
    try:
        stream.write(_fitting(text, stream))
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except (OSError, ValueError) as error:
        _silence(stream)
        what = f"standard output cannot be written: {reason(error)}"
        raise Unavailable(what) from error


def _fitting(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def _silence(stream: TextIO) -> None:
    """Redirect a broken stream to nowhere, so that no later flush fails."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

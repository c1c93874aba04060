"""Appends a run to a history file in the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from runner.errors import InputError, Place, Unavailable, reason
from runner.history import Point


def append(path: Path, point: Point, *, root: Path) -> None:
    """Append one line to a history; the file is created if it is missing.

    Raises:
        InputError: It lies outside of ``root``, whatever links say.
        Unavailable: It cannot be written.
    """
    place = Place(path.as_posix())
    if not path.resolve().is_relative_to(root.resolve()):
        raise InputError("a history is written in the workspace only", where=place)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as stream:
            torn = _ends_within_a_line(stream.fileno())
            line = point.model_dump_json(exclude_none=True)
            stream.write(("\n" * torn + line + "\n").encode())
    except OSError as error:
        what = f"the history cannot be written: {reason(error)}"
        raise Unavailable(what, where=place) from error


def _ends_within_a_line(descriptor: int) -> bool:
    """Whether the last line has no end, since its writer was stopped."""
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"

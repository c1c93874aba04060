"""Writes single files that the user named, each atomically: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from runner.errors import InputError, Place, Unavailable, reason


def write(texts: Mapping[Path, str], *, over: bool) -> None:
    """Write each text to its path, as UTF-8; folders are made where there are none.

    Args:
        texts: By path.
        over: Whether what stands there goes; else nothing is written where any of the
            files is there already.

    Raises:
        InputError: One of them is there already, or is a folder.
        Unavailable: It cannot be written.
    """
    for path in texts:
        _check_folder(path)
        if os.path.lexists(path) and not over:
            hint = "nothing was written; name another file, or move that one away"
            raise InputError(
                "is there already", where=Place(path.as_posix()), hint=hint
            )
    for path, text in texts.items():
        with _telling(path):
            _write_temporary(path, text.encode("utf-8", "replace")).replace(path)


def check(path: Path) -> None:
    """See that a file can be written, before expensive work is done for it.

    Raises:
        InputError: It is a folder.
        Unavailable: It could not be written.
    """
    _check_folder(path)
    with _telling(path):
        _write_temporary(path, b"").unlink()


def _check_folder(path: Path) -> None:
    if path.is_dir():
        raise InputError("is a folder", where=Place(path.as_posix()))


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Turn errors of the file system into ``Unavailable``."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {reason(error)}"
        raise Unavailable(what, where=Place(path.as_posix())) from error


def _write_temporary(path: Path, content: bytes) -> Path:
    """Write a temporary file beside a path; the caller moves it there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    draft.unlink(missing_ok=True)
    with draft.open("xb") as file:
        file.write(content)
    return draft

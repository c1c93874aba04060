"""Replies of a judge in a file: one JSON object a line, found by a hash.

The hash is of everything that decides the reply: the model, the prompt, the version of
the task. No text that was asked about is in the file, and nothing that failed.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from runner.errors import InputError, Place, reason

_LONGEST = 8 * 2**20  # bytes of a line; a vector takes some 30 thousand


class Recording:
    """A file of replies; threads may share it.

    Args:
        path: A file that need not be there, unless it is only read.
        place: The key of the spec that names it.
        writable: Whether replies are added to it.
        hide: Takes secrets out of a line before it is written.

    Raises:
        InputError: It cannot be read, or written.
    """

    def __init__(
        self, path: Path, place: Place, *, writable: bool, hide: Callable[[str], str]
    ) -> None:
        self._hide = hide
        self._lock = threading.Lock()
        self._places: dict[str, int] = {}
        self.unread = 0
        """Lines that hold no reply."""
        try:
            self._file = _open(path, writable=writable)
        except OSError as error:
            done = "written" if writable else "read"
            what = f"{path.name} cannot be {done}: {reason(error)}"
            raise InputError(what, where=place) from None
        self._index()

    def get(self, key: str) -> Any:
        """Give the stored reply of a key; None where there is none."""
        with self._lock:
            start = self._places.get(key)
            if start is None:
                return None
            self._file.seek(start)
            found = _entry(self._file.readline(_LONGEST))
            # Where another run wrote at the same time, the line may be its own.
            return found["reply"] if found and found["key"] == key else None

    def put(self, key: str, reply: Any, **about: Any) -> None:
        """Keep a reply; what is told ``about`` it is for people. A full disk is none.

        The judge has answered, and a cache that cannot be written loses time alone.
        """
        text = json.dumps({"key": key, **about, "reply": reply}, ensure_ascii=False)
        with self._lock, suppress(OSError, ValueError):
            line = self._hide(text).encode() + b"\n"
            start = self._file.seek(0, os.SEEK_END)
            self._file.write(line)
            self._file.flush()
            self._places[key] = start

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()

    def _index(self) -> None:
        """Index the file; of two replies with one key the later counts."""
        start = self._file.seek(0)
        while line := self._file.readline(_LONGEST):
            if found := _entry(line):
                self._places[found["key"]] = start
            elif line.strip():
                self.unread += 1
            start += len(line)
        if start and self._file.writable():
            self._end_line()

    def _end_line(self) -> None:
        """End a last line that was cut off, so that the next one stands alone."""
        self._file.seek(-1, os.SEEK_END)
        if self._file.read(1) != b"\n":
            self._file.write(b"\n")


def _open(path: Path, *, writable: bool) -> BinaryIO:
    if not writable:
        return path.open("rb")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("a+b")  # so that two runs at once do not write over each other


def _entry(line: bytes) -> dict[str, Any] | None:
    """Parse a line; None where it is no entry."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "reply" not in found:
        return None
    return found if isinstance(found.get("key"), str) else None


class ReplyChanges(NamedTuple):
    """How many replies differ between two versions of a file, by their keys."""

    otherwise: int
    new: int
    gone: int


def reply_changes(now: Path, then: Path) -> ReplyChanges:
    """Compare the replies in a file with those of an earlier version of it.

    Raises:
        OSError: One of them cannot be read.
    """
    after, before = _replies(now), _replies(then)
    both = after.keys() & before.keys()
    otherwise = sum(after[key] != before[key] for key in both)
    return ReplyChanges(otherwise, len(after) - len(both), len(before) - len(both))


def _replies(path: Path) -> dict[str, bytes]:
    """Give a digest of each reply in a file; a later one of the same key counts."""
    found: dict[str, bytes] = {}
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if entry := _entry(line):
                text = json.dumps(entry["reply"], sort_keys=True)
                found[entry["key"]] = blake2b(text.encode(), digest_size=16).digest()
    return found

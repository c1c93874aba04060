"""Extracts the results of one spec from a downloaded artifact."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from runner import baseline, report
from runner.baseline import CASES, RESULTS
from runner.errors import InputError, Place
from runner.github.client import Reason, Refused

_FILES = 10_000  # that an archive may hold
_FOLDERS = 50  # with results, that are looked through
_REPORT = 64 * 2**20  # bytes of results.json
_CASES = 256 * 2**20  # bytes of cases.jsonl
_CHUNK = 2**20
_DAMAGED = (
    *(BadZipFile, EOFError, OSError, RuntimeError),
    *(ValueError, struct.error, zlib.error),
)
"""Exceptions that reading a damaged or hostile archive can raise.

A compression or encryption that ``zipfile`` does not know is a kind of RuntimeError.
"""


def results_of(archive: Path, spec: str, to: Path) -> bool:
    """Write the files of a baseline into a folder; gives whether they were found.

    Nothing is unpacked by its name: the two files are read within bounds, and written
    under names of our own.

    Args:
        archive: A ZIP file.
        spec: The spec's path from the top of the workspace.
        to: The folder, which is there.

    Raises:
        Refused: The archive is damaged or holds too much.
    """
    try:
        with ZipFile(archive) as packed:
            return _extract(packed, spec, to)
    except _DAMAGED:
        raise Refused(Reason("the archive is damaged")) from None


def _extract(packed: ZipFile, spec: str, to: Path) -> bool:
    for name in _results(packed):
        content = b"".join(_pieces(packed, name, _REPORT))
        if not _is_of(content, spec, name):
            continue
        cases = str(PurePosixPath(name).with_name(CASES))
        if cases not in packed.NameToInfo:
            raise Refused(Reason(f"{name} has no {CASES} beside it"))
        (to / RESULTS).write_bytes(content)
        with (to / CASES).open("wb") as file:
            for piece in _pieces(packed, cases, _CASES):
                file.write(piece)
        return True
    return False


def _results(packed: ZipFile) -> list[str]:
    names = packed.namelist()
    if len(names) > _FILES:
        raise Refused(Reason(f"the archive holds more than {_FILES:,} files"))
    found = (name for name in names if PurePosixPath(name).name == RESULTS)
    return sorted(found)[:_FOLDERS]


def _pieces(packed: ZipFile, name: str, limit: int) -> Iterator[bytes]:
    """Read a file in pieces; the sizes that the archive states may be false."""
    with packed.open(name) as file:
        size = 0
        while piece := file.read(_CHUNK):
            size += len(piece)
            if size > limit:
                most = limit // 2**20
                raise Refused(Reason(f"{name} has more than {most} MiB"))
            yield piece


def _is_of(content: bytes, spec: str, name: str) -> bool:
    """Whether they are results of a spec, and of all its cases."""
    try:
        found = report.read(content, Place(name))
        baseline.stripped(found)
    except InputError:
        return False
    return found.spec == spec

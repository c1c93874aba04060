"""The parents of the commit that is checked out, read from git's own files.

A checkout has its commit whatever its depth, and the image has no program git. What is
read is held against the commit's name, which is a hash of it.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from runner.github.contents import hash_of

_MOST = 2**20  # bytes of a commit; its message is the rest
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_INDEX = b"\377tOc\0\0\0\2"  # how an index of the second version begins
_FANOUT = struct.Struct(">256I")
_OFFSET = struct.Struct(">I")
_COMMIT = 1  # of the kinds of objects in a pack; one that is kept whole


def parents(repository: Path, commit: str) -> list[str] | None:
    """Give the parents of a commit; None where it cannot be read here.

    That is so of what is kept as a difference to another, or is in an archive of more
    than 2 GiB. In a shallow clone the parents are named and not there.

    Args:
        repository: The folder that holds ``.git``.
        commit: In hexadecimal digits.
    """
    objects = repository / ".git" / "objects"
    try:
        text = _loose(objects, commit) or _packed_commit(objects, commit)
    except (OSError, zlib.error, struct.error, IndexError):
        return None
    if text is None or hash_of(text, commit, "commit") != commit:
        return None
    return [found.decode() for found in _PARENT.findall(text.partition(b"\n\n")[0])]


def _loose(objects: Path, commit: str) -> bytes | None:
    path = objects / commit[:2] / commit[2:]
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _decompress(file).partition(b"\0")[2]


def _packed_commit(objects: Path, commit: str) -> bytes | None:
    wanted = bytes.fromhex(commit)
    for index in sorted((objects / "pack").glob("*.idx")):
        with index.open("rb") as file:
            offset = _offset(file, wanted)
        if offset is not None:
            with index.with_suffix(".pack").open("rb") as file:
                return _commit_at(file, offset)
    return None


def _offset(index: BinaryIO, wanted: bytes) -> int | None:
    """Give where an object begins in the pack of an index, if it is there."""
    if index.read(len(_INDEX)) != _INDEX:
        return None
    fanout = _FANOUT.unpack(index.read(_FANOUT.size))
    start = fanout[wanted[0] - 1] if wanted[0] else 0
    names = len(_INDEX) + _FANOUT.size
    index.seek(names + start * len(wanted))
    for position in range(start, fanout[wanted[0]]):
        if index.read(len(wanted)) == wanted:
            # Behind the names stand as many checksums, of four bytes each.
            index.seek(names + fanout[-1] * (len(wanted) + 4) + position * 4)
            (offset,) = _OFFSET.unpack(index.read(4))
            return None if offset >> 31 else offset
    return None


def _commit_at(pack: BinaryIO, offset: int) -> bytes | None:
    pack.seek(offset)
    first = byte = pack.read(1)[0]
    while byte >> 7:  # the size goes on, which the text itself tells
        byte = pack.read(1)[0]
    return _decompress(pack) if first >> 4 & 7 == _COMMIT else None


def _decompress(file: BinaryIO) -> bytes:
    return zlib.decompressobj().decompress(file.read(_MOST), _MOST)

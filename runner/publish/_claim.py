"""Checks and locks a results folder for one run."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from runner.baseline import CASES, RESULTS
from runner.errors import InputError, Place

RESPONSES = "responses.jsonl"
_MARKS: Mapping[str, re.Pattern[bytes]] = {
    RESULTS: re.compile(rb'\s*\{\s*"format_version"\s*:'),
    RESPONSES: re.compile(rb'\{"case_id":".+?","trial":\d+,"(?:response|failure)":'),
    CASES: re.compile(rb'\{"id":".+?,"outcome":"'),
}
"""How the files that a run writes begin."""

_SEEN = 64 * 1024  # bytes of a file that are looked at


def inside(out: Path, root: Path) -> Path:
    """Give the real path of a folder below the workspace; it need not be there.

    Raises:
        InputError: It is the workspace, lies outside of it, or is a file.
    """
    # pathlib's own resolve() fails on a link that leads to itself.
    path, workspace = (Path(os.path.realpath(each)) for each in (out, root))
    place = Place(str(out))
    if path == workspace or not path.is_relative_to(workspace):
        raise InputError(
            "results go into a folder of their own inside the workspace",
            where=place,
            hint=f"the workspace is {workspace}",
        )
    above = next(part for part in (path, *path.parents) if os.path.exists(part))  # noqa: PTH110 - a name that is too long is not there
    if not above.is_dir():
        raise InputError("this is a file, not a folder", where=place)
    return path


def check_ours(
    folder: Path, names: Collection[str], kept: Collection[str] = ()
) -> None:
    """See that no file would be replaced that no run wrote.

    Args:
        folder: Of the results.
        names: The files in it that a run would replace.
        kept: Those of them that stay.

    Raises:
        InputError: No run wrote one of them.
    """
    foreign = [
        name
        for name in names
        if name in _MARKS and name not in kept and not _may_go(folder / name)
    ]
    if not _MARKS.keys() & set(names):
        foreign = [*names]
    if foreign:
        raise InputError(
            f"it holds {foreign[0]}, which no run wrote",
            where=Place(str(folder)),
            hint="choose an empty folder; what stands there would be overwritten",
        )


def _may_go(path: Path) -> bool:
    """Whether a file may be replaced: a run wrote it, or it is a link or empty."""
    if path.is_symlink() or not path.is_file():
        return True
    with path.open("rb") as file:
        begin = file.read(_SEEN)
    return not begin or bool(_MARKS[path.name].match(begin))


def lock(folder: Path) -> int:
    """Lock a folder; gives a descriptor whose closing unlocks it.

    Raises:
        InputError: Another run is there.
        OSError: The folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InputError(
            "another run is writing its results there",
            where=Place(str(folder)),
            hint="wait for it, or choose another folder",
        ) from None
    except OSError:
        pass  # this file system has no locks
    return descriptor

"""Which commit a file of the workspace was checked out at."""

from __future__ import annotations

import os
import re
from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
"""The hash of a commit, SHA-1 or SHA-256."""

_REFERENCE = re.compile(r"ref: (refs/[\w./+@-]+)")
_MOST = 16 * 2**20  # bytes of the list of references


def commit_of(path: Path, root: Path) -> str | None:
    """Give the commit of the nearest repository around a file, links resolved.

    What steps have changed in the files since is not seen. None where no repository is
    around it within the workspace, or its state cannot be told.
    """
    folder = repository_of(path, root)
    return _head(folder / ".git") if folder else None


def repository_of(path: Path, root: Path) -> Path | None:
    """Give the folder of the nearest repository around a file, links resolved."""
    top = Path(os.path.realpath(root))
    for folder in Path(os.path.realpath(path)).parents:
        if not folder.is_relative_to(top):
            break
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def _head(git: Path) -> str | None:
    head = _text(git / "HEAD")
    if COMMIT.fullmatch(head):
        return head
    named = _REFERENCE.fullmatch(head)
    if not named or ".." in named[1]:
        return None
    loose = _text(git / named[1])
    return loose if COMMIT.fullmatch(loose) else _packed_reference(git, named[1])


def _packed_reference(git: Path, reference: str) -> str | None:
    for line in _text(git / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == reference and COMMIT.fullmatch(commit):
            return commit
    return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode(errors="replace").strip()
    except OSError:
        return ""

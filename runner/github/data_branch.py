"""Reads and writes a branch that holds data alone, one folder for each spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial

from runner.github._marker import key_of
from runner.github.client import Reason, Refused
from runner.github.contents import Contents

TRIES = 5
"""Attempts at writing a branch to which others write at the same time."""

_ODD = re.compile(r"[^\w.-]+", re.ASCII)
_SHOWN = 40  # characters of a key

Files = Mapping[str, str]
"""Path from the top of the branch to a text."""


Read = Callable[[str, Collection[str]], Mapping[str, bytes]]
"""Reads some files of a folder; gives those that exist, by name."""


def folder_of(spec: str, key: str = "") -> str:
    """Give the folder of a spec on the branch, one for each key.

    >>> folder_of("evals/rag.yaml")
    'evals/rag.yaml'
    >>> folder_of("evals/rag.yaml", '{"model": "small"}')
    'evals/rag.yaml/model-small-26a7cf06'
    """
    if not key:
        return spec
    shown = _ODD.sub("-", key)[:_SHOWN].strip("-.")
    return f"{spec}/{shown}-{key_of(key)[:8]}"


def read(
    contents: Contents, branch: str, folder: str, names: Collection[str]
) -> Mapping[str, bytes]:
    """Read some files of a folder; gives those that exist.

    Raises:
        Refused: GitHub does not give them.
    """
    return _files(contents, contents.tip(branch), folder, names)


def _files(
    contents: Contents, tip: str | None, folder: str, names: Collection[str]
) -> Mapping[str, bytes]:
    listing = contents.listing(tip, folder) if tip else {}
    found = ((name, listing.get(f"{folder}/{name}")) for name in names)
    there = {name: entry for name, entry in found if entry and entry.is_file}
    contents.fetch(there.values())
    return {name: contents.blob(entry) for name, entry in there.items()}


def write(
    contents: Contents, branch: str, make: Callable[[Read], Files], message: str
) -> None:
    """Write files to a branch in one commit; the branch is created if it is missing.

    Where others have written meanwhile, the files are made once more, of what they
    have written.

    Args:
        contents: Of the repository.
        branch: Its name.
        make: Gives all files, none where there is nothing to write, and is given what
            reads those that are there.
        message: Of the commit.

    Raises:
        Refused: It cannot be written.
    """
    for _ in range(TRIES):
        tip = contents.tip(branch)
        files = make(partial(_files, contents, tip))
        if not files or contents.grow(branch, tip, files, message):
            return
    raise Refused(Reason(f"others have written {branch} {TRIES} times meanwhile"))

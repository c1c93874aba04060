"""What a commit has at its paths, as GitHub lists it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from runner.github._replies import found

FILES = ("100644", "100755")
FOLDER = "040000"


class Entry(NamedTuple):
    """A file of a commit, a link, a folder, or the commit of another repository."""

    mode: str
    """As git writes it, in octal digits."""
    sha: str
    size: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""
        return self.mode in FILES


class Tree(NamedTuple):
    """A folder, with or without what is below its folders."""

    entries: Mapping[str, Entry]
    """By their paths."""
    is_cut: bool
    """Whether there are more than GitHub lists."""


def read_tree(data: Any) -> Tree:
    """Parse a tree from a reply.

    Raises:
        Refused: It is none.
    """
    entries = {}
    for each in found(list, data, "tree"):
        mode, sha = found(str, each, "mode"), found(str, each, "sha")
        size = found(int, each, "size") if mode in FILES else 0
        entries[found(str, each, "path")] = Entry(mode, sha, size)
    return Tree(entries, found(bool, data, "truncated"))

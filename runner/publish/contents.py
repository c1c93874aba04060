"""What a repository holds at a commit, read through GitHub's API.

A whole listing is one call, and names each file by the hash of what it holds: only what
differs from a file at hand has to be fetched.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, NamedTuple

from runner.publish._calls import Call, Caller, Reply
from runner.publish._refusals import Reason, Refused, Remedy, refusal
from runner.publish._replies import found, odd

LARGEST = 40 * 2**20
"""Bytes of a file that is fetched; GitHub gives a hundred million."""

_READ = Remedy(
    "add to the job `permissions: {contents: read}`", "the token may not read"
)
_FILES = ("100644", "100755")
_FOLDER = "040000"


class Entry(NamedTuple):
    """A file of a commit, a link, a folder, or the commit of another repository."""

    mode: str
    """As git writes it, in octal digits."""
    sha: str
    size: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""
        return self.mode in _FILES


class Contents:
    """The files of one repository.

    Args:
        api: Root of the REST API.
        repository: ``owner/name``.
        caller: Makes the calls.
    """

    def __init__(self, api: str, repository: str, caller: Caller) -> None:
        self._root = f"{api}/repos/{repository}"
        self._caller = caller
        self._trees: dict[str, _Tree] = {}

    def close(self) -> None:
        """Drop the connections."""
        self._caller.close()

    def parents(self, commit: str) -> list[str]:
        """Give the parents of a commit; of a merge its target comes first.

        Raises:
            Refused: GitHub does not tell.
        """
        data = self._get(f"git/commits/{commit}")
        return [found(str, each, "sha") for each in found(list, data, "parents")]

    def listing(self, commit: str, folder: str) -> Mapping[str, Entry]:
        """Give what is below a folder, and perhaps more, by its path from the top.

        Raises:
            Refused: GitHub does not tell, or the folder is too large for it.
        """
        whole = self._tree(commit, deep=True)
        if not whole.is_cut:
            return whole.entries
        tree = self._tree_of(commit, folder)
        if tree.is_cut:
            raise Refused(Reason("it has more files than GitHub lists"))
        return {f"{folder}/{path}": entry for path, entry in tree.entries.items()}

    def blob(self, entry: Entry) -> bytes:
        """Give what a file holds.

        Raises:
            Refused: GitHub does not give it, or it is larger than ``LARGEST``.
        """
        if entry.size > LARGEST:
            most = LARGEST // 2**20
            raise Refused(Reason(f"a file in it has more than {most} MiB"))
        data = self._get(f"git/blobs/{entry.sha}")
        if found(str, data, "encoding") != "base64":
            raise odd()
        try:
            content = b64decode(found(str, data, "content"))
        except ValueError:
            raise odd() from None
        if hash_of(content, entry.sha) != entry.sha:
            raise odd()
        return content

    def _tree_of(self, commit: str, folder: str) -> _Tree:
        """Give all below a folder, to which the way is walked from the top."""
        if not folder:
            return _Tree({}, is_cut=True)
        at = commit
        for name in folder.split("/"):
            tree = self._tree(at, deep=False)
            entry = tree.entries.get(name)
            if entry is None or entry.mode != _FOLDER:
                return _Tree({}, tree.is_cut)
            at = entry.sha
        return self._tree(at, deep=True)

    def _tree(self, sha: str, *, deep: bool) -> _Tree:
        path = f"git/trees/{sha}" + "?recursive=1" * deep
        if path not in self._trees:
            self._trees[path] = _read_tree(self._get(path))
        return self._trees[path]

    def _get(self, path: str) -> Any:
        return self._done(Call("GET", f"{self._root}/{path}"), _READ).data

    def _done(self, call: Call, remedy: Remedy) -> Reply:
        reply = self._caller.do(call)
        if not reply.is_good:
            raise refusal(reply, remedy)
        return reply


class _Tree(NamedTuple):
    entries: Mapping[str, Entry]
    is_cut: bool


def _read_tree(data: Any) -> _Tree:
    entries = {}
    for each in found(list, data, "tree"):
        mode, sha = found(str, each, "mode"), found(str, each, "sha")
        size = found(int, each, "size") if mode in _FILES else 0
        entries[found(str, each, "path")] = Entry(mode, sha, size)
    return _Tree(entries, found(bool, data, "truncated"))


def hash_of(content: bytes, like: str) -> str:
    """Give the name that git has for what a file holds, as long as another name."""
    kind = "sha1" if len(like) == 40 else "sha256"  # noqa: PLR2004 - its digits
    made = hashlib.new(kind, b"blob %d\0" % len(content), usedforsecurity=False)
    made.update(content)
    return made.hexdigest()

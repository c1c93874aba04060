"""Copies the files that specs need at a commit into a folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from runner import files
from runner.base import _needs
from runner.errors import InputError
from runner.github.client import Reason, Refused
from runner.github.contents import hash_of

if TYPE_CHECKING:
    from runner.github.contents import Entry

MOST_FILES = 25
"""The most files that are fetched."""
MOST_BYTES = 128 * 2**20
"""The most bytes of fetched files together."""

_LINK = "120000"
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\noid sha256:([0-9a-f]{64})\n"
)
"""A Git LFS pointer, which stands in place of the file."""


class Objects(Protocol):
    """The git objects of a repository; each method may raise ``Refused``."""

    def parents(self, commit: str) -> Sequence[str]:
        """Give the parents of a commit."""

    def listing(self, commit: str, folder: str) -> Mapping[str, Entry]:
        """Give what is below a folder, and perhaps more, by its path from the top."""

    def fetch(self, entries: Iterable[Entry]) -> None:
        """Fetch several files in one call, where that saves calls."""

    def blob(self, entry: Entry) -> bytes:
        """Give what a file holds."""


class Checkout(NamedTuple):
    """Where in the workspace a repository was checked out."""

    root: Path
    """The workspace."""
    folder: str = ""
    """Of the repository, from the top of the workspace."""

    def inner(self, path: str) -> str | None:
        """Make a path relative to the repository; None where it is outside."""
        if not self.folder:
            return path
        above, _, inner = path.partition(f"{self.folder}/")
        return inner if not above and inner else None


class Snapshot:
    """A folder with files of the workspace as they are at a commit.

    What is the same in the work tree is copied, and what is not is fetched.

    Args:
        to: The folder, which is there.
        objects: Of the repository.
        commit: What is written.
    """

    def __init__(self, to: Path, objects: Objects, commit: str) -> None:
        self._to = to
        self._objects = objects
        self._commit = commit
        self._fetched = 0
        self._bytes = 0

    def add(self, spec: str, checkout: Checkout) -> None:
        """Copy a spec with the files it names, and the baseline of the spec now.

        Args:
            spec: Its path from the top of the workspace.
            checkout: What it is in.

        Raises:
            Refused: Something of it cannot be had.
        """
        now = _data(checkout.root, spec)
        # Most often the spec before needs what the spec now does.
        self._objects.fetch(self._changed(now, spec, checkout))
        self._copy(spec, checkout)
        then = _data(self._to, spec)
        for pattern in _needs.cases(then, spec):
            for path in self.matching(pattern, checkout):
                self._copy(path, checkout)
        kept = (*_needs.baseline(then, spec), *_needs.baseline(now, spec))
        for path in (*kept, *_needs.judge(then, spec)):
            self._copy(path, checkout)

    def _changed(self, data: Any, spec: str, checkout: Checkout) -> Iterator[Entry]:
        """Give the files that a spec needs and that differ in the work tree."""
        cases = (self.matching(each, checkout) for each in _needs.cases(data, spec))
        kept = (*_needs.baseline(data, spec), *_needs.judge(data, spec))
        needed = (spec, *chain.from_iterable(cases), *kept)
        for path in dict.fromkeys(needed):
            entry = self._entry(path, checkout)
            if (
                entry
                and entry.is_file
                and not _is(entry, _at_hand(checkout.root / path))
            ):
                yield entry

    def same(self, path: str, checkout: Checkout) -> bool | None:
        """Whether a file is the same in the work tree; None where the commit has none.

        Raises:
            Refused: The commit's files cannot be listed.
        """
        entry = self._entry(path, checkout)
        return entry and _is(entry, _at_hand(checkout.root / path))

    def has_spec(self, path: str, checkout: Checkout) -> bool:
        """Whether the commit has a spec at a path; copies it.

        Raises:
            Refused: It cannot be had.
        """
        self._copy(path, checkout)
        found = _data(self._to, path)
        return isinstance(found, dict) and {"endpoint", "cases"} <= found.keys()

    def matching(self, pattern: str, checkout: Checkout) -> list[str]:
        """Give the paths of the commit that a path or a glob matches, and perhaps more.

        Raises:
            Refused: The commit's files cannot be listed.
        """
        inner = checkout.inner(pattern)
        if inner is None:
            return []
        below = self._objects.listing(self._commit, _needs.folder(inner))
        outer = f"{checkout.folder}/" if checkout.folder else ""
        return [outer + path for path in _needs.matching(inner, below)]

    def _entry(self, path: str, checkout: Checkout) -> Entry | None:
        """Give the commit's entry for a path of the workspace."""
        inner = checkout.inner(path)
        if inner is None:
            return None
        return self._objects.listing(self._commit, _needs.folder(inner)).get(inner)

    def _copy(self, path: str, checkout: Checkout) -> None:
        """Copy one file, if the commit has it."""
        entry = self._entry(path, checkout)
        if entry and entry.mode == _LINK:
            raise Refused(Reason(f"{path} is a link there, and only files are read"))
        if not entry or not entry.is_file:
            return
        target = self._to / path
        if ".." in target.parts or target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(self._content(path, entry, checkout.root))

    def _content(self, path: str, entry: Entry, root: Path) -> bytes:
        there = _at_hand(root / path)
        if _is(entry, there):
            return there
        self._fetched += 1
        self._bytes += entry.size
        if self._fetched > MOST_FILES or self._bytes > MOST_BYTES:
            raise Refused(Reason("the change touches too many files of its cases"))
        content = self._objects.blob(entry)
        pointer = _POINTER.match(content)
        if not pointer:
            return content
        if hashlib.sha256(there).hexdigest().encode() == pointer[1]:
            return there
        raise Refused(Reason(f"{path} is kept by Git LFS, and is another there"))


def _data(root: Path, spec: str) -> Any:
    try:
        return files.read_document(root / spec, root=root).data
    except InputError:
        return None


def _is(entry: Entry, content: bytes) -> bool:
    return len(content) == entry.size and hash_of(content, entry.sha) == entry.sha


def _at_hand(path: Path) -> bytes:
    """Read a file of the work tree; empty where there is none."""
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    except OSError:
        return b""

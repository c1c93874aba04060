"""Reads commits of a checkout with the program git, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from runner.github.client import Reason, Refused
from runner.github.contents import LARGEST, Entry

_TIME = 60.0  # seconds of one command
_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone would ask its server
    "GIT_NO_REPLACE_OBJECTS": "1",
}
"""The whole environment of the program git."""
_LINE = re.compile(
    rb"(\d{6}) (?:blob|tree|commit) ([0-9a-f]+) +(\d+|-)\t(.+)", re.DOTALL
)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)


class Git:
    """The objects of one checkout.

    Args:
        folder: Of the checkout.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listings: dict[str, Mapping[str, Entry]] = {}

    def parents(self, commit: str) -> list[str]:
        """Give the parents of a commit, also those that a shallow clone lacks.

        Raises:
            Refused: It is not there.
        """
        head = self._run("cat-file", "commit", commit).partition(b"\n\n")[0]
        return [found.decode() for found in _PARENT.findall(head)]

    def listing(self, commit: str, _folder: str) -> Mapping[str, Entry]:
        """Give all files of a commit by their paths.

        Raises:
            Refused: It is not there.
        """
        if commit not in self._listings:
            words = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit)
            found = map(_LINE.fullmatch, self._run(*words).split(b"\0"))
            self._listings[commit] = {
                each[4].decode(errors="replace"): _entry(each) for each in found if each
            }
        return self._listings[commit]

    def fetch(self, entries: Iterable[Entry]) -> None:
        """Do nothing: every file is local."""

    def blob(self, entry: Entry) -> bytes:
        """Give the content of a file.

        Raises:
            Refused: It is not there, or larger than anything that is read.
        """
        if entry.size > LARGEST:
            most = LARGEST // 2**20
            raise Refused(Reason(f"a file in it has more than {most} MiB"))
        return self._run("cat-file", "blob", entry.sha)

    def _run(self, *words: str) -> bytes:
        git = shutil.which("git")
        if git is None:
            raise Refused(Reason("there is no git"))
        # The owner of a checkout is another one within a container.
        options = ("-c", "safe.directory=*", "-C", str(self._folder))
        try:
            done = subprocess.run(  # noqa: S603 - commits are hexadecimal
                [git, *options, *words],
                env=_QUIET,
                capture_output=True,
                timeout=_TIME,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            raise Refused(Reason("git does not answer")) from None
        if done.returncode:
            raise Refused(Reason("the checkout has not got it"))
        return done.stdout


def _entry(line: re.Match[bytes]) -> Entry:
    size = int(line[3]) if line[3].isdigit() else 0
    return Entry(line[1].decode(), line[2].decode(), size)

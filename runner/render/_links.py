"""Where a report may lead its reader: to a case, to the run, to a commit."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

_SERVER = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._-]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_NUMBER = re.compile(r"[0-9]{1,20}")


class Links(NamedTuple):
    """The run and the commits of a report; all empty on the command line.

    A workflow fills it once, from its variables and its event. A value that is not of
    its form makes no link, so that nothing foreign can get into a URL.
    """

    server: str = ""
    """``https://github.com``, or that of an enterprise."""
    repository: str = ""
    """``owner/name``, in which the case files stand."""
    commit: str = ""
    """The head of the pull request, else the commit that the event is about, whole."""
    merge: str = ""
    """What was checked out and evaluated, where that is another commit."""
    newer: str = ""
    """The head of the pull request now, where it has moved on since."""
    run: str = ""
    """The id of the workflow run, which grows with every run."""
    attempt: str = ""

    @property
    def repository_url(self) -> str:
        """The page of the repository; empty where it is not known."""
        server = self.server.rstrip("/")
        known = _SERVER.fullmatch(server) and _REPOSITORY.fullmatch(self.repository)
        return f"{server}/{self.repository}" if known else ""

    @property
    def run_url(self) -> str:
        """The page of this attempt at the run; empty where there is none."""
        if not (self.repository_url and _NUMBER.fullmatch(self.run)):
            return ""
        attempt = f"/attempts/{self.attempt}" if _NUMBER.fullmatch(self.attempt) else ""
        return f"{self.repository_url}/actions/runs/{self.run}{attempt}"

    def commit_url(self, commit: str) -> str:
        """Give the page of a commit; empty where it is no hash."""
        known = self.repository_url and _COMMIT.fullmatch(commit)
        return f"{self.repository_url}/commit/{commit}" if known else ""

    def line_url(self, file: str, line: int | None) -> str:
        """Give a line of a file as it was at the commit; empty where none is known."""
        path = file.removeprefix("./")
        inside = path and not path.startswith("/") and ".." not in path.split("/")
        if not (inside and self.repository_url and _COMMIT.fullmatch(self.commit)):
            return ""
        spot = f"#L{line}" if line else ""
        return f"{self.repository_url}/blob/{self.commit}/{quote(path)}{spot}"


NOWHERE = Links()

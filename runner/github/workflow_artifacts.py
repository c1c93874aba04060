"""Artifacts of workflow runs: found by name and branch, and downloaded.

What is in it may be anybody's: it is data, and nothing of it is unpacked by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from runner.github._download import download, too_large
from runner.github._refusals import Reason, Refused, Remedy
from runner.github._replies import found, text
from runner.github.contents import Contents

LARGEST = 128 * 2**20
"""The most bytes of an archive."""

_READ = Remedy(
    "add to the job `permissions: {actions: read}`", "the token may not read"
)
_PAGE = 100  # the most that GitHub gives at once
_PAGES = 5
_RUNS = 5  # that are looked at for a successful one
_OWN = ("push", "schedule", "workflow_dispatch", "repository_dispatch")
"""Events that run merged code; others may run what is not merged yet."""


class Artifact(NamedTuple):
    """One artifact."""

    id: int
    size: int
    digest: str
    """``sha256:`` and its digits; empty where GitHub does not tell."""
    is_expired: bool
    run: int
    branch: str
    is_own: bool
    """Whether the run was of the repository itself: a fork's branch may be called
    alike."""


class Artifacts:
    """The artifacts of one repository.

    Args:
        contents: The repository.
    """

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def of_branch(self, name: str, branch: str) -> Iterator[Artifact]:
        """List artifacts of a name from successful runs on a branch, newest first.

        Raises:
            Refused: GitHub does not tell.
        """
        runs = 0
        for each in self._with_name(name):
            if each.is_expired or not each.is_own or each.branch != branch:
                continue
            runs += 1
            if runs > _RUNS:
                return
            if self._succeeded(each.run, branch):
                yield each

    def _with_name(self, name: str) -> Iterator[Artifact]:
        for page in range(1, _PAGES + 1):
            query = urlencode({"name": name, "per_page": _PAGE, "page": page})
            data = self._contents.get(f"actions/artifacts?{query}", _READ)
            listed = [_upload(each) for each in found(list, data, "artifacts")]
            yield from sorted(listed, key=lambda each: -each.id)
            if len(listed) < _PAGE:
                return

    def _succeeded(self, run: int, branch: str) -> bool:
        data = self._contents.get(f"actions/runs/{run}", _READ)
        told = (text(data, "conclusion"), text(data, "head_branch"))
        return told == ("success", branch) and text(data, "event") in _OWN

    def fetch(self, upload: Artifact, to: Path) -> None:
        """Download an artifact to a file.

        Raises:
            Refused: It cannot be had, is too large, or is not what GitHub says.
        """
        if upload.size > LARGEST:
            raise too_large(LARGEST)
        path = f"actions/artifacts/{upload.id}/zip"
        url = self._contents.redirect(path, _READ)
        if urlsplit(url).scheme not in ("https", self._contents.scheme):
            raise Refused(Reason("GitHub leads to an address that is not safe"))
        digest = download(url, to, LARGEST)
        if upload.digest and upload.digest != f"sha256:{digest}":
            raise Refused(Reason("the archive is not the one that GitHub knows"))


def _upload(data: Any) -> Artifact:
    run = data.get("workflow_run") if isinstance(data, dict) else None
    told = run if isinstance(run, dict) else {}  # of a run that was deleted nothing is
    theirs, ours = (told.get(f"{side}repository_id") for side in ("head_", ""))
    return Artifact(
        id=found(int, data, "id"),
        size=found(int, data, "size_in_bytes"),
        digest=text(data, "digest"),
        is_expired=found(bool, data, "expired"),
        run=found(int, run, "id") if told else 0,
        branch=text(told, "head_branch"),
        is_own=ours is not None and ours == theirs,
    )

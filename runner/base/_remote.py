"""Fetches a baseline from a data branch or from an artifact."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from runner import settings
from runner.base._archive import results_of
from runner.base._fetched import FetchBaseline, Fetched, fetch_nothing
from runner.baseline import CASES, RESULTS
from runner.github import data_branch
from runner.github.client import Reason, Refused
from runner.github.contents import connect
from runner.github.workflow_artifacts import Artifacts
from runner.settings import Branches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from runner.github.contents import Contents
    from runner.spec import BaselineSource

HISTORY = "history.jsonl"
_ARCHIVES = 3  # that are fetched to find one with results of the spec
_NAMES = (RESULTS, CASES, HISTORY)


class Remote:
    """Fetches the baselines of one repository into folders that ``close`` removes.

    Args:
        connect: Gives what the repository holds, or refuses to.
        branches: Its default and base branch, as far as they are known.
        key: Tells apart what several runs of a spec keep.
    """

    def __init__(
        self, connect: Callable[[], Contents], branches: Branches, key: str = ""
    ) -> None:
        self._connect = connect
        self._branches = branches
        self._key = key
        self._made: list[TemporaryDirectory[str]] = []

    def close(self) -> None:
        """Delete what was fetched."""
        for folder in self._made:
            folder.cleanup()

    def fetch_baseline(self, source: BaselineSource, spec: str) -> Fetched:
        """Fetch the baseline of a spec, or say why that is impossible."""
        try:
            with closing(self._connect()) as contents:
                if source.kind == "branch":
                    return self._branch(contents, source.name, spec)
                return self._artifact(contents, source.name, spec)
        except Refused as refused:
            return Fetched(unread=f"of the {source}, {refused.reason}")

    def _branch(self, contents: Contents, name: str, spec: str) -> Fetched:
        check_data(name, self._branches)
        folder = data_branch.folder_of(spec, self._key)
        return self._write(data_branch.read(contents, name, folder, _NAMES))

    def _artifact(self, contents: Contents, name: str, spec: str) -> Fetched:
        branch = self._branches.base or contents.default_branch()
        artifacts = Artifacts(contents)
        tried = 0
        for artifact in islice(artifacts.of_branch(name, branch), _ARCHIVES):
            folder, tried = self._new(), tried + 1
            artifacts.fetch(artifact, folder / "archive.zip")
            if results_of(folder / "archive.zip", spec, folder):
                return Fetched(folder)
        what = f"artifact {name} of {branch} holds results of all cases of {spec}"
        return Fetched(notices=(f"no {what}",) if tried else ())

    def _new(self) -> Path:
        self._made.append(TemporaryDirectory(prefix="rag-eval-baseline-"))
        return Path(self._made[-1].name)

    def _write(self, files: Mapping[str, bytes]) -> Fetched:
        folder = self._new()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return Fetched(
            folder=folder if {*files} - {HISTORY} else None,
            history=folder / HISTORY if HISTORY in files else None,
        )


def from_environment(environ: Mapping[str, str]) -> FetchBaseline:
    """Make the function that fetches baselines outside of the action.

    Args:
        environ: Names the repository, and has the token.
    """
    run = settings.run(environ)
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN")
    if not run.repository or not token:
        return fetch_nothing
    branches = Branches(base=environ.get("GITHUB_BASE_REF") or None)
    return Remote(partial(connect, run, token), branches).fetch_baseline


def check_data(branch: str, branches: Branches) -> None:
    """See that a data branch is not the default or the base branch.

    Raises:
        Refused: It is one that people work on.
    """
    if branch in (branches.default, branches.base):
        why = f"{branch} is where pull requests go, and data has a branch of its own"
        raise Refused(Reason(why, "name another one, such as rag-eval-data"))

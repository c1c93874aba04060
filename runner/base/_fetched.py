"""The result of fetching a baseline that is kept outside of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from runner.spec import BaselineSource


class Fetched(NamedTuple):
    """A fetched baseline, or why there is none."""

    folder: Path | None = None
    """With results; None where there are none yet, or nobody knows."""
    history: Path | None = None
    """A file with a line for each earlier run, where the place keeps one."""
    unread: str = ""
    """Why it could not be read, so that nobody knows whether there is one."""
    notices: tuple[str, ...] = ()


FetchBaseline = Callable[["BaselineSource", str], Fetched]
"""Fetches what a source has for a spec file, named from the top of the workspace."""


def fetch_nothing(source: BaselineSource, _spec: str) -> Fetched:
    """Say that nothing can be fetched, for want of a repository to ask."""
    return Fetched(
        unread=f"the {source} is read through GitHub's API, by the action, or where "
        "GITHUB_REPOSITORY and GITHUB_TOKEN are set; --baseline takes a folder instead"
    )

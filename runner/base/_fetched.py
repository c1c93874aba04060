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
    """A folder with results; None where there are none yet, or that is unknown."""
    history: Path | None = None
    """The history file, where there is one."""
    unread: str = ""
    """Why it is unknown whether there is a baseline."""
    notices: tuple[str, ...] = ()


FetchBaseline = Callable[["BaselineSource", str], Fetched]
"""Fetches what a source has for a spec file, named from the top of the workspace."""


def fetch_nothing(source: BaselineSource, _spec: str) -> Fetched:
    """Give a result without a baseline, since there is no repository to ask."""
    return Fetched(
        unread=f"the {source} is read through GitHub's API, by the action, or where "
        "GITHUB_REPOSITORY and GITHUB_TOKEN are set; --baseline takes a folder instead"
    )

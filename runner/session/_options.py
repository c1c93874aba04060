"""The options of a run, and everything outside of the program that it touches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from runner.base import BaseCommit, FetchBaseline, fetch_nothing
from runner.gates import Loosened
from runner.hosts import Access
from runner.model import Record
from runner.pipeline import ALL, Filters
from runner.render import NOWHERE, Links


class RunOptions(NamedTuple):
    """What the user, or the step of a workflow, asks of a run."""

    spec: Path
    out: Path
    replay: Path | None = None
    baseline: Path | None = None
    filters: Filters = ALL
    commit: str | None = None
    """What is evaluated, for the record."""
    base: BaseCommit = BaseCommit()
    """What the change starts from."""
    history: Path | None = None
    """A JSON Lines file of earlier runs, for trends and for limits to tighten."""
    remember: bool = False
    """Whether this run is added to the history, if it judged every case."""
    trials: int | None = None
    """How often each case is asked; None for what the spec says."""
    loosened: Loosened = "warn"
    """What a limit that is looser than at the base commit does to the verdict."""
    is_own: bool = False
    """Whether the spec is the repository's own: where no base commit is known, a
    comment may then call the owners that it names."""
    links: Links = NOWHERE
    """Where the rendered files lead; filled in where a workflow runs this."""
    access: Access = Access()
    """What may be reached over the network."""


Progress = Callable[[int, str], AbstractContextManager[Callable[[Record], None]]]
"""Given the number of cases and ``asked`` or ``replayed``, gives what shows progress.
"""


class World(NamedTuple):
    """Folders, variables and callbacks of a run, each replaceable in a test."""

    root: Path
    """The workspace: nothing outside of it is read."""
    writable: Path
    """Results go to a folder below it."""
    templates: Path
    environ: Mapping[str, str]
    progress: Progress
    interruptible: Callable[[Iterable[Any]], Iterator[Any]] = iter
    """Raises ``Cancelled`` between two exchanges when the user said stop."""
    fetch_baseline: FetchBaseline = fetch_nothing
    """Fetches a baseline that is kept outside of the workspace."""
    may_start: bool = True
    """Whether ``endpoint.start`` may run its command here."""


def writable(out: Path, world: World) -> Path:
    """Give where results may go: no link in the workspace may lead out of it."""
    root = os.path.abspath(world.root)  # noqa: PTH100 - links are not followed here
    written = Path(os.path.abspath(out))  # noqa: PTH100 - likewise
    return world.root if written.is_relative_to(root) else world.writable

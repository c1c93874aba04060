"""What the user asked for, and the world in which it is carried out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from runner.base import Bring, nowhere
from runner.gates import Loosened
from runner.hosts import Access
from runner.model import Record, YardstickChange
from runner.pipeline import ALL, Filters
from runner.render import NOWHERE, Links


class Order(NamedTuple):
    """What the user asked for."""

    spec: Path
    out: Path
    replay: Path | None = None
    baseline: Path | None = None
    filters: Filters = ALL
    commit: str | None = None
    """What is evaluated, for the record."""
    before: Path | None = None
    """The workspace at the base commit, to hold this one against."""
    base: str | None = None
    """The commit that this is at, where it is known."""
    unknown: str = ""
    """Why there is no workspace at the base commit, where there should be one."""
    moved: tuple[YardstickChange, ...] = ()
    """What the change does to its bar beside the spec."""
    history: Path | None = None
    """A file with a line for each earlier run: a trend, and limits that are safe."""
    remember: bool = False
    """Whether this run becomes a line of the history, if it judged every case."""
    trials: int | None = None
    """How often each case is asked, in the place of what the spec says."""
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
"""Given the number of cases and what is done to them, shows each as it is judged."""


class World(NamedTuple):
    """What is outside of the program, as far as a run touches it."""

    root: Path
    """The workspace: nothing outside of it is read."""
    writable: Path
    """Results go to a folder below it."""
    templates: Path
    environ: Mapping[str, str]
    progress: Progress
    interruptible: Callable[[Iterable[Any]], Iterator[Any]] = iter
    """Raises ``Cancelled`` between two exchanges when the user said stop."""
    bring: Bring = nowhere
    """Fetches a baseline that is kept outside of the workspace."""
    may_start: bool = True
    """Whether ``endpoint.start`` may run its command here."""


def writable(out: Path, world: World) -> Path:
    """Give where results may go: no link in the workspace may lead out of it."""
    root = os.path.abspath(world.root)  # noqa: PTH100 - links are not followed here
    written = Path(os.path.abspath(out))  # noqa: PTH100 - likewise
    return world.root if written.is_relative_to(root) else world.writable

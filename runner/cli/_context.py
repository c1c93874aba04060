"""What every command needs: the workspace, the templates, and where it prints."""

from __future__ import annotations

import os
import site
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from runner import interrupts
from runner.errors import InputError, Place

if TYPE_CHECKING:
    from runner.session import World

SIGNALS = interrupts.Signals()
"""Those that stop this process."""

SHARE = "share/rag-eval-action"  # where the wheel puts its data files


def write(text: str, *, whole: bool = False) -> None:
    """Write to standard output; ``whole`` where it is what the command is for."""
    from runner import terminal

    (terminal.deliver if whole else terminal.write)(text, sys.stdout)


def tell(text: str, stream: TextIO | None = None) -> None:
    """Print a line, by default to standard output."""
    from runner import terminal

    terminal.tell(text, stream or sys.stdout)


def world(spec: Path, *, quiet: bool) -> World:
    """Make the world of a command on a spec."""
    from runner import progress
    from runner.base import from_environment
    from runner.session import World

    return World(
        root=workspace(spec),
        writable=Path("/"),
        templates=templates(),
        environ=os.environ,
        progress=progress.silent
        if quiet or sys.stderr is None
        else partial(progress.shown, stream=sys.stderr),
        fetch_baseline=from_environment(os.environ),
        interruptible=SIGNALS.interruptible,
    )


def workspace(spec: Path) -> Path:
    """Give the repository of a spec, else the working directory or its folder."""
    if named := os.environ.get("GITHUB_WORKSPACE"):
        return Path(named)
    folder = Path(os.path.realpath(spec)).parent
    if top := repository(folder):
        return top
    here = Path.cwd()
    return here if folder.is_relative_to(here) else folder


def repository(folder: Path) -> Path | None:
    """Give the top of the repository that a folder is in, None where it is in none."""
    real = Path(os.path.realpath(folder))
    is_top = os.path.exists  # which a name that is too long does not stop
    return next((up for up in (real, *real.parents) if is_top(up / ".git")), None)


def recipes() -> Path:
    """Give the folder of the specs for servers."""
    return templates().parent / "specs/recipes"


def templates() -> Path:
    """Give the folder of the templates: of a checkout, else of the installation."""
    beside = Path(__file__).resolve().parents[2]
    installed = (Path(base) / SHARE for base in (sys.prefix, site.getuserbase()))
    folders = [folder / "templates" for folder in (beside, *installed)]
    for folder in folders:
        if (folder / "comment.md.j2").is_file():
            return folder
    what, where = "the templates are not installed", Place(str(folders[1]))
    raise InputError(what, where=where, hint="install rag-eval-action again")

"""The options of ``rag-eval run``, in the order in which its help shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

PATH = click.Path(path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])

_WHERE = (
    click.option(
        "--out",
        type=PATH,
        default="rag-eval-results",
        show_default=True,
        help="Folder for the results.",
    ),
    click.option(
        "--replay",
        type=PATH,
        help="Score the replies recorded in this file; ask nobody.",
    ),
)
_AGAINST = (
    click.option(
        "--baseline",
        type=PATH,
        help="Results to compare with, instead of the spec's baseline.",
    ),
    click.option(
        "--before",
        type=PATH,
        help="The workspace at the base commit, such as another work tree: its "
        "baseline holds, and what changed in thresholds, red lines and labels is told.",
    ),
    click.option(
        "--loosened",
        type=click.Choice(["fail", "warn", "ignore"]),
        default="warn",
        show_default=True,
        help="What a limit that is looser than in --before does.",
    ),
)
_HISTORY = (
    click.option(
        "--history",
        type=PATH,
        help="JSON Lines of earlier runs: shows a trend, and limits that are safe now.",
    ),
    click.option(
        "--remember",
        is_flag=True,
        help="Add this run to --history; for runs on the default branch.",
    ),
)
_ENDING = (
    click.option(
        "--fail-on",
        type=click.Choice(["gate", "error", "never"]),
        default="gate",
        show_default=True,
        help="What makes the exit status other than 0.",
    ),
    click.option("--quiet", is_flag=True, help="No progress on standard error."),
)
_TRIALS = (
    click.option(
        "--trials",
        type=click.IntRange(min=1, max=100),
        help="Ask each case so often, instead of what the spec says.",
    ),
)
_FILTERS = (
    click.option("--tag", "tags", multiple=True, help="Only cases with this tag."),
    click.option("--type", "types", multiple=True, help="Only cases of this type."),
    click.option("--case", "ids", multiple=True, help="Only the case of this id."),
    click.option("--limit", type=click.IntRange(min=1), help="Only the first N."),
)


def run_options(command: Command) -> Command:
    """Add every option of a run to a command."""
    for option in reversed(
        (*_WHERE, *_AGAINST, *_HISTORY, *_ENDING, *_TRIALS, *_FILTERS)
    ):
        command = option(command)
    return command

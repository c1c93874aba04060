"""The commands in which people and judge meet."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from runner.cli._options import PATH
from runner.cli._room import tell, workspace
from runner.errors import InputError


@click.command()
@click.argument("results", type=PATH)
@click.option("--to", type=PATH, help="The sheet, in CSV or JSON Lines; or the labels.")
@click.option(
    "--read",
    "sheets",
    type=PATH,
    multiple=True,
    help="A sheet that somebody filled in; several to compare who did.",
)
@click.option(
    "--spec", type=PATH, help="The spec of the run, where it is elsewhere now."
)
@click.option(
    "--replay", type=PATH, help="The replies, where the run was a replay of this file."
)
@click.option("--metric", "metrics", multiple=True, help="Only this judged metric.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="The most replies of each metric.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Which replies are drawn."
)
def annotate(
    results: Path,
    to: Path | None,
    sheets: tuple[Path, ...],
    spec: Path | None,
    replay: Path | None,
    metrics: tuple[str, ...],
    **drawn: int,
) -> None:
    """Write a sheet of replies for people to label, or read it back with --read.

    A sheet is a sample over languages, outcomes and judge's scores, and shows none of
    these. What is read back is a file of labels for rag-eval calibrate, and how far two
    annotators agree.
    """
    from runner import annotation
    from runner.publish import texts

    found = annotation.run_of(
        results, spec, workspace(spec or results), os.environ, datetime.now(UTC).date()
    )
    if replay:
        found = found._replace(replies=replay)
    if sheets:
        taken = annotation.take(found, sheets)
        if to:
            texts.write({to: taken.text}, over=False)
        tell("\n".join((*taken.told, *([f"wrote {to.as_posix()}"] if to else []))))
        return
    if to is None:
        hint = "--to sheet.csv, or --read sheet.csv"
        raise InputError("annotate needs the name of a sheet", hint=hint)
    given = annotation.give(
        found, to, metrics, size=drawn["sample"], seed=drawn["seed"]
    )
    written = {to.with_name(name): text for name, text in given.files.items()}
    texts.write(written, over=False)
    tell("\n".join((*(f"wrote {path.as_posix()}" for path in written), *given.told)))

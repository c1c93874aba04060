"""The commands ``annotate`` and ``calibrate``: labels by people, and the judge."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from math import isfinite, nan
from pathlib import Path
from typing import Any

import click

from runner.cli._context import tell, workspace, world
from runner.cli._options import PATH
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
    "size",
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
    from runner.publish import text_files

    found = annotation.finished_run(
        results, spec, workspace(spec or results), os.environ, datetime.now(UTC).date()
    )
    if replay:
        found = found._replace(replies=replay)
    if sheets:
        taken = annotation.read_sheets(found, sheets)
        if to:
            text_files.write({to: taken.text}, over=False)
        tell("\n".join((*taken.summary, *([f"wrote {to.as_posix()}"] if to else []))))
        return
    if to is None:
        hint = "--to sheet.csv, or --read sheet.csv"
        raise InputError("annotate needs the name of a sheet", hint=hint)
    given = annotation.export(found, to, metrics, **drawn)
    written = {to.with_name(name): text for name, text in given.files.items()}
    text_files.write(written, over=False)
    tell("\n".join((*(f"wrote {path.as_posix()}" for path in written), *given.summary)))


@click.command()
@click.argument("spec", type=PATH)
@click.option(
    "--labels",
    type=PATH,
    required=True,
    help="What people say of replies: CSV, JSON Lines, JSON or YAML.",
)
@click.option(
    "--replay",
    "replies",
    type=PATH,
    help="A responses.jsonl with the replies to labels that name a case by its id.",
)
@click.option(
    "--out",
    type=PATH,
    help="The file to write; where judge.calibration is, else calibration.json.",
)
@click.option(
    "--good",
    multiple=True,
    metavar="METRIC=SCORE",
    help="From which score on the judge calls a reply good, instead of the pass mark.",
)
@click.option(
    "--copies",
    type=click.IntRange(min=0),
    default=40,
    show_default=True,
    help="Of how many items of each metric changed copies are rated too.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Which, and how changed."
)
def calibrate(
    spec: Path, out: Path | None, good: tuple[str, ...], **options: Any
) -> None:
    """Hold the judge of a spec against what people say, and write how far it agrees.

    0: the file is written. 2: the spec, a label or an option is wrong. 3: the judge
    could not be asked. 130: cancelled.
    """
    from runner import meta_evaluation
    from runner.progress import counting
    from runner.publish import text_files

    today = datetime.now(UTC).date()
    marks = dict(map(_mark, good))
    request = meta_evaluation.Request(spec, good=marks, **options)
    around = world(spec, quiet=True)
    study = meta_evaluation.prepare(request, around, today)
    path = out or study.out(around.root)
    text_files.check(path)
    tell("\n".join(study.describe(around.templates)), sys.stderr)
    tick = counting(study.total, "rated", sys.stderr)
    found = meta_evaluation.carry_out(study, around, today, tick)
    text_files.write({path: found.text}, over=True)
    naming = study.naming(path, around.root)
    tell("\n".join((*found.summary, f"wrote {path.as_posix()}", *naming)))


def _mark(written: str) -> tuple[str, float]:
    """Read ``faithfulness=0.8``."""
    label, _, value = written.rpartition("=")
    try:
        score = float(value)
    except ValueError:
        score = nan
    if not label or not isfinite(score):
        hint = "write --good faithfulness=0.8"
        raise InputError(f"--good {written}: is no metric with a score", hint=hint)
    return label, score

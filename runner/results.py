"""Reads a results folder or a baseline back, and renders it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from runner import baseline, files, render, report
from runner.comparison import Results
from runner.errors import InputError, Place
from runner.model import Record
from runner.render import NOWHERE, Links
from runner.report import Report
from runner.templating import report_environment

_LIMIT = 256 * 2**20  # bytes of results.json
JUNIT_CASES = 2_000  # with more, junit.xml names failing cases alone: viewers choke


def folder_of(named: Path) -> Path:
    """Give the results folder of a path, which may be that of its ``results.json``."""
    by_file = named.name == baseline.RESULTS and named.is_file()
    return named.parent if by_file else named


def renderings(
    templates: Path, folder: Path, links: Links = NOWHERE
) -> dict[str, Callable[[Report], str]]:
    """Give the renderer of each file of a results folder, by file name."""
    environment = report_environment(templates, render.FILTERS)

    def junit(found: Report) -> str:
        every = 0 < found.totals.cases <= JUNIT_CASES
        return render.junit(found, environment, _records(folder) if every else ())

    return {
        "comment.md": partial(render.comment, environment=environment, links=links),
        "summary.md": partial(render.summary, environment=environment, links=links),
        "report.html": partial(render.html, environment=environment, links=links),
        "junit.xml": junit,
    }


def comment(report: Report, templates: Path, links: Links = NOWHERE) -> str:
    """Give the comment of a report, for a pull request."""
    environment = report_environment(templates, render.FILTERS)
    return render.comment(report, environment, links=links)


def baseline_command(found: Report, out: Path, root: Path, here: Path) -> str:
    """Give the command that makes a run the baseline it lacks, to be run in ``here``.

    Nothing where the spec names none, where it was compared, or where the results could
    not be saved as one.
    """
    may_be = found.verdict in ("passed", "failed") and not found.filters
    is_folder = found.baseline_kind == "path"
    if found.comparison or not found.baseline or not (is_folder and may_be):
        return ""
    start = root if found.baseline.startswith("/") else root / Path(found.spec).parent
    place = os.path.relpath(start / found.baseline.lstrip("/"), here)
    words = ("rag-eval", "baseline", "save", out.as_posix(), "--to", place)
    return shlex.join(words)


def _records(folder: Path) -> Iterator[Record]:
    path = folder / baseline.CASES
    for line, value in files.read_jsonl(path):
        yield baseline.read_record(value, Place(str(path), line))


def read_results(
    folder: Path, shown: str, needs_ids: Callable[[Record], bool] = lambda _: True
) -> Results:
    """Give the results or the baseline in a folder.

    ``needs_ids`` says of which cases the retrieved ids are kept.

    Raises:
        InputError: It is not there, or it is damaged.
    """
    found = read_report(folder, shown)
    file = f"{shown}/{baseline.CASES}"
    lines = files.read_jsonl(folder / baseline.CASES, file=file)
    return baseline.read_results(found, lines, file, needs_ids)


def read_report(folder: Path, shown: str, limit: int = _LIMIT) -> Report:
    """Give the Report in a results folder.

    Raises:
        InputError: It is not there, it is damaged, or it has more than ``limit`` bytes.
    """
    path, file = folder / baseline.RESULTS, f"{shown}/{baseline.RESULTS}"
    if not os.path.lexists(path):
        raise InputError(
            "no results are there",
            where=Place(file),
            hint="give the folder that a run wrote with --out",
        )
    text = files.read_bytes(path, file=file, limit=limit)
    return report.read(text, Place(file))

"""A results folder or a baseline, rendered and read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from runner import baseline, files, render, report
from runner.comparison import Results
from runner.errors import InputError, Place
from runner.model import Record
from runner.report import Report
from runner.templating import report_environment

JUNIT_CASES = 2_000  # with more, junit.xml names failing cases alone: viewers choke


def renderings(templates: Path, folder: Path) -> dict[str, Callable[[Report], str]]:
    """Give what makes each rendered file of a results folder, by its name."""
    environment = report_environment(templates, render.FILTERS)

    def junit(found: Report) -> str:
        every = found.totals.cases <= JUNIT_CASES
        return render.junit(found, environment, _records(folder) if every else ())

    return {
        "comment.md": partial(render.comment, environment=environment),
        "summary.md": partial(render.summary, environment=environment),
        "report.html": partial(render.html, environment=environment),
        "junit.xml": junit,
    }


def _records(folder: Path) -> Iterator[Record]:
    path = folder / "cases.jsonl"
    for line, value in files.read_jsonl(path):
        yield baseline.read_record(value, Place(str(path), line))


def read_results(folder: Path, shown: str) -> Results:
    """Give the results or the baseline in a folder.

    Raises:
        InputError: It is not there, or it is damaged.
    """
    found = read_report(folder, shown)
    lines = files.read_jsonl(folder / "cases.jsonl")
    return baseline.read_results(found, lines, f"{shown}/cases.jsonl")


def read_report(folder: Path, shown: str) -> Report:
    """Give the Report in a results folder.

    Raises:
        InputError: It is not there, or it is damaged.
    """
    try:
        text = (folder / "results.json").read_bytes()
    except OSError as error:
        raise InputError(
            f"no results: {error.strerror}",
            where=Place(f"{shown}/results.json"),
            hint="give the folder that a run wrote with --out",
        ) from None
    return report.read(text, Place(f"{shown}/results.json"))

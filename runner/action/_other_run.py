"""The results of another run, which may have been a fork's and can hold anything.

They are data alone: one file of each folder is read, within bounds, and only what the
schema says of it goes on. What another run rendered is not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from runner import files, results
from runner.action._result import SpecResult
from runner.baseline import RESULTS
from runner.errors import InputError, Place
from runner.report import Report, mapped, shortened

_FILES = 10_000  # that a folder may hold
_RESULTS = 20  # comments that a step makes
_SIZE = 32 * 2**20  # bytes; 200 failing cases at their longest have about 2 MB
_TEXT = 4_000  # characters; a run cuts its own texts at 2,000


def results_of_run(folder: str, root: Path, commit: str | None) -> list[SpecResult]:
    """Read all results below a folder; each stands for one spec.

    Args:
        folder: Of the workspace, with the results of one spec or of many.
        root: The workspace.
        commit: What the run was about, by the event and not by its results.

    Raises:
        InputError: There are none or too many, a file is not what it should be, or
            results are of another commit.
    """
    if not commit:
        raise _wrong(
            "the event names no commit to hold results against",
            "use it on workflow_run or on pull_request",
        )
    top = Path(os.path.realpath(root))
    start = top / files.name_of(root / folder, root)
    found = [path.relative_to(top) for path in sorted(_report_files(start, top))]
    if not found:
        raise _wrong(
            f"no results.json in {folder}", "download the artifact of the run to it"
        )
    if len(found) > _RESULTS:
        raise _wrong(f"{len(found)} results in {folder}, and {_RESULTS} at most")
    return [_result_in(path.parent, top, commit) for path in found]


def _result_in(folder: Path, top: Path, commit: str) -> SpecResult:
    shown = folder.as_posix()
    report = results.read_report(top / folder, shown, _SIZE)
    if report.commit != commit:
        raise InputError(
            f"the results are of {_short(report.commit)}, and the run of "
            f"{_short(commit)}",
            where=Place(f"{shown}/{RESULTS}"),
        )
    bounded: Report = mapped(report, partial(shortened, limit=_TEXT))
    return SpecResult(shown, 0, bounded, folder=top / folder)


def _report_files(start: Path, top: Path) -> Iterator[Path]:
    """Find the results below a folder, and refuse links in it."""
    seen = 0
    for place, folders, names in os.walk(start):
        for name in (*folders, *names):
            path = Path(place, name)
            seen += 1
            if path.is_symlink():
                where = Place(path.relative_to(top).as_posix())
                raise InputError("is a link, and only files are read", where=where)
            if seen > _FILES:
                raise _wrong(f"more than {_FILES:,} files")
            if name == RESULTS and path.is_file():
                yield path


def _short(commit: str | None) -> str:
    return f"commit {commit[:7]}" if commit else "no commit"


def _wrong(what: str, hint: str = "") -> InputError:
    return InputError(f"input publish: {what}", hint=hint)

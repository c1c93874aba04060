"""Stores results and history of a run on the default branch, on a data branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from runner import history, offline, report
from runner.action._checkout import commit_of
from runner.action._result import SpecResult
from runner.base import HISTORY, check_data
from runner.baseline import CASES, RESULTS
from runner.errors import InputError, Place, RagEvalError
from runner.github import data_branch
from runner.github.client import Reason, Refused
from runner.github.contents import connect
from runner.github.data_branch import Read, folder_of
from runner.github.workflow import Annotation, Workflow
from runner.report import Report
from runner.settings import Settings
from runner.units import count

_LINES = 1_000  # of a history; it shows 30
_TITLE = "The baseline was not kept"


class _Due(NamedTuple):
    """One run whose results are to be stored."""

    report: Report
    folder: Path
    """With its results."""
    branch: str


def store(
    ended: Sequence[SpecResult], config: Settings, root: Path, step: Workflow
) -> None:
    """Write results and history to the data branches that the specs name.

    Only a run on the default branch does, and only what it could judge, of all cases.
    What keeps it from being written is a warning, and no matter for the verdict.
    """
    if not config.branches.is_here:
        return
    due = sorted(_runs_to_store(ended), key=lambda each: each.branch)
    for branch, group in groupby(due, key=lambda each: each.branch):
        runs = list(group)
        try:
            check_data(branch, config.branches)
            _check_commit(runs, config, root)
            with closing(connect(config.run, config.token)) as contents:
                make = partial(_files, runs, config.comment_key)
                data_branch.write(contents, branch, make, _message(runs))
        except Refused as refused:
            step.annotate([Annotation("warning", _TITLE, str(refused.reason))])
        except RagEvalError as error:
            step.annotate([Annotation("warning", _TITLE, str(error))])
        else:
            step.log(f"branch {branch}: {_message(runs)}")


def _runs_to_store(ended: Sequence[SpecResult]) -> Iterator[_Due]:
    for each in ended:
        made, folder = each.report, each.folder
        if made is None or folder is None or each.error or not history.counts(made):
            continue
        if made.baseline and made.baseline_kind == "branch":
            yield _Due(made, folder, made.baseline)


def _check_commit(runs: Sequence[_Due], config: Settings, root: Path) -> None:
    """See that the evaluated commit is that of the default branch."""
    for run in runs:
        at = commit_of(root / run.report.spec, root)
        if at not in (None, config.change.commit):
            why = f"{(at or '')[:7]} is checked out, which is not the default branch"
            raise Refused(Reason(why))


def _message(runs: Sequence[_Due]) -> str:
    what = f"Baseline of {runs[0].report.spec}"
    if len(runs) > 1:
        what = f"Baselines of {count(len(runs), 'spec')}"
    commit = runs[0].report.commit
    return f"{what} at {commit[:7]}" if commit else what


def _files(runs: Sequence[_Due], key: str, there: Read) -> dict[str, str]:
    """Give the files to write for some runs."""
    files = {}
    for run in runs:
        folder = folder_of(run.report.spec, key)
        for name, text in _of_one(run, there(folder, (RESULTS, HISTORY))).items():
            files[f"{folder}/{name}"] = text
    return files


def _of_one(run: _Due, before: Mapping[str, bytes]) -> dict[str, str]:
    if _is_later(before.get(RESULTS), run.report):
        return {}
    with TemporaryDirectory(prefix="rag-eval-kept-") as name:
        to = Path(name, "baseline")
        offline.save_baseline(run.folder, to, to)
        kept = {name: (to / name).read_text("utf-8") for name in (RESULTS, CASES)}
    lines = before.get(HISTORY, b"").decode("utf-8", "replace").splitlines()
    line = history.point(run.report).model_dump_json(exclude_none=True)
    recent = [*lines[1 - _LINES :], line]
    return {**kept, HISTORY: "".join(f"{line}\n" for line in recent)}


def _is_later(text: bytes | None, now: Report) -> bool:
    """Whether results of a later run are stored already."""
    if text is None:
        return False
    try:
        then = report.read(text, Place(RESULTS)).started
    except InputError:
        return False  # what cannot be read has to go
    return bool(then and now.started and then > now.started)

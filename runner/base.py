"""What a run is held against: earlier results, and the spec and the cases as they were.

Where the workspace of the base commit is at hand, the baseline is read there: nobody
edits the yardstick of the change that it judges.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runner import files, history, pipeline
from runner.comparison import Results
from runner.errors import InputError, Place
from runner.metrics import registry
from runner.results import folder_of, read_results
from runner.yardstick import Yardstick, changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from runner.history import Point
    from runner.pipeline import Plan


class Sources(NamedTuple):
    """Where to look."""

    root: Path
    """The workspace."""
    results: Path | None = None
    """Results that are given by hand, in the place of the spec's own baseline."""
    before: Path | None = None
    """The workspace at the base commit."""
    history: Path | None = None
    """A file with a line for each earlier run; it need not be there yet."""


def held_against(plan: Plan, sources: Sources, environ: Mapping[str, str]) -> Plan:
    """Give the plan with its baseline and with what changed in the spec and the labels.

    A baseline that is nowhere yet is none. One that the base commit has is read there;
    if it is gone now, the run is told so. One that only the work tree has is used, with
    a notice that the change brings it itself.

    Raises:
        InputError: A folder given by hand is not there, or a baseline is damaged.
    """
    if sources.before and not sources.before.is_dir():
        where = Place(f"--before {sources.before}")
        raise InputError("there is no such folder", where=where)
    if sources.history:
        plan = plan._replace(history=tuple(_history(sources.history)))
    return _with_changes(_with_baseline(plan, sources), sources, environ)


def _history(path: Path) -> Iterator[Point]:
    if os.path.lexists(path):
        shown = path.as_posix()
        yield from history.read(files.read_jsonl(path, file=shown), shown)


def _with_baseline(plan: Plan, sources: Sources) -> Plan:
    if sources.results:
        folder = folder_of(sources.results)
        return plan._replace(baseline=read_results(folder, folder.as_posix()))
    if not plan.spec.baseline:
        return plan
    now = _folder(plan, sources.root)
    then = _folder(plan, sources.before) if sources.before else None
    if then and os.path.lexists(then):
        lost = not os.path.lexists(now)
        review = plan.review._replace(baseline_lost=lost)
        return plan._replace(baseline=_read(then, plan), review=review)
    if not os.path.lexists(now):
        return plan
    new = "the baseline is new in this change: the run is held against its own file"
    told = plan.notices if then is None else (*plan.notices, new)
    return plan._replace(baseline=_read(now, plan), notices=told)


def _folder(plan: Plan, root: Path) -> Path:
    written = plan.spec.baseline or ""
    where = plan.place("baseline", "path")
    return files.named(written, spec=plan.spec.file, root=root, where=where)


def _read(folder: Path, plan: Plan) -> Results:
    return read_results(folder, plan.spec.baseline or "")


def _with_changes(plan: Plan, sources: Sources, environ: Mapping[str, str]) -> Plan:
    if sources.before is None:
        return plan
    spec = sources.before / plan.spec.file
    if not os.path.lexists(spec):
        new = f"{plan.spec.file} is new: there is nothing that it could loosen"
        return plan._replace(notices=(*plan.notices, new))
    try:
        then = pipeline.plan(spec, sources.before, environ)
    except InputError as error:
        unread = f"WHAT CHANGED IN THE SPEC IS NOT KNOWN: as it was before, {error}"
        return plan._replace(notices=(*plan.notices, unread))
    now = Yardstick(plan.spec, (*plan.cases, *plan.left_out))
    found = changes(now, Yardstick(then.spec, then.cases), registry)
    return plan._replace(review=plan.review._replace(changes=found))

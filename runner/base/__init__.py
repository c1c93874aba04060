"""What a run is compared with: the baseline, and spec and labels at the base commit.

Where the workspace at the base commit is at hand, the baseline is read there, so that a
pull request cannot edit the results that it is compared with.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runner import files, history, pipeline
from runner.base._fetched import FetchBaseline, Fetched, fetch_nothing
from runner.base._git import Git
from runner.base._remote import HISTORY, Remote, check_data, from_environment
from runner.base._snapshot import Checkout, Objects, Snapshot
from runner.errors import InputError, Place
from runner.metrics import registry
from runner.results import folder_of, read_results
from runner.spec import owners
from runner.yardstick import Yardstick, changes, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runner.history import Point
    from runner.model import Case, YardstickChange
    from runner.pipeline import Filters, Plan
    from runner.spec import BaselineSource, Spec

__all__ = [
    "HISTORY",
    "BaseCommit",
    "Checkout",
    "FetchBaseline",
    "Fetched",
    "Git",
    "Objects",
    "Remote",
    "Snapshot",
    "Sources",
    "check_data",
    "fetch_nothing",
    "from_environment",
    "with_baseline",
    "with_trials",
]


class BaseCommit(NamedTuple):
    """The workspace at the commit that a change starts from."""

    folder: Path | None = None
    """A copy of the workspace at that commit; None where there is none."""
    sha: str | None = None
    """The commit, where it is known."""
    unknown: str = ""
    """Why there is no folder, where the event has a base commit."""
    changes: tuple[YardstickChange, ...] = ()
    """Changes since to the strictness of the check, outside of the spec file."""


class Sources(NamedTuple):
    """Where the baseline and the base commit are found."""

    root: Path
    """The workspace."""
    results: Path | None = None
    """Results given with ``--baseline``, in place of the baseline of the spec."""
    base: BaseCommit = BaseCommit()
    history: Path | None = None
    """A file with a line for each earlier run; it need not be there yet."""
    fetch_baseline: FetchBaseline = fetch_nothing
    """Fetches a baseline that is kept outside of the workspace."""
    trials: int | None = None
    """How often each case is asked, in both specs; None for what each says."""


def with_baseline(plan: Plan, sources: Sources, environ: Mapping[str, str]) -> Plan:
    """Add to a plan its baseline, and what changed in the spec and the labels.

    A baseline that is nowhere yet is none. Which one it is, the spec at the base commit
    says. A folder that the base commit has is read there; if it is gone now, the run is
    told so. One that only the work tree has is used, with a notice that the change
    brings it itself.

    Raises:
        InputError: A folder given by hand is not there, or a baseline is damaged.
    """
    before = sources.base.folder
    if before and not before.is_dir():
        where = Place(f"--before {before}")
        raise InputError("there is no such folder", where=where)
    if sources.history:
        plan = plan._replace(history=tuple(_history(sources.history)))
    plan, then = _with_changes(plan, sources, environ)
    if sources.results:
        folder = folder_of(sources.results)
        return plan._replace(baseline=read_results(folder, folder.as_posix()))
    if not plan.spec.baseline:
        return plan
    # What answers now is no record of what was, and is asked as the change says.
    known = then and then.baseline and then.baseline.kind != "endpoint"
    spec = then if then and known else plan.spec
    return _with_baseline(plan, spec, sources)


def _history(path: Path) -> Iterator[Point]:
    if os.path.lexists(path):
        shown = path.as_posix()
        yield from history.read(files.read_jsonl(path, file=shown), shown)


def _with_baseline(plan: Plan, spec: Spec, sources: Sources) -> Plan:
    """Add to a plan the baseline that a spec names."""
    source = spec.baseline
    if source is None:
        return plan
    if source.kind == "endpoint":
        return plan._replace(rival=plan.spec.rival)
    if source.kind == "path":
        return _from_folder(plan, source, sources)
    if source.kind == "results":
        folder = _folder(source, plan, sources.root)
        return _with_results(plan, folder, source) if os.path.lexists(folder) else plan
    return _from_github(plan, source, sources)


def _from_folder(plan: Plan, source: BaselineSource, sources: Sources) -> Plan:
    now = _folder(source, plan, sources.root)
    before = sources.base.folder
    then = _folder(source, plan, before) if before else None
    if then and os.path.lexists(then):
        moved = source != plan.spec.baseline
        lost = not moved and not os.path.lexists(now)
        review = plan.review._replace(baseline_lost=lost)
        return _with_results(plan._replace(review=review), then, source)
    if not os.path.lexists(now):
        return plan
    new = "the baseline is new in this change: the run is held against its own file"
    plan = plan if then is None else _with_notices(plan, new)
    return _with_results(plan, now, source)


def _from_github(plan: Plan, source: BaselineSource, sources: Sources) -> Plan:
    found = sources.fetch_baseline(source, plan.spec.file)
    review = plan.review._replace(baseline_unread=found.unread)
    plan = _with_notices(plan._replace(review=review), *found.notices)
    if found.history and plan.history is None:
        plan = plan._replace(history=tuple(_history(found.history)))
    return _with_results(plan, found.folder, source) if found.folder else plan


def _folder(source: BaselineSource, plan: Plan, root: Path) -> Path:
    where = plan.place("baseline", source.kind)
    return files.named(source.name, spec=plan.spec.file, root=root, where=where)


def _with_results(plan: Plan, folder: Path, source: BaselineSource) -> Plan:
    # A folder goes by its path alone, as the spec writes it.
    shown = source.name if source.kind in ("path", "results") else str(source)
    return plan._replace(baseline=read_results(folder, shown))


def _with_changes(
    plan: Plan, sources: Sources, environ: Mapping[str, str]
) -> tuple[Plan, Spec | None]:
    """Add to a plan what changed since the base commit; give also the spec there."""
    base = sources.base
    if base.folder is None:
        return _with_unknown(plan, base.unknown), None
    review = plan.review._replace(
        base=base.sha, owners=frozenset(), changes=base.changes
    )
    plan = plan._replace(review=review)
    spec = base.folder / plan.spec.file
    if not os.path.lexists(spec):
        new = f"{plan.spec.file} is new: there is nothing that it could loosen"
        return _with_notices(plan, new), None
    try:
        then = pipeline.plan(spec, base.folder, environ, today=plan.today)
    except InputError as error:
        unread = f"WHAT CHANGED IN THE SPEC IS NOT KNOWN: as it was before, {error}"
        return _with_unknown(plan, unread), None
    now, old = (*plan.cases, *plan.left_out), then.cases
    asked = with_trials(then.spec, sources.trials)
    found = changes(
        Yardstick(plan.spec, now, {case.id for case in plan.left_out}),
        Yardstick(asked, old, _left_out(old, plan.filters)),
        registry,
    )
    found = in_order((*base.changes, *found))
    review = plan.review._replace(changes=found, owners=owners(then.spec))
    return plan._replace(review=review), then.spec


def with_trials(spec: Spec, times: int | None) -> Spec:
    """Give a spec with another number of trials; None leaves it as it is."""
    if times is None:
        return spec
    return spec._replace(trials=spec.trials._replace(times=times))


def _left_out(cases: Sequence[Case], filters: Filters) -> frozenset[str]:
    """Give the ids of the cases that filters leave out."""
    try:
        chosen = {case.id for case in pipeline.select(cases, filters)}
    except InputError:
        chosen = set()
    return frozenset(case.id for case in cases if case.id not in chosen)


def _with_unknown(plan: Plan, why: str) -> Plan:
    """Add to a plan why it is unknown what the change loosens."""
    if plan.review.loosened == "ignore":
        return _with_notices(plan, *filter(None, (why,)))
    return plan._replace(review=plan.review._replace(unknown=why))


def _with_notices(plan: Plan, *notices: str) -> Plan:
    review = plan.review
    return plan._replace(review=review._replace(notices=(*review.notices, *notices)))

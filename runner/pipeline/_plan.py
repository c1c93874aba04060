"""Everything that is known before the first request, and which cases it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from runner import files
from runner.comparison import Results
from runner.errors import InputError, Place, Problems, did_you_mean, masking
from runner.gates import NO_REVIEW, Review
from runner.history import Point
from runner.metrics import registry
from runner.model import NOTHING, Case, Weight, memberships
from runner.quarantine import excused, quarantine_warnings
from runner.redact import Redactor
from runner.spec import EndpointSpec, Spec, parse
from runner.templating import by_path
from runner.units import count


class Filters(NamedTuple):
    """Which part of the case set is asked; everything where all are empty."""

    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The filters as they would be typed."""
        named = (("--tag", self.tags), ("--type", self.types), ("--case", self.ids))
        words = [f"{option} {value}" for option, values in named for value in values]
        return (*words, *([f"--limit {self.limit}"] if self.limit is not None else ()))


ALL = Filters()


class Plan(NamedTuple):
    """Everything that is known before the first request."""

    spec: Spec
    cases: tuple[Case, ...]
    notices: tuple[str, ...] = ()
    filters: Filters = ALL
    left_out: tuple[Case, ...] = ()
    """Cases that the filters did not choose."""
    baseline: Results | None = None
    rival: EndpointSpec | None = None
    """What is asked beside the endpoint, and gives the baseline."""
    review: Review = NO_REVIEW
    """What this change does to the yardstick, where the base commit is known."""
    history: tuple[Point, ...] | None = None
    """Earlier runs, oldest first; None where nobody asked for them."""
    commit: str | None = None
    quarantined: frozenset[str] = frozenset()
    """Ids of cases that do not gate today."""
    today: date = date.min
    """In UTC."""
    weights: Mapping[str, Weight] = NOTHING
    """How far each judged metric counts, by its label."""
    of_files: tuple[str, ...] = ()
    """What its author should know of how the case files were read."""
    place: Callable[..., Place] = by_path
    """Where a key of the spec stands."""
    redactor: Redactor = Redactor(())
    """Masks the secrets; what reads one during the run teaches it."""

    def beside(self, *path: str | int) -> Place:
        """Give where a key of the endpoint that is the baseline stands."""
        return self.place("baseline", *path)


def select(cases: Sequence[Case], filters: Filters) -> tuple[Case, ...]:
    """Give the cases that are to be asked; a case must meet every kind of filter.

    Raises:
        InputError: None is left, or an id is not in the case set.
    """
    known = {case.id for case in cases}
    for name in filters.ids:
        if name not in known:
            what = f"--case {name}: no case has this id"
            raise InputError(what, hint=did_you_mean(name, known))
    chosen = [
        case
        for case in cases
        if (not filters.tags or set(filters.tags) & set(case.tags))
        and (not filters.types or case.type in filters.types)
        and (not filters.ids or case.id in filters.ids)
    ][: filters.limit]
    if not chosen:
        raise InputError(
            f"{' '.join(filters.words) or 'the case files'}: no case is left to ask",
            hint=_nearest(cases, filters),
        )
    return tuple(chosen)


def _nearest(cases: Sequence[Case], filters: Filters) -> str:
    """Hint at the tag or type that was meant, else say how many cases there are."""
    known: set[str] = set().union(*map(memberships, cases))
    wanted = [f"tag={tag}" for tag in filters.tags]
    wanted += [f"type={kind}" for kind in filters.types]
    near = (did_you_mean(name, known) for name in wanted if name not in known)
    return next(filter(None, near), f"the case set has {count(len(cases), 'case')}")


def plan(
    path: Path,
    root: Path,
    environ: Mapping[str, str],
    filters: Filters = ALL,
    *,
    today: date,
    asking: bool = True,
) -> Plan:
    """Read a spec and its cases, and choose those to ask.

    Args:
        path: Of the spec.
        root: The workspace.
        environ: What the spec's variables may be.
        filters: Which part of the cases is asked.
        today: In UTC: which quarantines have ended.
        asking: Whether anybody will be asked, so that variables have to be set.

    Raises:
        InputError: With every mistake in them at once.
    """
    document = files.read_document(path, root=root)
    spec = parse(document, registry=registry, environ=environ, asking=asking)
    redactor = Redactor(spec.secrets)
    with masking(redactor.text):
        cases, notices = files.read_cases(spec, root=root)
        check_selectors(spec, cases)
        asked = select(cases, filters)
    chosen = {case.id for case in asked}
    left_out = tuple(case for case in cases if case.id not in chosen)
    lines = [str(line) for line in spec.red_lines]
    return Plan(
        spec,
        asked,
        tuple(quarantine_warnings(cases, lines, today)),
        filters,
        left_out,
        quarantined=excused(cases, lines, today),
        today=today,
        place=document.place,
        redactor=redactor,
        of_files=notices,
    )


def check_selectors(spec: Spec, cases: Iterable[Case]) -> None:
    """Refuse red lines and slices that speak of no case of the whole set.

    Raises:
        Problems: At least one matches nothing, so that it could never turn a run red.
    """
    wanted = [(str(line), line.line, "red_lines") for line in spec.red_lines]
    wanted += [
        (limit.slice, limit.line, f"thresholds.{limit.name}.slices")
        for limit in spec.limits
        if limit.slice
    ]
    if not wanted:
        return
    known: set[str] = set()
    for case in cases:
        known |= memberships(case)
    problems = [
        InputError(
            f"{name} matches no case",
            where=Place(spec.file, line, path),
            hint=did_you_mean(name, known) or "it could never turn a run red",
        )
        for name, line, path in wanted
        if name not in known
    ]
    if problems:
        raise Problems(problems)

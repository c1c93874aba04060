"""The line as code: a spec in, a Report out, with every collaborator passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from runner import __version__, files, gates
from runner.comparison import Results, compare
from runner.diagnosis import Judge, failed_call
from runner.errors import (
    Cancelled,
    InputError,
    Place,
    Problems,
    Unavailable,
    did_you_mean,
    masking,
)
from runner.gates import NO_REVIEW, Measured, Review, Selection
from runner.ledger import Entry, Ledger, slices_of
from runner.metrics import registry
from runner.model import (
    Case,
    Comparison,
    Exchange,
    Failure,
    Record,
    Summary,
    memberships,
)
from runner.redact import Redactor
from runner.report import EXCERPTS, CasePlace, Report
from runner.scores import NO_PASSAGES, NO_REPLY, Scope, Scorer
from runner.spec import Spec, parse
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
    review: Review = NO_REVIEW
    """What this change does to the yardstick, where the base commit is known."""
    commit: str | None = None
    place: Callable[..., Place] = by_path
    """Where a key of the spec stands."""


def select(cases: Sequence[Case], filters: Filters) -> tuple[Case, ...]:
    """Give the cases that are to be asked; a case must meet every kind of filter.

    Raises:
        InputError: None is left, or an id is not in the case set.
    """
    known = {case.id for case in cases}
    for name in filters.ids:
        if name not in known:
            raise InputError(f"--case {name}: no case has this id")
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
            hint=f"the case set has {len(cases)}",
        )
    return tuple(chosen)


class Keeper(NamedTuple):
    """Where a case goes as soon as it is judged, and what the world says meanwhile."""

    response: Callable[[str, Exchange], None]
    record: Callable[[int, Record], None]
    progress: Callable[[Record], None]
    now: Callable[[], datetime]
    misread: Callable[[], InputError | None] = lambda: None
    """What the mapping found in no reply so far, as help."""
    notices: Callable[[], Iterable[str]] = tuple
    """What the reader should know about where the replies came from."""


FIRST_REPLIES = 10  # when a path that was never found ends the run


def evaluate(
    plan: Plan, exchanges: Iterable[Exchange], keeper: Keeper
) -> tuple[Report, Unavailable | Cancelled | None]:
    """Carry a case set down the line; give the Report, and what stopped it early.

    A run that was stopped has a Report too: of what was finished, with the rest as
    not asked, and a verdict that cannot be mistaken for one on the whole.
    """
    started = keeper.now()
    ledger = Ledger(plan.cases, plan.spec.measures)
    stopped = None
    try:
        for count, entry in enumerate(_judged(plan, exchanges), 1):
            position = entry.exchange.position
            record = ledger.enter(entry)
            keeper.response(plan.cases[position].id, entry.exchange)
            keeper.record(position, record)
            keeper.progress(record)
            if count in (FIRST_REPLIES, len(plan.cases)) and (
                help_ := keeper.misread()
            ):
                raise help_
    except (Unavailable, Cancelled) as error:
        stopped = error
    for position, record in ledger.close():
        keeper.record(position, record)
    plan = plan._replace(notices=(*plan.notices, *keeper.notices()))
    return _conclude(plan, ledger, stopped, started, keeper.now()), stopped


def _judged(plan: Plan, exchanges: Iterable[Exchange]) -> Iterator[Entry]:
    spec = plan.spec
    scope = Scope(
        spec.endpoint.match,
        spec.endpoint.shared_tenants,
        only_cited=spec.endpoint.response.scope == "cited",
    )
    scorer = Scorer(spec.measures, scope)
    judge = Judge(spec.measures, spec.marks, spec.diagnosis)
    no_scores = (NO_REPLY,) * len(spec.measures)
    for exchange in exchanges:
        result = exchange.result
        if isinstance(result, Failure):
            yield Entry(exchange, no_scores, failed_call(result))
        else:
            asked = scorer.asked(plan.cases[exchange.position], result)
            scores = scorer.row(asked)
            yield Entry(exchange, scores, judge.diagnose(asked, scores))


def plan(
    path: Path, root: Path, environ: Mapping[str, str], filters: Filters = ALL
) -> Plan:
    """Read a spec and its cases, and choose those to ask.

    Raises:
        InputError: With every mistake in them at once.
    """
    document = files.read_document(path, root=root)
    spec = parse(document, registry=registry, environ=environ)
    with masking(Redactor(spec.secrets).text):
        cases, notices = files.read_cases(spec, root=root)
        check_selectors(spec, cases)
        asked = select(cases, filters)
    chosen = {case.id for case in asked}
    left_out = tuple(case for case in cases if case.id not in chosen)
    return Plan(spec, asked, notices, filters, left_out, place=document.place)


def check_selectors(spec: Spec, cases: Iterable[Case]) -> None:
    """Refuse red lines and slices that speak of no case of the whole set.

    Raises:
        Problems: At least one matches nothing, so that it could never turn a run red.
    """
    known: set[str] = set().union(*map(memberships, cases))
    wanted = [(str(line), line.line, "red_lines") for line in spec.red_lines]
    wanted += [
        (limit.slice, limit.line, f"thresholds.{limit.name}.slices")
        for limit in spec.limits
        if limit.slice
    ]
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


def _conclude(
    plan: Plan,
    ledger: Ledger,
    stopped: Unavailable | Cancelled | None,
    started: datetime,
    ended: datetime,
) -> Report:
    spec, cases, base = plan.spec, plan.cases, plan.baseline
    slices = slices_of(cases, (limit.slice for limit in spec.limits if limit.slice))
    summaries = ledger.summaries(slices)
    prints = {"spec": spec.fingerprint, "cases": ledger.fingerprint}
    held = None
    if base:
        filters = plan.filters.words
        now = Results(ledger.records(), summaries, prints, filters=filters)
        held = compare(now, base, slices=[part.name for part in slices])
    selection = Selection(cases, plan.left_out) if plan.filters != ALL else None
    measured = Measured(ledger.judged(), summaries, held, selection, plan.review)
    results = gates.hold(spec, measured)
    verdict, reasons = gates.verdict(results)
    if stopped:
        # A red line that is broken stays broken, whatever came after it.
        broken = any(g.rule == "red_line" and g.outcome == "failed" for g in results)
        verdict = "failed" if broken and verdict == "failed" else "error"
        # What was not measured may be so because the rest was not asked.
        known = [gate for gate in results if gate.outcome == "failed"]
        reasons = (str(stopped), *gates.verdict(known)[1])
    return Report(
        name=spec.name,
        verdict=verdict,
        reasons=reasons,
        totals=ledger.totals,
        summaries=summaries,
        gates=results,
        layers=ledger.layers(summaries.values()),
        comparison=held,
        failures=ledger.excerpts,
        fingerprints=prints,
        commit=plan.commit,
        started=started.isoformat(),
        duration_s=(ended - started).total_seconds(),
        notices=(
            *plan.notices,
            *gates.notices(spec, measured, results),
            *_unseen(summaries),
            *ledger.notices(),
        ),
        spec=spec.file,
        yardstick=plan.review.changes,
        baseline=spec.baseline,
        failures_left_out=ledger.failing - len(ledger.excerpts),
        places=_places(cases, held),
        latency_histogram=ledger.histogram(),
        filters=plan.filters.words,
        version=__version__,
    )


def _places(cases: Iterable[Case], held: Comparison | None) -> dict[str, CasePlace]:
    """Give where the cases stand that changed, of each kind as many as are quoted."""
    if held is None:
        return {}
    changed = {*held.regressed[:EXCERPTS], *held.fixed[:EXCERPTS]}
    return {
        case.id: CasePlace(file=case.place.file, line=case.place.line)
        for case in cases
        if case.id in changed and case.place
    }


def _unseen(summaries: Mapping[str, Summary]) -> Iterator[str]:
    """Say where numbers stand on those replies alone that showed their passages."""
    hidden = {
        label: summary.reasons.get(NO_PASSAGES.reason, 0)
        for label, summary in summaries.items()
        if summary.scored
    }
    label = max(hidden, key=lambda name: hidden[name], default="")
    if label and hidden[label]:
        scored = summaries[label].scored
        yield (
            f"SOME REPLIES SHOW NO PASSAGES: {label} stands on {scored} of "
            f"{count(scored + hidden[label], 'case')}, and so does whatever looks at "
            "passages"
        )

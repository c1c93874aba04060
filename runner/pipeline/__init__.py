"""The line as code: a spec in, a Report out, with every collaborator passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from runner.diagnosis import Examiner, failed_call, unanswered
from runner.errors import Cancelled, InputError, Unavailable
from runner.history import Point, point, tighter, trend
from runner.ledger import Entry, Ledger
from runner.model import NOTHING, Exchange, Failure, Record
from runner.pipeline._conclusion import conclude
from runner.pipeline._plan import ALL, Filters, Plan, check_selectors, plan, select
from runner.quarantine import apart
from runner.report import Report
from runner.scores import NO_REPLY, Scope, Scorer
from runner.trials import together

__all__ = [
    "ALL",
    "Filters",
    "Keeper",
    "Plan",
    "check_selectors",
    "evaluate",
    "plan",
    "select",
]


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
    before = plan.baseline.records if plan.baseline else NOTHING
    ledger = Ledger(plan.cases, plan.spec.measures, before)
    stopped = None
    try:
        judged = _judged(plan, exchanges, keeper)
        for count, entry in enumerate(together(judged, plan.spec.trials), 1):
            record = ledger.enter(_counting(plan, entry))
            keeper.record(entry.exchange.position, record)
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
    report = conclude(plan, ledger, stopped, started, keeper.now())
    return _beside_history(report, plan.history), stopped


def _counting(plan: Plan, entry: Entry) -> Entry:
    """Give what counts of an entry: of a case in quarantine nothing but a leak."""
    if plan.cases[entry.exchange.position].id not in plan.quarantined:
        return entry
    return entry._replace(finding=apart(entry.finding))


def _beside_history(report: Report, earlier: tuple[Point, ...] | None) -> Report:
    if earlier is None:
        return report
    runs = (*earlier, point(report))
    offers = tuple(tighter(report, earlier))
    return report.model_copy(update={"trend": dict(trend(runs)), "tighter": offers})


def _judged(
    plan: Plan, exchanges: Iterable[Exchange], keeper: Keeper
) -> Iterator[Entry]:
    """Examiner each reply as it comes; it is kept first, and nothing of it is held."""
    spec = plan.spec
    scope = Scope(
        spec.endpoint.match,
        spec.endpoint.shared_tenants,
        only_cited=spec.endpoint.response.scope == "cited",
    )
    scorer = Scorer(spec.measures, scope)
    examiner = Examiner(spec.measures, spec.marks, spec.diagnosis)
    no_scores = (NO_REPLY,) * len(spec.measures)
    for exchange in exchanges:
        result, case = exchange.result, plan.cases[exchange.position]
        keeper.response(case.id, exchange)
        if isinstance(result, Failure):
            yield Entry(exchange, no_scores, failed_call(result))
        elif empty := unanswered(result):
            yield Entry(exchange, no_scores, failed_call(empty))
        else:
            asked = scorer.asked(case, result)
            scores = scorer.row(asked)
            finding = examiner.diagnose(asked, scores)
            yield Entry(exchange, scores, finding, asked.met, asked.hits, asked.shown)

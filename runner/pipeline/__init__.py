"""The line as code: a spec in, a Report out, with every collaborator passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from runner.errors import Cancelled, InputError, Unavailable
from runner.history import Point, point, tighter, trend
from runner.ledger import Ledger
from runner.model import NOTHING, Case, Exchange, Record
from runner.pipeline._beside import Beside
from runner.pipeline._conclusion import conclude
from runner.pipeline._judging import Line, counting
from runner.pipeline._plan import ALL, Filters, Plan, check_selectors, plan, select
from runner.pipeline._rating import Interruptible, Rating
from runner.pipeline._weights import weighed
from runner.report import Report
from runner.trials import together

__all__ = [
    "ALL",
    "Filters",
    "Keeper",
    "Plan",
    "Rating",
    "check_selectors",
    "evaluate",
    "plan",
    "select",
    "weighed",
]


class Keeper(NamedTuple):
    """Where a case goes as soon as it is judged, and what the world says meanwhile."""

    response: Callable[[Case, Exchange], None]
    record: Callable[[int, Record], None]
    progress: Callable[[Record], None]
    now: Callable[[], datetime]
    misread: Callable[[], InputError | None] = lambda: None
    """What the mapping found in no reply so far, as help."""
    notices: Callable[[], Iterable[str]] = tuple
    """What the reader should know about where the replies came from."""
    interruptible: Interruptible = iter
    """Lets a wait for a judge be given up."""


FIRST_REPLIES = 10  # when a path that was never found ends the run


def evaluate(
    plan: Plan,
    exchanges: Iterable[Exchange],
    keeper: Keeper,
    others: Iterator[Exchange] | None = None,
    rating: Rating | None = None,
) -> tuple[Report, Unavailable | Cancelled | None]:
    """Carry a case set down the line; give the Report, and what stopped it early.

    A run that was stopped has a Report too: of what was finished, with the rest as
    not asked, and a verdict that cannot be mistaken for one on the whole.

    Args:
        plan: What is evaluated.
        exchanges: What came, in any order.
        keeper: Is told of each case.
        others: What came of the same cases from an endpoint that is the baseline.
        rating: The judge, where the spec has one.
    """
    started = keeper.now()
    before = plan.baseline.records if plan.baseline else NOTHING
    ledger = Ledger(plan.cases, plan.spec.measures, before)
    stopped, told_at = None, {FIRST_REPLIES, len(plan.cases)}
    line, there = (Line(plan, rating, keeper.interruptible) for _ in range(2))
    beside = others and Beside(plan, others, started, ledger, there)
    try:
        entries = line.judged(exchanges, keeper.response)
        tried = together(entries, plan.spec.trials, plan.spec.measures)
        for count, entry in enumerate(tried, 1):
            record = ledger.enter(counting(plan, entry))
            keeper.record(entry.exchange.position, record)
            keeper.progress(record)
            if beside:
                beside.follow(entry.exchange.position, record)
            if count in told_at and (help_ := keeper.misread()):
                raise help_
        if beside:
            beside.rest()
    except (Unavailable, Cancelled) as error:
        stopped = error
    if beside:
        plan = beside.concluded(whole=stopped is None)
    for position, record in ledger.close():
        keeper.record(position, record)
    told = (*keeper.notices(), *(rating.notices() if rating else ()))
    plan = plan._replace(notices=(*plan.notices, *told))
    times = (started, keeper.now())
    report = conclude(plan, ledger, stopped, times, line.account())
    return _beside_history(report, plan.history), stopped


def _beside_history(report: Report, earlier: tuple[Point, ...] | None) -> Report:
    if earlier is None:
        return report
    runs = (*earlier, point(report))
    offers = tuple(tighter(report, earlier))
    return report.model_copy(update={"trend": dict(trend(runs)), "tighter": offers})

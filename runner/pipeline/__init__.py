"""Runs the stages on a plan and an iterator of replies; gives the Report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from runner.errors import Cancelled, InputError, Unavailable
from runner.history import Point, point, tighter, trend
from runner.ledger import Ledger
from runner.model import NOTHING, Case, Exchange, Record
from runner.pipeline._conclusion import conclude
from runner.pipeline._endpoint_baseline import EndpointBaseline
from runner.pipeline._evaluator import Evaluator, with_quarantine
from runner.pipeline._plan import ALL, Filters, Plan, check_selectors, plan, select
from runner.pipeline._rating import Interruptible, Rating
from runner.pipeline._weights import with_weights
from runner.report import Report
from runner.trials import merge_trials

__all__ = [
    "ALL",
    "Callbacks",
    "Filters",
    "Plan",
    "Rating",
    "check_selectors",
    "evaluate",
    "plan",
    "select",
    "with_weights",
]


class Callbacks(NamedTuple):
    """The functions that the pipeline calls while it runs."""

    response: Callable[[Case, Exchange], None]
    """Takes each reply, before it is scored."""
    record: Callable[[int, Record], None]
    """Takes position and record of each case."""
    progress: Callable[[Record], None]
    """Takes the record of each case that was asked."""
    now: Callable[[], datetime]
    misread: Callable[[], InputError | None] = lambda: None
    """Gives an error where a path of the mapping was found in no reply so far."""
    notices: Callable[[], Iterable[str]] = tuple
    """Gives what the reader should know about where the replies came from."""
    interruptible: Interruptible = iter
    """Wraps an iterator so that a signal ends the wait for its next item."""


_FIRST_CHECK = 10  # replies after which a path that was never found ends the run


def evaluate(
    plan: Plan,
    exchanges: Iterable[Exchange],
    callbacks: Callbacks,
    others: Iterator[Exchange] | None = None,
    rating: Rating | None = None,
) -> tuple[Report, Unavailable | Cancelled | None]:
    """Give the Report of a run, and the error that stopped it early, if one did.

    The Report of a run that was stopped holds the cases that were finished; the others
    are ``not_asked``, and the verdict is an error unless a red line is broken.

    Args:
        plan: What is evaluated.
        exchanges: The replies, in any order.
        callbacks: Take each result as it comes.
        others: Replies to the same cases by an endpoint that is the baseline.
        rating: The judge, where the spec has one.
    """
    started = callbacks.now()
    before = plan.baseline.records if plan.baseline else NOTHING
    ledger = Ledger(plan.cases, plan.spec.measures, before)
    stopped, checks = None, {_FIRST_CHECK, len(plan.cases)}
    evaluator, other = (
        Evaluator(plan, rating, callbacks.interruptible) for _ in range(2)
    )
    baseline = others and EndpointBaseline(plan, others, started, ledger, other)
    try:
        entries = evaluator.entries(exchanges, callbacks.response)
        cases = merge_trials(entries, plan.spec.trials, plan.spec.measures)
        for count, entry in enumerate(cases, 1):
            record = ledger.enter(with_quarantine(plan, entry))
            callbacks.record(entry.exchange.position, record)
            callbacks.progress(record)
            if baseline:
                baseline.follow(entry.exchange.position, record)
            if count in checks and (help_ := callbacks.misread()):
                raise help_
        if baseline:
            baseline.finish()
    except (Unavailable, Cancelled) as error:
        stopped = error
    if baseline:
        plan = baseline.added_to_plan(whole=stopped is None)
    for position, record in ledger.close():
        callbacks.record(position, record)
    notices = (*callbacks.notices(), *(rating.notices() if rating else ()))
    plan = plan._replace(notices=(*plan.notices, *notices))
    times = (started, callbacks.now())
    report = conclude(plan, ledger, stopped, times, evaluator.account())
    return _with_history(report, plan.history), stopped


def _with_history(report: Report, earlier: tuple[Point, ...] | None) -> Report:
    if earlier is None:
        return report
    runs = (*earlier, point(report))
    offers = tuple(tighter(report, earlier))
    return report.model_copy(update={"trend": dict(trend(runs)), "tighter": offers})

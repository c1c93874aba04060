"""A second endpoint as the baseline: asked the same cases, along with the run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from runner.comparison import Results, worsened
from runner.errors import InputError, Unavailable
from runner.ledger import Ledger, slices_of
from runner.model import Exchange, Record
from runner.pipeline._evaluator import Evaluator, with_quarantine
from runner.pipeline._plan import Plan
from runner.trials import merge_trials
from runner.units import count

MOST_FAILED = 0.05
"""Share of the cases that may get no reply; the rest is a baseline all the same. As
many of a metric's scores may fail."""


class EndpointBaseline:
    """Evaluates the replies of the second endpoint by the measures of the run.

    Nothing that happens there fails the run: a leak is not due to this change, a failed
    call leaves its case uncompared, and an error that ends the asking leaves the run
    without a baseline.

    Args:
        plan: Of the run.
        exchanges: The replies of the second endpoint, in any order; none is kept.
        started: When the run began.
        here: The ledger of the run itself.
        evaluator: Of the second endpoint, with the judge of the run.
    """

    def __init__(
        self,
        plan: Plan,
        exchanges: Iterable[Exchange],
        started: datetime,
        here: Ledger,
        evaluator: Evaluator,
    ) -> None:
        self._plan = plan
        self._started = started
        self._here = here
        self._there = Ledger(plan.cases, plan.spec.measures)
        entries = evaluator.entries(exchanges, lambda *_: None)
        self._entries = merge_trials(entries, plan.spec.trials, plan.spec.measures)
        self._run_records: dict[int, Record] = {}
        self._baseline_records: dict[int, Record] = {}
        self._failed = 0
        self._error = ""

    def follow(self, position: int, record: Record) -> None:
        """Take the record of a case of the run, and evaluate one more reply."""
        self._run_records[position] = record
        self._pair(position)
        self._step()

    def finish(self) -> None:
        """Evaluate all replies that are left."""
        while self._step():
            pass

    def _step(self) -> bool:
        """Evaluate one reply; give whether there was one."""
        try:
            entry = next(self._entries, None)
        except (Unavailable, InputError) as error:
            self._error = str(error)
            entry = None
        if entry is None:
            return False
        if entry.finding.outcome == "error":
            self._failed += 1
        else:
            position = entry.exchange.position
            self._baseline_records[position] = self._there.enter(
                with_quarantine(self._plan, entry)
            )
            self._pair(position)
        return True

    def _pair(self, position: int) -> None:
        """Have both ledgers keep what was retrieved for a case that got worse.

        Both endpoints are asked in step, so that few records wait for the other one.
        """
        if self._error:
            self._run_records.clear()
        elif position in self._run_records and position in self._baseline_records:
            now = self._run_records.pop(position)
            then = self._baseline_records.pop(position)
            if worsened(now, then):
                self._here.retain(position, now)
                self._there.retain(position, then)

    def added_to_plan(self, *, whole: bool) -> Plan:
        """Give the plan with the results of the second endpoint as its baseline.

        Where that failed too often or could not be asked to the end, or the run is not
        ``whole``, the plan says why it has no baseline.
        """
        plan = self._plan
        if why := self._why_none(whole=whole):
            review = plan.review._replace(baseline_unread=why)
            return plan._replace(review=review)
        for _ in self._there.close():  # cases without a reply become not asked
            pass
        wanted = (limit.slice for limit in plan.spec.limits if limit.slice)
        found = Results(
            self._there.records(),
            self._there.summaries(slices_of(plan.cases, wanted)),
            {**plan.spec.prints, "cases": self._there.fingerprint},
            started=self._started.isoformat(),
            filters=plan.filters.words,
        )
        notices = [f"{self._lost()} and are not compared"] if self._failed else []
        return plan._replace(baseline=found, notices=(*plan.notices, *notices))

    def _why_none(self, *, whole: bool) -> str:
        if self._error or not whole:
            return self._error or "the run was stopped"
        many = round(self._failed / len(self._plan.cases), 9) > MOST_FAILED
        return self._lost() if many else ""

    def _lost(self) -> str:
        of = count(len(self._plan.cases), "case")
        return f"{self._failed} of {of} got no usable reply from the baseline"

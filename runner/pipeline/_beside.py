"""The baseline that another endpoint gives while the run asks its own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from runner.comparison import Results, worsened
from runner.errors import InputError, Unavailable
from runner.ledger import Ledger, slices_of
from runner.model import Exchange, Record
from runner.pipeline._judging import Line, counting
from runner.pipeline._plan import Plan
from runner.trials import together
from runner.units import count

MOST_FAILED = 0.05
"""Share of cases without a reply up to which the rest is a baseline: as much as may
fail of a metric's scores."""


class Beside:
    """Judges what came of the same cases from elsewhere, by the same measures.

    Nothing that happens there judges the run: a leak is none of this change, a call
    that failed leaves its case uncompared, and whatever ends the asking leaves the run
    without a baseline.

    Args:
        plan: Of the run.
        exchanges: What came, in any order; nothing of it is kept.
        started: When the run began.
        here: What the run itself finds.
        line: Judges by the same judge, too.
    """

    def __init__(
        self,
        plan: Plan,
        exchanges: Iterable[Exchange],
        started: datetime,
        here: Ledger,
        line: Line,
    ) -> None:
        self._plan = plan
        self._started = started
        self._here = here
        self._there = Ledger(plan.cases, plan.spec.measures)
        entries = line.judged(exchanges, lambda *_: None)
        self._entries = together(entries, plan.spec.trials, plan.spec.measures)
        self._now: dict[int, Record] = {}
        self._then: dict[int, Record] = {}
        self._failed = 0
        self._unread = ""

    def follow(self, position: int, record: Record) -> None:
        """Judge one case from there, after the run's own at a position."""
        self._now[position] = record
        self._meet(position)
        self._step()

    def rest(self) -> None:
        """Judge all that is left."""
        while self._step():
            pass

    def _step(self) -> bool:
        """Judge one case; gives whether there was one."""
        try:
            entry = next(self._entries, None)
        except (Unavailable, InputError) as error:
            self._unread = str(error)
            entry = None
        if entry is None:
            return False
        if entry.finding.outcome == "error":
            self._failed += 1
        else:
            position = entry.exchange.position
            self._then[position] = self._there.enter(counting(self._plan, entry))
            self._meet(position)
        return True

    def _meet(self, position: int) -> None:
        """Keep what was retrieved on both sides for a case that is worse here.

        The sides are in step, so that few cases wait for their other half.
        """
        if self._unread:
            self._now.clear()
        elif position in self._now and position in self._then:
            now, then = self._now.pop(position), self._then.pop(position)
            if worsened(now, then):
                self._here.retain(position, now)
                self._there.retain(position, then)

    def concluded(self, *, whole: bool) -> Plan:
        """Give the plan with what all of it makes as its baseline.

        Where the endpoint gave up or failed too often, or the run was not ``whole``,
        there is none, as nobody knows what would have come.
        """
        plan = self._plan
        if unread := self._why_unread(whole=whole):
            review = plan.review._replace(baseline_unread=unread)
            return plan._replace(review=review)
        for _ in self._there.close():  # what got no reply, as not asked
            pass
        wanted = (limit.slice for limit in plan.spec.limits if limit.slice)
        found = Results(
            self._there.records(),
            self._there.summaries(slices_of(plan.cases, wanted)),
            {**plan.spec.prints, "cases": self._there.fingerprint},
            started=self._started.isoformat(),
            filters=plan.filters.words,
        )
        told = [f"{self._lost()} and are not compared"] if self._failed else []
        return plan._replace(baseline=found, notices=(*plan.notices, *told))

    def _why_unread(self, *, whole: bool) -> str:
        if self._unread or not whole:
            return self._unread or "the run was stopped"
        many = round(self._failed / len(self._plan.cases), 9) > MOST_FAILED
        return self._lost() if many else ""

    def _lost(self) -> str:
        of = count(len(self._plan.cases), "case")
        return f"{self._failed} of {of} got no usable reply from the baseline"

"""Scores and diagnoses each reply, and gives the entry for a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from runner.diagnosis import Examiner, empty_answer, failed_call
from runner.ledger import Entry
from runner.model import Case, Exchange, Failure, JudgeAccount, Score
from runner.pipeline._plan import Plan
from runner.pipeline._rating import Interruptible, PartlyScored, Rater, Rating
from runner.quarantine import quarantined
from runner.scores import NO_REPLY, Scope, Scorer


def with_quarantine(plan: Plan, entry: Entry) -> Entry:
    """Give an entry as it counts: of a case in quarantine nothing but a leak does."""
    held = plan.quarantined
    if not held or plan.cases[entry.exchange.position].id not in held:
        return entry
    return entry._replace(finding=quarantined(entry.finding))


_entry = attrgetter("entry")


class Evaluator:
    """Evaluates the replies of one system.

    Args:
        plan: What is evaluated.
        rating: The judge, where the spec has one.
        interruptible: Lets a signal end the wait for it.
    """

    def __init__(
        self,
        plan: Plan,
        rating: Rating | None = None,
        interruptible: Interruptible = iter,
    ) -> None:
        spec = plan.spec
        self._plan = plan
        self._scope = Scope.of(spec.endpoint)
        self._scorer = Scorer(spec.measures, self._scope)
        self._examiner = Examiner(spec.measures, spec.marks, spec.diagnosis)
        self._rater: Rater | None = None
        if rating and any(measure.metric.judged for measure in spec.measures):
            self._rater = Rater(rating, self._scorer, self._examiner, interruptible)

    def entries(
        self, exchanges: Iterable[Exchange], keep: Callable[[Case, Exchange], object]
    ) -> Iterator[Entry]:
        """Give the entry of each exchange, in their order; ``keep`` gets it first."""
        replies = self._scored(exchanges, keep)
        if self._rater:
            return self._rater.entries(replies)
        return map(_entry, replies)

    def account(self) -> JudgeAccount | None:
        """Give the account of the judge; None where nothing is rated by one."""
        return self._rater.account() if self._rater else None

    def _scored(
        self, exchanges: Iterable[Exchange], keep: Callable[[Case, Exchange], object]
    ) -> Iterator[PartlyScored]:
        for exchange in exchanges:
            case = self._plan.cases[exchange.position]
            keep(case, exchange)
            yield self._score(case, exchange)

    def _score(self, case: Case, exchange: Exchange) -> PartlyScored:
        """Score and diagnose a reply by all metrics that need no judge."""
        result = exchange.result
        if isinstance(result, Failure):
            return PartlyScored(self._failed(exchange, case, result))
        if empty := empty_answer(result):
            return PartlyScored(self._failed(exchange, case, empty))
        asked = self._scorer.asked(case, result)
        scores = self._scorer.row(asked)
        finding = self._examiner.diagnose(asked, scores)
        shown = (asked.has_hit, asked.hits, asked.layers_shown)
        return PartlyScored(Entry(exchange, scores, finding, *shown), asked)

    def _failed(self, exchange: Exchange, case: Case, failure: Failure) -> Entry:
        """Give the entry of a case without a usable reply: at most a leak is scored."""
        finding = failed_call(case, failure, self._scope)
        scores: list[Score] = [NO_REPLY] * len(self._scorer.measures)
        for position, measure in enumerate(self._scorer.measures):
            if finding.leaks and measure.layer == "isolation":
                scores[position] = 1.0
        return Entry(exchange, scores, finding)

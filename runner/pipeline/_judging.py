"""Each reply becomes an entry of a ledger: scored, diagnosed, and let go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from runner.diagnosis import Examiner, failed_call, unanswered
from runner.ledger import Entry
from runner.model import Exchange, Failure
from runner.pipeline._plan import Plan
from runner.quarantine import apart
from runner.scores import NO_REPLY, Scope, Scorer


def counting(plan: Plan, entry: Entry) -> Entry:
    """Give what counts of an entry: of a case in quarantine nothing but a leak."""
    if plan.cases[entry.exchange.position].id not in plan.quarantined:
        return entry
    return entry._replace(finding=apart(entry.finding))


def judged(
    plan: Plan, exchanges: Iterable[Exchange], keep: Callable[[str, Exchange], object]
) -> Iterator[Entry]:
    """Judge each reply as it comes; it is kept first, and nothing of it is held."""
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
        keep(case.id, exchange)
        if isinstance(result, Failure):
            yield Entry(exchange, no_scores, failed_call(result))
        elif empty := unanswered(result):
            yield Entry(exchange, no_scores, failed_call(empty))
        else:
            asked = scorer.asked(case, result)
            scores = scorer.row(asked)
            finding = examiner.diagnose(asked, scores)
            yield Entry(exchange, scores, finding, asked.met, asked.hits, asked.shown)

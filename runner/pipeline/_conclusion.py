"""Makes the Report of a run from its ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from runner import __version__, gates
from runner.comparison import Results, compare
from runner.diagnosis import attributed
from runner.errors import Cancelled, Unavailable
from runner.gates import Measured, Selection
from runner.ledger import Ledger, slices_of
from runner.model import Case, Comparison, GateResult, JudgeAccount, Summary
from runner.pipeline._judge_notices import judge_notices
from runner.pipeline._plan import ALL, Plan
from runner.quarantine import in_quarantine, quarantine_notices
from runner.report import EXCERPTS, CasePlace, Report
from runner.scores import NO_PASSAGES
from runner.spec import accounts
from runner.trials import notice, summary
from runner.units import count

_MENTIONED = 5  # owners; of a longer list nobody feels addressed


def conclude(
    plan: Plan,
    ledger: Ledger,
    stopped: Unavailable | Cancelled | None,
    times: tuple[datetime, datetime],
    account: JudgeAccount | None = None,
) -> Report:
    """Give the Report.

    Args:
        plan: What was evaluated.
        ledger: The results.
        stopped: The error that ended the run early.
        times: When it began, and when it ended.
        account: The calls of the judge and their cost, where there was one.
    """
    started, ended = times
    spec, cases, base = plan.spec, plan.cases, plan.baseline
    slices = slices_of(cases, (limit.slice for limit in spec.limits if limit.slice))
    summaries = ledger.summaries(slices)
    prints = {**spec.prints, "cases": ledger.fingerprint}
    comparison = None
    if base:
        filters = plan.filters.words
        now = Results(ledger.records(), summaries, prints, filters=filters)
        comparison = compare(now, base, slices=[part.name for part in slices])
    quarantine = in_quarantine(cases, ledger.findings, EXCERPTS)
    trials = summary(cases, ledger.findings, spec.trials)
    selection = Selection(cases, plan.left_out) if plan.filters != ALL else None
    measured = Measured(ledger.judged(), summaries, comparison, selection, plan.review)
    results = attributed(gates.hold(spec, measured), summaries, list(ledger.failed()))
    verdict, reasons = gates.verdict(results)
    if stopped:
        # A red line that is broken stays broken, whatever came after it.
        broken = any(gate.is_broken_red_line for gate in results)
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
        comparison=comparison,
        failures=ledger.excerpts,
        fingerprints=prints,
        commit=plan.commit,
        started=started.isoformat(),
        duration_s=(ended - started).total_seconds(),
        notices=(
            # Few places show them all: first what the verdict depends on, last what
            # only tells of files.
            *plan.review.notices,
            *gates.notices(spec, measured, results),
            *_hidden_passages(summaries),
            *judge_notices(account, spec.measures, summaries),
            *ledger.notices(),
            *notice(trials),
            *quarantine_notices(quarantine, ledger.totals.quarantined),
            *plan.notices,
            *plan.of_files,
        ),
        spec=spec.file,
        owners=() if stopped else _mentioned(results, plan),
        quarantine=quarantine,
        trials=trials,
        judge=_with_weights(account, plan),
        yardstick=plan.review.changes,
        **_baseline(plan),
        failures_left_out=ledger.failing - len(ledger.excerpts),
        places=_places(cases, comparison),
        latency_histogram=ledger.histogram(),
        filters=plan.filters.words,
        version=__version__,
    )


def _with_weights(account: JudgeAccount | None, plan: Plan) -> JudgeAccount | None:
    """Give the account with the weight of each judged metric."""
    weights = {"weights": dict(plan.weights)}
    return account and account.model_copy(update=weights)


def _baseline(plan: Plan) -> dict[str, Any]:
    """Give what a Report says of where the baseline is."""
    source, review = plan.spec.baseline, plan.review
    named = {"baseline": source.name, "baseline_kind": source.kind} if source else {}
    return {**named, "baseline_unread": review.baseline_unread, "base": review.base}


def _mentioned(gates: Iterable[GateResult], plan: Plan) -> tuple[str, ...]:
    """Give the owners of gates that fail the run, of those who may be mentioned."""
    failed = accounts(gate.owner for gate in gates if gate.blocks)
    known = plan.review.owners or frozenset()
    return tuple([f"@{name}" for name in failed if name in known][:_MENTIONED])


def _places(
    cases: Iterable[Case], comparison: Comparison | None
) -> dict[str, CasePlace]:
    """Give file and line of the changed cases, of each kind as many as are quoted."""
    if comparison is None:
        return {}
    kinds = (comparison.regressed, comparison.moved, comparison.fixed)
    changed = {name for kind in kinds for name in kind[:EXCERPTS]}
    return {
        case.id: CasePlace(file=case.place.file, line=case.place.line)
        for case in cases
        if case.id in changed and case.place
    }


def _hidden_passages(summaries: Mapping[str, Summary]) -> Iterator[str]:
    """Say where a metric rests only on the replies that showed their passages."""
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

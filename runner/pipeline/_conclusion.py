"""What is concluded when all was judged, or the run was stopped: the Report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from runner import __version__, gates
from runner.comparison import Results, compare
from runner.diagnosis import traced
from runner.errors import Cancelled, Unavailable
from runner.gates import Measured, Selection
from runner.ledger import Ledger, slices_of
from runner.model import Case, Comparison, GateResult, JudgeAccount, Summary
from runner.pipeline._plan import ALL, Plan
from runner.pipeline._told import judge_told
from runner.quarantine import in_quarantine, quarantine_notices
from runner.report import EXCERPTS, CasePlace, Report
from runner.scores import NO_PASSAGES
from runner.spec import accounts
from runner.trials import notice, summary
from runner.units import count

_CALLED = 5  # owners; more would be a crowd in which nobody feels meant


def conclude(
    plan: Plan,
    ledger: Ledger,
    stopped: Unavailable | Cancelled | None,
    times: tuple[datetime, datetime],
    account: JudgeAccount | None = None,
) -> Report:
    """Give the Report of what a ledger holds.

    Args:
        plan: What was evaluated.
        ledger: What came of it.
        stopped: What ended it early.
        times: When it began, and when it ended.
        account: What judging took, where there was a judge.
    """
    started, ended = times
    spec, cases, base = plan.spec, plan.cases, plan.baseline
    slices = slices_of(cases, (limit.slice for limit in spec.limits if limit.slice))
    summaries = ledger.summaries(slices)
    prints = {**spec.prints, "cases": ledger.fingerprint}
    held = None
    if base:
        filters = plan.filters.words
        now = Results(ledger.records(), summaries, prints, filters=filters)
        held = compare(now, base, slices=[part.name for part in slices])
    held_back = in_quarantine(cases, ledger.findings, EXCERPTS)
    tried = summary(cases, ledger.findings, spec.trials)
    selection = Selection(cases, plan.left_out) if plan.filters != ALL else None
    measured = Measured(ledger.judged(), summaries, held, selection, plan.review)
    results = traced(gates.hold(spec, measured), summaries, list(ledger.failed()))
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
        comparison=held,
        failures=ledger.excerpts,
        fingerprints=prints,
        commit=plan.commit,
        started=started.isoformat(),
        duration_s=(ended - started).total_seconds(),
        notices=(
            # Few places show them all: first what the verdict hangs on, and what
            # only tells of files last.
            *plan.review.notices,
            *gates.notices(spec, measured, results),
            *_unseen(summaries),
            *judge_told(account, spec.measures, summaries),
            *ledger.notices(),
            *notice(tried),
            *quarantine_notices(held_back, ledger.totals.quarantined),
            *plan.notices,
            *plan.of_files,
        ),
        spec=spec.file,
        owners=() if stopped else _called(results, plan),
        quarantine=held_back,
        trials=tried,
        judge=_weighed(account, plan),
        yardstick=plan.review.changes,
        **_baseline(plan),
        failures_left_out=ledger.failing - len(ledger.excerpts),
        places=_places(cases, held),
        latency_histogram=ledger.histogram(),
        filters=plan.filters.words,
        version=__version__,
    )


def _weighed(account: JudgeAccount | None, plan: Plan) -> JudgeAccount | None:
    """Give what judging took, with how far it counts."""
    weights = {"weights": dict(plan.weights)}
    return account and account.model_copy(update=weights)


def _baseline(plan: Plan) -> dict[str, Any]:
    """Give what a Report says of where the baseline is."""
    source, review = plan.spec.baseline, plan.review
    named = {"baseline": source.name, "baseline_kind": source.kind} if source else {}
    return {**named, "baseline_unread": review.baseline_unread, "base": review.base}


def _called(gates: Iterable[GateResult], plan: Plan) -> tuple[str, ...]:
    """Give the owners of gates that turn the run red, of those who may be called."""
    failed = accounts(gate.owner for gate in gates if gate.blocks)
    known = plan.review.owners or frozenset()
    return tuple([f"@{name}" for name in failed if name in known][:_CALLED])


def _places(cases: Iterable[Case], held: Comparison | None) -> dict[str, CasePlace]:
    """Give where the cases stand that changed, of each kind as many as are quoted."""
    if held is None:
        return {}
    kinds = (held.regressed, held.moved, held.fixed)
    changed = {name for kind in kinds for name in kind[:EXCERPTS]}
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

"""Gates on single cases, which no average excuses: failed calls, red lines, leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from runner.errors import Place
from runner.gates._tally import Tally
from runner.model import GateOutcome, GateResult, Level, Outcome
from runner.spec import Limit, Selector, Spec
from runner.units import count, listed, tell_apart

SHOWN = 10  # ids that a sentence names before it only counts
_MOST_UNSEEN = 0.05
"""Share of the cases with walls that may go unwatched: as much as may fail of a
metric's scores."""


class _Found(NamedTuple):
    outcome: GateOutcome
    message: str = ""
    cases: Sequence[str] = ()


def calls(limits: Sequence[Limit], whole: Tally) -> Iterator[GateResult]:
    """Give the gate that every case got a usable reply.

    A limit of the spec on the whole error rate takes its place, but only one that can
    turn the run red, and never for a run in which no case got a reply.
    """
    errors, rate = whole.counts["error"], whole.error_rate or 0.0
    if errors < whole.asked and any(limit.allows_failed_calls for limit in limits):
        return
    found = _Found("passed")
    if errors:
        shown, _ = tell_apart(rate, 0)
        what = f"{errors} of {count(whole.asked, 'case')} got no usable reply"
        limit = "0, the limit where thresholds names none"
        found = _Found("failed", f"{what} (error_rate {shown} is above {limit})")
    if not whole.asked:
        found = _Found("unmeasured", none_asked(whole))
    yield GateResult(
        metric="error_rate",
        rule="error_rate",
        limit=0,
        value=whole.error_rate,
        outcome=found.outcome,
        message=found.message,
    )


def none_asked(cases: Tally) -> str:
    """Give why no case was asked that counts."""
    all_apart = cases.counts["quarantined"] == cases.cases
    return "every case is in quarantine" if all_apart else "no case was asked"


def red_line(
    selector: Selector, spec: Spec, cases: Tally, *, filtered: bool
) -> GateResult:
    """Give the gate that every case of a selector passed.

    A case that could not be judged cannot be said to hold its red line.
    """
    found = _judge(cases, filtered=filtered)
    place = at_line(spec, selector.line)
    return GateResult(
        metric=str(selector),
        rule="red_line",
        limit=0,
        value=len(cases.failed),
        line=selector.line,
        outcome=found.outcome,
        cases=tuple(found.cases),
        message=sentence(f"red line {selector}", found.message, place),
    )


def _judge(cases: Tally, *, filtered: bool) -> _Found:
    if not cases.cases:
        return not_selected(filtered=filtered)
    if cases.failed:
        return _Found(
            "failed",
            f"{_of(cases.failed, cases.cases)} failed: {listed(cases.failed, SHOWN)}",
            cases.failed,
        )
    if cases.unjudged:
        return _Found(
            "unmeasured",
            f"{_of(cases.unjudged, cases.cases)} could not be judged, for want of "
            f"{_wanting(cases)}: {listed(cases.unjudged, SHOWN)}",
            cases.unjudged,
        )
    if cases.unasked:
        what = f"{_of(cases.unasked, cases.cases)} were not asked"
        return _Found(
            "unmeasured", f"{what}: {listed(cases.unasked, SHOWN)}", cases.unasked
        )
    return _Found("passed")


def _wanting(cases: Tally) -> str:
    wants: dict[Outcome, str] = {
        "error": "a reply",
        "undetermined": "a mark that examines the answer, such as must_include",
    }
    return " or of ".join(what for why, what in wants.items() if cases.counts[why])


def not_selected(*, filtered: bool) -> _Found:
    """Give what holds where no case of a red line or a slice was asked."""
    if filtered:
        return _Found("not_selected", "not selected by the filter")
    return _Found("unmeasured", "it matches no case")


def isolation(level: Level, whole: Tally) -> Iterator[GateResult]:
    """Give the gate that nothing leaked, where any case has walls.

    Forbidden ids or canaries that could not have been seen are unmeasured. Where cases
    only say who asks, and no passage of their replies names its tenant, it is
    inconclusive.
    """
    if whole.walled:
        found = _watch(whole)
        yield GateResult(
            metric="leakage",
            rule="red_line",
            limit=0,
            value=len(whole.leaked),
            level=level,
            outcome=found.outcome,
            cases=tuple(found.cases),
            message=sentence("leakage", found.message),
        )


def _watch(whole: Tally) -> _Found:
    if whole.leaked:
        share = _of(whole.leaked, whole.walled)
        message = f"{share} with walls leaked: {listed(whole.leaked, SHOWN)}"
        return _Found("failed", message, whole.leaked)
    if whole.unwatched:
        return _Found(
            "unmeasured",
            f"{_of(whole.unwatched, whole.walled)} with walls could not be watched, as "
            "the replies do not show what is forbidden there (map contexts and "
            "citations), or the question says it itself: "
            f"{listed(whole.unwatched, SHOWN)}",
            whole.unwatched,
        )
    if not whole.watched and not whole.unseen and whole.unanswered:
        what = f"{_of(whole.unanswered, whole.walled)} with walls got no usable reply"
        return _Found("unmeasured", what, whole.unanswered)
    if not whole.watched:
        return _Found("inconclusive", "no reply names the tenant of its passages")
    if round(len(whole.unseen) / whole.walled, 9) > _MOST_UNSEEN:
        return _Found(
            "inconclusive",
            f"{_of(whole.unseen, whole.walled)} with walls were not watched, as no "
            "passage of their replies names its tenant (map context.tenant): "
            f"{listed(whole.unseen, SHOWN)}",
        )
    return _Found("passed")


def _of(ids: Sequence[str], among: int) -> str:
    return f"{len(ids)} of {count(among, 'case')}"


def sentence(subject: str, message: str, place: str = "") -> str:
    """Give what a gate says of its subject; empty where it has nothing to say."""
    return f"{subject}: {message}{place}" if message else ""


def at_line(spec: Spec, line: int | None) -> str:
    """Give where in a spec a limit stands, in brackets: `` (evals/rag.yaml:41)``."""
    return at_limits(spec, [(line, None)])


def at_limits(spec: Spec, limits: Iterable[tuple[int | None, str | None]]) -> str:
    """Give lines and owners of limits in brackets: `` (evals/rag.yaml:41, @safety)``.

    Nothing where none is known.
    """
    known: dict[str, None] = {}
    for line, owner in limits:
        known |= {str(Place(spec.file, line)): None} if line else {}
        known |= {owner: None} if owner else {}
    return f" ({', '.join(known)})" if known else ""

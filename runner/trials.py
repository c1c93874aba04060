"""Merges several trials of each case into one entry, and finds flaky cases.

A case that is asked three times has one outcome, by a rule; its scores are means over
its trials. Trials that disagree make it flaky, and it is named. No rule excuses a leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice, repeat
from math import fsum

from runner.ledger import Entry
from runner.model import (
    Absent,
    Case,
    Failed,
    Finding,
    Measure,
    Outcome,
    Score,
    TrialSummary,
)
from runner.responses import Exchanges
from runner.spec import Trials
from runner.units import count


def repeated(cases: Iterable[Case], times: int) -> Iterator[Case]:
    """Repeat every case for its trials, one after the other."""
    for case in cases:
        yield from repeat(case, times)


def numbered(exchanges: Exchanges, times: int) -> Exchanges:
    """Give exchanges of ``repeated`` cases with the case's position and trial."""
    with closing(exchanges):
        for exchange in exchanges:
            position, trial = divmod(exchange.position, times)
            yield exchange._replace(position=position, trial=trial + 1)


def merge_trials(
    entries: Iterable[Entry], trials: Trials, measures: Sequence[Measure]
) -> Iterator[Entry]:
    """Give one entry a case, as soon as the last of its trials is in.

    The entry shows the reply that explains the outcome: of a case that failed its first
    failing trial, and so on. Entries of single trials pass through as they are. A case
    of which trials are missing, as in a run that is stopped, gives none.
    """
    if trials.times == 1:
        return iter(entries)
    return _merging(entries, trials, measures)


def _merging(
    entries: Iterable[Entry], trials: Trials, measures: Sequence[Measure]
) -> Iterator[Entry]:
    waiting: dict[int, list[Entry]] = {}
    for entry in entries:
        position = entry.exchange.position
        own = waiting.setdefault(position, [])
        own.append(entry)
        if len(own) == trials.times:
            own = sorted(waiting.pop(position), key=_trial)
            yield _merge(own, trials, measures)


def _trial(entry: Entry) -> int:
    return entry.exchange.trial


def _merge(
    entries: Sequence[Entry], trials: Trials, measures: Sequence[Measure]
) -> Entry:
    outcomes = tuple(entry.finding.outcome for entry in entries)
    shown = _explaining(entries, outcome(outcomes, trials))
    columns = zip(*(entry.scores for entry in entries), strict=True)
    known = {entry.has_hit for entry in entries} - {None}
    return Entry(
        shown.exchange,
        list(map(_mean, columns, measures)),
        shown.finding._replace(trials=outcomes),
        any(known) if known else None,
        shown.hits,
        frozenset().union(*(entry.layers_shown for entry in entries)),
    )


def _explaining(entries: Sequence[Entry], wanted: Outcome) -> Entry:
    """Give the first trial with the outcome of the case; one that leaks comes first."""
    leaks = [entry for entry in entries if entry.finding.leaks]
    alike = [entry for entry in entries if entry.finding.outcome == wanted]
    failed = [entry for entry in leaks if entry.finding.outcome == "failed"]
    return (failed or leaks or alike)[0]


def outcome(outcomes: Sequence[Outcome], trials: Trials) -> Outcome:
    """Give the outcome of a case from those of its trials, by the rule.

    Trials without a verdict could have ended either way: where that matters, the case
    is an error if one of them got no reply, and undetermined if not.
    """
    needed = _passes_needed(trials)
    if outcomes.count("passed") >= needed:
        return "passed"
    if len(outcomes) - outcomes.count("failed") < needed:
        return "failed"
    return "error" if "error" in outcomes else "undetermined"


def _passes_needed(trials: Trials) -> int:
    """Give how many trials must pass."""
    by_rule = {"all": trials.times, "majority": trials.times // 2 + 1, "any": 1}
    return by_rule[trials.passes]


def _mean(scores: Sequence[Score], measure: Measure) -> Score:
    """Give the mean of a metric's scores.

    Where one failed, or one trial's reply lacked the evidence, there is none: a mean of
    the others would hide it. But a leak that was seen stays one.
    """
    numbers = [score for score in scores if isinstance(score, float)]
    gaps = [score for score in scores if isinstance(score, Failed | Absent)]
    if gaps and not (measure.layer == "isolation" and any(numbers)):
        return min(gaps, key=_is_absent)
    return fsum(numbers) / len(numbers) if numbers else scores[0]


def _is_absent(gap: Failed | Absent) -> bool:
    return isinstance(gap, Absent)


NAMED = 50  # flaky cases that a report names
NOTED = 5  # of them that a notice names


def summary(
    cases: Iterable[Case], findings: Iterable[Finding], trials: Trials
) -> TrialSummary | None:
    """Give how far trials agree; None where each case has one.

    The variances are of passing, 0 or 1: within a case on average, and between the
    cases' shares, less what so many trials scatter by themselves.
    """
    if trials.times == 1:
        return None
    judged = [
        (case.id, finding.trials.count("passed"), len(finding.trials) - unknown)
        for case, finding in zip(cases, findings, strict=True)
        if (unknown := sum(map(_is_unknown, finding.trials)))
        <= len(finding.trials) - _PAIR
    ]
    flaky = [
        (name, f"{passed} of {tried}")
        for name, passed, tried in judged
        if 0 < passed < tried
    ]
    within, between = _variances([(passed, tried) for _, passed, tried in judged])
    return TrialSummary(
        times=trials.times,
        passes=trials.passes,
        flaky=dict(flaky[:NAMED]),
        flaky_left_out=max(0, len(flaky) - NAMED),
        within=within,
        between=between,
    )


def notice(found: TrialSummary | None) -> Iterator[str]:
    """Name the flaky cases, if there are any."""
    if found is None or not found.flaky:
        return
    total = len(found.flaky) + found.flaky_left_out
    shown = [
        f"{name} ({passed})" for name, passed in islice(found.flaky.items(), NOTED)
    ]
    more = f" and {total - len(shown):,} more" if total > len(shown) else ""
    verb, whose = ("is", "its") if total == 1 else ("are", "their")
    yield (
        f"{count(total, 'case')} {verb} flaky, and passed in some of {whose} trials "
        f"only: {', '.join(shown)}{more}"
    )


_PAIR = 2  # judged trials that a case needs for its trials to agree or not


def _is_unknown(outcome: Outcome) -> bool:
    return outcome not in ("passed", "failed")


def _variances(
    counts: Sequence[tuple[int, int]],
) -> tuple[float | None, float | None]:
    if len(counts) < _PAIR:
        return None, None
    shares = [passed / tried for passed, tried in counts]
    number, mean = len(counts), fsum(shares) / len(counts)
    inside = [
        share * (1 - share) * tried / (tried - 1)
        for share, (_, tried) in zip(shares, counts, strict=True)
    ]
    within = fsum(inside) / number
    spread = fsum((share - mean) ** 2 for share in shares) / (number - 1)
    by_chance = fsum(
        part / tried for part, (_, tried) in zip(inside, counts, strict=True)
    )
    return within, max(0.0, spread - by_chance / number)

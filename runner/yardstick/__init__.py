"""What a pull request does to its own bar: limits, red lines, pass marks and labels.

Two specs with their case sets, before and after, become the list of what is looser
and what is tighter, so that green by a lower bar is seen in review.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from runner.model import Case, Metric, Moved, Quarantine, YardstickChange
from runner.quarantine import effective
from runner.spec import Limit, Spec, Trials
from runner.units import Amount, plain
from runner.yardstick._cases import NONE, quarantines, removed

_IMPLICIT = Limit("error_rate", "max", Amount(0.0))
"""Holds where the spec has no limit on failed calls that can turn the run red."""

_Key = tuple[str, str, str | None]


class Yardstick(NamedTuple):
    """A spec with its case set, at one commit."""

    spec: Spec
    cases: Sequence[Case]


def changes(
    now: Yardstick, then: Yardstick, registry: Mapping[str, Metric]
) -> tuple[YardstickChange, ...]:
    """Give what moved in thresholds, red lines, pass marks and cases, loosened first.

    What only adds (a limit, a red line, a mark) tightens. What was written differently
    and holds the same is no change; neither is an owner. Cases that are new are none.
    """
    found = [
        *_limits(now.spec, then.spec),
        *_red_lines(now.spec, then.spec),
        *_leakage(now.spec, then.spec),
        *_marks(now.spec, then.spec, registry),
        *_baseline(now.spec, then.spec),
        *_trials(now.spec, then.spec),
        *_reading(now.spec, then.spec),
        *removed(now.cases, then.cases),
        *quarantines(_apart(now), _apart(then)),
    ]
    return tuple(sorted(found, key=lambda change: _ORDER.index(change.moved)))


_ORDER: Sequence[Moved] = ("loosened", "changed", "tightened")


def _limits(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    new, old = _by_key(now), _by_key(then)
    for key in dict.fromkeys((*old, *new)):
        after, before = new.get(key, ()), old.get(key, ())
        for one, other in _matched(after, before):
            if moved := _moved(one, other):
                yield YardstickChange(
                    what=_subject(key),
                    before=_shown(other),
                    after=_shown(one),
                    moved=moved,
                    line=one.line if one else None,
                )


def _by_key(spec: Spec) -> Mapping[_Key, Sequence[Limit]]:
    limits = list(spec.limits)
    if not any(limit.allows_failed_calls for limit in limits):
        limits.append(_IMPLICIT)
    grouped: dict[_Key, list[Limit]] = {}
    for limit in limits:
        grouped.setdefault((limit.name, limit.rule, limit.slice), []).append(limit)
    return grouped


def _matched(
    after: Sequence[Limit], before: Sequence[Limit]
) -> Iterator[tuple[Limit | None, Limit | None]]:
    """Pair limits on the same number: first those of one level, then what is left."""
    rest, unpaired = list(before), []
    for limit in after:
        same = next((other for other in rest if other.level == limit.level), None)
        if same:
            rest.remove(same)
            yield limit, same
        else:
            unpaired.append(limit)
    for limit in unpaired:
        yield limit, rest.pop(0) if rest else None
    for other in rest:
        yield None, other


def _moved(now: Limit | None, then: Limit | None) -> Moved | None:
    if now is None or then is None:
        return "loosened" if now is None else "tightened"
    if now.amount.percent != then.amount.percent:
        return "changed"
    steps = {
        _step(now.amount.value, then.amount.value, looser_up=now.rule != "min"),
        _step(now.level == "warn", then.level == "warn", looser_up=True),
        _step(now.confident, then.confident, looser_up=True),
        _step(now.min_coverage, then.min_coverage, looser_up=False),
    } - {None}
    return steps.pop() if len(steps) == 1 else "changed" if steps else None


def _step(now: float, then: float, *, looser_up: bool) -> Moved | None:
    difference = round(now, 9) - round(then, 9)
    if not difference:
        return None
    return "loosened" if (difference > 0) == looser_up else "tightened"


def _subject(key: _Key) -> str:
    name, rule, part = key
    return f"{name} {rule}" + (f" on {part}" if part else "")


def _shown(limit: Limit | None) -> str:
    if limit is None:
        return NONE
    amount, default = limit.amount, Limit._field_defaults["min_coverage"]
    value = f"{plain(amount.value * 100)}%" if amount.percent else plain(amount.value)
    notes = (
        "warns" if limit.level == "warn" else "",
        "confident" if limit.confident else "",
        f"coverage {plain(limit.min_coverage)}"
        if limit.min_coverage != default
        else "",
    )
    return ", ".join((value, *filter(None, notes)))


def _red_lines(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    new = {str(line): line.line for line in now.red_lines}
    old = [str(line) for line in then.red_lines]
    for name in old:
        if name not in new:
            yield YardstickChange(
                what="red line", before=name, after=NONE, moved="loosened"
            )
    for name, line in new.items():
        if name not in old:
            yield YardstickChange(
                what="red line", before=NONE, after=name, moved="tightened", line=line
            )


def _leakage(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    moved = _step(
        now.leakage_level == "warn", then.leakage_level == "warn", looser_up=True
    )
    if moved:
        yield YardstickChange(
            what="leakage",
            before=then.leakage_level,
            after=now.leakage_level,
            moved=moved,
        )


def _marks(
    now: Spec, then: Spec, registry: Mapping[str, Metric]
) -> Iterator[YardstickChange]:
    for label in dict.fromkeys((*then.marks, *now.marks)):
        after, before = now.marks.get(label), then.marks.get(label)
        if after == before:
            continue
        if after is None or before is None:
            moved: Moved | None = "loosened" if after is None else "tightened"
        else:
            metric = registry[label.partition("@")[0].partition("(")[0]]
            moved = _step(after, before, looser_up=metric.better == "lower")
        if moved:
            yield YardstickChange(
                what=f"pass {label}",
                before=NONE if before is None else plain(before),
                after=NONE if after is None else plain(after),
                moved=moved,
            )


def _baseline(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    if then.baseline and now.baseline != then.baseline:
        yield YardstickChange(
            what="baseline",
            before=str(then.baseline),
            after=str(now.baseline or NONE),
            moved="changed" if now.baseline else "loosened",
        )
    moved = _step(
        now.removed.level == "warn", then.removed.level == "warn", looser_up=True
    )
    if moved and now.baseline and then.baseline:
        yield YardstickChange(
            what="baseline removed",
            before=then.removed.level,
            after=now.removed.level,
            moved=moved,
            line=now.removed.line,
        )


def _trials(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    """Say that a case passes otherwise; with one trial each rule is the same."""
    new, old = _rule(now.trials), _rule(then.trials)
    if new != old:
        alike = now.trials.times == then.trials.times
        by_rule = _step(
            _LENIENT.index(now.trials.passes),
            _LENIENT.index(then.trials.passes),
            looser_up=True,
        )
        moved: Moved = (by_rule if alike else None) or "changed"
        yield YardstickChange(what="trials", before=old, after=new, moved=moved)


_LENIENT = ("all", "majority", "any")


def _rule(trials: Trials) -> str:
    return "1" if trials.times == 1 else f"{trials.passes} of {trials.times}"


def _reading(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    """Say that replies are read otherwise, by which any number may move."""
    new, old = now.endpoint, then.endpoint
    for what, differs in (
        ("endpoint.response", new.response != old.response),
        ("endpoint.match", new.match != old.match),
        ("shared_tenants", new.shared_tenants != old.shared_tenants),
    ):
        if differs:
            yield YardstickChange(
                what=what, before="as it was", after="other", moved="changed"
            )


def _apart(one: Yardstick) -> Mapping[str, Quarantine | None]:
    """Give each case with its quarantine, unless a red line holds it."""
    held = effective(one.cases, [str(line) for line in one.spec.red_lines])
    return {case.id: held.get(case.id) for case in one.cases}

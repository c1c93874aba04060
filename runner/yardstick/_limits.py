"""What a change does to limits, red lines, pass marks, baseline and trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from runner.model import Metric, Moved, YardstickChange
from runner.spec import Limit, Spec, Trials
from runner.units import Amount, plain
from runner.yardstick._moved import NONE, change, level, step, worst

_IMPLICIT = Limit("error_rate", "max", Amount(0.0))
"""Holds where the spec has no limit on failed calls that can turn the run red."""

_Key = tuple[str, str, str | None]


def lines(
    now: Spec, then: Spec, registry: Mapping[str, Metric]
) -> Iterator[YardstickChange]:
    """Give what moved in limits, red lines, pass marks, baseline and trials."""
    yield from _limits(now, then)
    yield from _red_lines(now, then)
    yield from _leakage(now, then)
    yield from _marks(now, then, registry)
    yield from _baseline(now, then)
    yield from _trials(now, then)


def _limits(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    new, old = _by_key(now), _by_key(then)
    for key in dict.fromkeys((*old, *new)):
        after, before = new.get(key, ()), old.get(key, ())
        for one, other in _matched(after, before):
            moved, line = _moved(one, other), one.line if one else None
            yield from change(_subject(key), _shown(other), _shown(one), moved, line)


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
    looser_up = now.rule != "min"
    amount = step(now.amount.value, then.amount.value, looser_up=looser_up)
    if now.amount.percent != then.amount.percent and amount != "loosened":
        amount = "changed"  # points are held against a share, of which none knows
    return worst(
        (
            amount,
            level(now.level, then.level),
            step(now.confident, then.confident, looser_up=True),
            step(now.min_coverage, then.min_coverage, looser_up=False),
        )
    )


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
            yield from change("red line", name, NONE, "loosened")
    for name, line in new.items():
        if name not in old:
            yield from change("red line", NONE, name, "tightened", line)


def _leakage(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    after, before = now.leakage_level, then.leakage_level
    yield from change("leakage", before, after, level(after, before))


def _marks(
    now: Spec, then: Spec, registry: Mapping[str, Metric]
) -> Iterator[YardstickChange]:
    for label in dict.fromkeys((*then.marks, *now.marks)):
        after, before = now.marks.get(label), then.marks.get(label)
        if after is None or before is None:
            moved: Moved | None = "loosened" if after is None else "tightened"
        else:
            metric = registry[label.partition("@")[0].partition("(")[0]]
            moved = step(after, before, looser_up=metric.better == "lower")
        was = NONE if before is None else plain(before)
        is_now = NONE if after is None else plain(after)
        yield from change(f"pass {label}", was, is_now, moved)


def _baseline(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    if not then.baseline:
        return
    if now.baseline != then.baseline:
        moved: Moved = "changed" if now.baseline else "loosened"
        after = str(now.baseline or NONE)
        yield from change("baseline", str(then.baseline), after, moved)
    if now.baseline:
        new, old = now.removed, then.removed
        softened = level(new.level, old.level)
        yield from change("baseline removed", old.level, new.level, softened, new.line)


def _trials(now: Spec, then: Spec) -> Iterator[YardstickChange]:
    """Say that a case passes otherwise; with one trial each rule is the same."""
    new, old = _rule(now.trials), _rule(then.trials)
    if new != old:
        moved = _eased(now.trials, then.trials) or "changed"
        yield from change("trials", old, new, moved)


def _eased(now: Trials, then: Trials) -> Moved | None:
    """Give which way it is easier: by the rule, and by trials where all or any count.

    A single trial is as hard as each rule makes it.
    """
    new = then.passes if now.times == 1 else now.passes
    old = now.passes if then.times == 1 else then.passes
    by_times = {
        "all": step(now.times, then.times, looser_up=False),
        "any": step(now.times, then.times, looser_up=True),
    }
    by_rule = step(_LENIENT.index(new), _LENIENT.index(old), looser_up=True)
    return by_rule or by_times.get(new)


_LENIENT = ("all", "majority", "any")


def _rule(trials: Trials) -> str:
    return "1" if trials.times == 1 else f"{trials.passes} of {trials.times}"

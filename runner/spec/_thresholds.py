"""Turns thresholds into limits, each one rule on one number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from runner.errors import Document, KeyPath
from runner.model import split_statistic
from runner.spec._amounts import as_share
from runner.spec._explain import Mistake
from runner.spec._measures import Measures, Subject
from runner.spec._resolved import Limit, LimitRule
from runner.spec._written import Drop, Limits, Threshold
from runner.units import Amount, no_unit, plain

RULES: tuple[LimitRule, ...] = get_args(LimitRule)
_COVERAGE: float = Limit._field_defaults["min_coverage"]
_SLICED_BY = ("tag", "type", "id")
_EMPTY = "has no limit", "add min, max or max_drop"


def limits(
    thresholds: Mapping[str, tuple[Threshold, ...]],
    measures: Measures,
    document: Document,
) -> Iterator[Limit | Mistake]:
    """Give every limit of a spec, and what is wrong with the others.

    What the thresholds name is added to ``measures``.
    """
    for name, entries in thresholds.items():
        path: KeyPath = ("thresholds", name)
        try:
            subject = measures.subject(name)
        except ValueError as error:
            yield Mistake(path, str(error))
            continue
        listed = isinstance(document.data["thresholds"][name], list)
        for index, entry in enumerate(entries):
            at = (*path, index) if listed else path
            yield from _Writer(subject, document, entry).limits(at)


def relaxes_leakage(thresholds: Mapping[str, tuple[Threshold, ...]]) -> bool:
    """Whether ``leakage: {level: warn}`` stands there, with no limit beside it."""
    return any(map(_only_warns, thresholds.get("leakage", ())))


def _only_warns(entry: Threshold) -> bool:
    return entry.level == "warn" and not entry.slices and _empty(entry)


def _empty(part: Limits) -> bool:
    return all(getattr(part, rule) is None for rule in RULES)


def _over_run(name: str) -> bool:
    """Whether a number is made from all cases at once, and not from one of each."""
    return name == "coverage" or split_statistic(name)[1] is not None


class _Writer:
    """Writes the limits of one entry; a slice takes over its level and its owner."""

    def __init__(self, subject: Subject, document: Document, entry: Threshold) -> None:
        self.name = subject.name
        self.subject = subject
        self.document = document
        self.entry = entry

    def limits(self, path: KeyPath) -> Iterator[Limit | Mistake]:
        relaxes = self.name == "leakage" and _only_warns(self.entry)
        if _empty(self.entry) and not self.entry.slices and not relaxes:
            yield Mistake(path, *_EMPTY)
        yield from self.part(self.entry, path, None)
        for key, part in self.entry.slices.items():
            at = (*path, "slices", key)
            selector, _, value = key.partition("=")
            if selector not in _SLICED_BY or not value:
                yield Mistake(at, "a slice is written type=x, tag=x or id=x")
            elif _over_run(self.name):
                what = f"{self.name} is not kept by slice"
                yield Mistake(at, what, "limit it over all cases")
            elif _empty(part):
                yield Mistake(at, *_EMPTY)
            else:
                yield from self.part(part, at, key)

    def part(
        self, part: Limits, path: KeyPath, sliced: str | None
    ) -> Iterator[Limit | Mistake]:
        low, high = part.min, part.max
        if low and high and low.value > high.value:
            what = f"{plain(low.value)} is above max {plain(high.value)}"
            yield Mistake((*path, "min"), f"{what}, so nothing can pass")
        for rule in RULES:
            written: Amount | Drop | None = getattr(part, rule)
            if written is None:
                continue
            at = (*path, rule)
            try:
                yield Limit(
                    self.name,
                    rule,
                    self.amount(rule, written),
                    part.level or self.entry.level or "fail",
                    sliced,
                    part.owner or self.entry.owner,
                    self.coverage(part),
                    self.document.place(*at).line,
                    confident=isinstance(written, Drop) and written.confident,
                )
            except ValueError as error:
                yield Mistake(at, str(error))

    def amount(self, rule: str, written: Amount | Drop) -> Amount:
        if isinstance(written, Amount):
            return check(rule, written, self.subject)
        if written.confident and _over_run(self.name):
            raise ValueError(
                f"confident needs a value for each case, and {self.name} has none"
            )
        return check(rule, written.points, self.subject)

    def coverage(self, part: Limits) -> float:
        for least in (part.min_coverage, self.entry.min_coverage):
            if least is not None:
                return least
        return _COVERAGE


def check(rule: str, amount: Amount, subject: Subject) -> Amount:
    """Give a limit that lies within the range of the number, in its unit.

    Raises:
        ValueError: It has another unit than the number, lacks the unit that it needs,
            or is outside the number's range.
    """
    low, high = subject.bounds
    value = plain(amount.value)
    _check_unit(rule, amount, subject)
    if rule == "max_drop":
        return _check_drop(amount, subject)
    if low is not None and amount.value < low:
        raise ValueError(f"{value} is below {plain(low)}, the least there is")
    if high is not None and amount.value > high:
        hint = as_share(amount.value) if high == 1 else ""
        raise ValueError(f"{value} is above {plain(high)}, the most there is{hint}")
    return Amount(amount.value)


def _check_unit(rule: str, amount: Amount, subject: Subject) -> None:
    """Refuse a time or percentage where it does not fit, and a time without a unit."""
    if amount.duration and subject.unit != "s":
        raise ValueError(
            f"is a time, and {subject.name} is {subject.unit or 'a share'}"
        )
    if amount.percent and subject.unit and rule != "max_drop":
        what = f"is a percentage, and {subject.name} is counted in {subject.unit}"
        raise ValueError(what)
    alone = not (amount.duration or amount.percent)
    if subject.unit == "s" and alone and amount.value > 0:
        ways = ("s", "ms", "%") if rule == "max_drop" else ("s", "ms")
        raise ValueError(no_unit(amount.value, *ways))


def _check_drop(amount: Amount, subject: Subject) -> Amount:
    value = plain(amount.value)
    if amount.value < 0:
        raise ValueError(f"{value} is below 0, and a drop is 0 or more")
    least, most = subject.bounds
    if amount.percent:  # a number that may grow can more than double
        most = 1.0 if (subject.better, least) == ("higher", 0.0) else None
    if most is not None and amount.value > most:
        what = f"{value} is more than {subject.name} can lose"
        raise ValueError(f"{what}; 0.02 is two points, 2% a share of the baseline")
    return amount

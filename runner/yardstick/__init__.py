"""What a pull request changes in what judges it: limits, red lines, marks, labels.

Two specs with their case sets, before and after, become the list of what is looser
and what is tighter, so that green by a lower bar is seen in review.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from runner.model import Case, Metric, Quarantine, YardstickChange
from runner.quarantine import effective
from runner.spec import Spec
from runner.yardstick._cases import cases, left, quarantines, unasked
from runner.yardstick._limits import lines
from runner.yardstick._moved import ORDER
from runner.yardstick._reading import reading

__all__ = ["Yardstick", "changes", "in_order"]


class Yardstick(NamedTuple):
    """A spec with its case set, at one commit."""

    spec: Spec
    cases: Sequence[Case]
    left_out: Collection[str] = ()
    """Ids of those that a filter leaves out."""


def changes(
    now: Yardstick, then: Yardstick, registry: Mapping[str, Metric]
) -> tuple[YardstickChange, ...]:
    """Give everything by which the verdict may come out otherwise, loosened first.

    What only adds (a limit, a red line, a mark) tightens; of two moves of one thing the
    looser counts. What was written differently and holds the same is no change; neither
    is an owner. How the system is asked, how its replies are read, and cases that are
    new are changes, which no direction can be told of.
    """
    found = [
        *lines(now.spec, then.spec, registry),
        *left(now.cases, then.cases, _groups(now.spec, then.spec)),
        *reading(now.spec, then.spec),
        *cases(now.cases, then.cases, reads_meta=_reads_meta(now.spec)),
        *unasked(then.cases, now.left_out, then.left_out),
        *quarantines(_apart(now), _apart(then)),
    ]
    return in_order(found)


def in_order(found: Iterable[YardstickChange]) -> tuple[YardstickChange, ...]:
    """Give changes as they are told: loosened first, tightened last."""
    return tuple(sorted(found, key=lambda change: ORDER.index(change.moved)))


def _groups(now: Spec, then: Spec) -> Mapping[str, str]:
    """Give the red lines, and the slices with limits, that are on both sides."""
    new, old = ({str(line): None for line in spec.red_lines} for spec in (now, then))
    cut, was = ({limit.slice: None for limit in spec.limits} for spec in (now, then))
    lines = {f"red line {name}": name for name in old if name in new}
    slices = {f"slice {name}": name for name in was if name and name in cut}
    return {**lines, **slices}


def _reads_meta(spec: Spec) -> bool:
    """Whether a request may hold what a case keeps beside its labels."""
    return "meta" in str(spec.endpoint.model_dump())


def _apart(one: Yardstick) -> Mapping[str, Quarantine | None]:
    """Give each case with its quarantine, unless a red line holds it."""
    held = effective(one.cases, [str(line) for line in one.spec.red_lines])
    return {case.id: held.get(case.id) for case in one.cases}

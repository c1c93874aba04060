"""Whether a gate has no value because a filter left out every case that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runner.cases import asks_for
from runner.model import Case, Measure, memberships, split_statistic
from runner.spec import Limit, Spec


class Selection(NamedTuple):
    """What a filter chose of the case set, and what it left out."""

    asked: Sequence[Case]
    left_out: Sequence[Case]

    def misses(self, limit: Limit, spec: Spec) -> bool:
        """Whether every case that the number of a limit needs was left out.

        Only what the cases say counts. Where one that was asked should have given a
        number and its reply did not, nothing was missed.
        """
        measures = _counted(limit, spec)
        part = limit.slice

        def counts(case: Case) -> bool:
            return any(asks_for(case, measure) for measure in measures) and (
                part is None or part in memberships(case)
            )

        return not any(map(counts, self.asked)) and any(map(counts, self.left_out))


def _counted(limit: Limit, spec: Spec) -> list[Measure]:
    """Give what a limit counts: one metric, or all that can make a case pass."""
    if limit.name == "accuracy":
        return [
            measure
            for measure in spec.measures
            if measure.label in spec.marks and _examines(measure, spec)
        ]
    name, _ = split_statistic(limit.name)
    return [measure for measure in spec.measures if measure.label == name]


def _examines(measure: Measure, spec: Spec) -> bool:
    # A system that gives no answers is examined by what it finds.
    gives_none = spec.endpoint.response.answer is None
    return measure.metric.examines or (gives_none and measure.layer == "retrieval")

"""Pass marks: the value that each metric must reach for one case to pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runner.model import RUN_LEVEL, split_statistic
from runner.spec._explain import Mistake
from runner.spec._measures import Measures, Subject
from runner.spec._resolved import DEFAULT_MARKS
from runner.spec._thresholds import check
from runner.units import amount


def marks(
    written: Mapping[str, object], measures: Measures
) -> Iterator[tuple[str, float] | Mistake]:
    """Give label and mark, the defaults first, without those that null removes.

    What has a mark is added to ``measures``.
    """
    kept = {**DEFAULT_MARKS, **written}
    for name, value in kept.items():
        if value is None:
            if name not in DEFAULT_MARKS:
                there = ", ".join(DEFAULT_MARKS)
                what = "null removes a default mark, and this is none"
                yield Mistake(("pass", name), what, f"they are {there}")
            continue
        try:
            yield _mark(name, value, measures)
        except ValueError as error:
            yield Mistake(("pass", name), str(error))


def _mark(name: str, value: object, measures: Measures) -> tuple[str, float]:
    base, statistic = split_statistic(name)
    if name in RUN_LEVEL or (statistic and base in measures.registry):
        raise ValueError(f"{name} is counted over the run; one case has none")
    measure = measures.add(name)
    metric = measure.metric
    subject = Subject(name, metric.better, metric.bounds, metric.unit)
    return measure.label, check("mark", amount(value), subject).value

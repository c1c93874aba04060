"""The judged measures of a spec that people labelled: mark and items of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from runner.calibration import MarkSource
from runner.errors import InputError, Problems, did_you_mean
from runner.labels import Consensus, Item, Label, consensus
from runner.meta_evaluation._compare import Mark
from runner.meta_evaluation._perturbations import PERTURBATIONS
from runner.model import Measure
from runner.pipeline import Plan


class LabelledMeasure(NamedTuple):
    """A judged measure, and the items that people labelled for it."""

    measure: Measure
    mark: Mark
    mark_from: MarkSource
    """Who set the mark."""
    items: Sequence[Consensus]
    """Those that most people call good, or bad."""
    disputed: int
    """How many are left out, since as many people call them good as bad."""

    def perturbations(self) -> list[str]:
        """Give the perturbations that must not change its score."""
        metric = self.measure.metric
        return [name for name, each in PERTURBATIONS.items() if each.applies(metric)]

    def ratings(self, copies: int) -> Iterator[tuple[Measure, Sequence[str]]]:
        """Give the texts of each rating, perturbed copies of so many items included."""
        shown = [_texts(one.item) for one in self.items]
        for texts in (*shown, *shown[:copies] * len(self.perturbations())):
            yield self.measure, texts

    def total(self, copies: int) -> int:
        """Give the number of ratings."""
        copied = min(copies, len(self.items)) * len(self.perturbations())
        return len(self.items) + copied


def _texts(item: Item) -> list[str]:
    case, response = item.case, item.response
    passages = [passage.text for passage in response.passages or ()]
    texts = (case.question, case.reference, response.answer, *passages)
    return [text for text in texts if text]


def labelled_measures(
    plan: Plan, labels: Sequence[Label], good: Mapping[str, float]
) -> list[LabelledMeasure]:
    """Give the judged measures of a spec that have labels, in the order of the spec.

    Args:
        plan: Of the spec.
        labels: What people said.
        good: By measure, the score from which on it is good, where an option says so;
            else the spec's pass mark holds.

    Raises:
        Problems: A label or an option is of no judged measure of the spec, or nothing
            says which score is good.
    """
    measures = {m.label: m for m in plan.spec.measures if m.metric.judged}
    problems = [*_strange(labels, measures, good)]
    found = []
    for label, measure in measures.items():
        ours = [one for one in labels if one.item.metric == label]
        if not ours:
            continue
        value, source = _mark(plan, label, good)
        if value is None:
            problems.append(_no_mark(plan, label))
            continue
        items = list(consensus(ours))
        agreed = [one for one in items if one.good is not None]
        mark = Mark(value, measure.better, measure.metric.bounds)
        disputed = sum(one.is_disputed for one in items)
        found.append(LabelledMeasure(measure, mark, source, agreed, disputed))
    if problems:
        raise Problems(problems)
    return found


def _mark(
    plan: Plan, label: str, good: Mapping[str, float]
) -> tuple[float | None, MarkSource]:
    if label in good:
        return good[label], "option"
    return plan.spec.marks.get(label), "pass"


def _no_mark(plan: Plan, label: str) -> InputError:
    return InputError(
        f"nothing says from which score on {label} is good",
        where=plan.place("pass"),
        hint=f"write pass: {{{label}: 0.8}} in the spec, or --good {label}=0.8",
    )


def _strange(
    labels: Sequence[Label], measures: Mapping[str, Measure], good: Mapping[str, float]
) -> Iterator[InputError]:
    """Give what speaks of no judged measure of the spec, each name once."""
    first: dict[str, Label] = {}
    for label in labels:
        first.setdefault(label.item.metric, label)
    listed = ", ".join(measures) or "none"
    for name, label in first.items():
        if name not in measures:
            yield InputError(
                f"{name} is no judged metric of the spec",
                where=label.place._replace(path="metric"),
                hint=did_you_mean(name, measures) or f"there are {listed}",
            )
    for name in good:
        if name not in measures:
            hint = did_you_mean(name, measures) or f"there are {listed}"
            yield InputError(f"--good {name}: no judged metric of the spec", hint=hint)

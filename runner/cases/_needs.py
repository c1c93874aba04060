"""Which labels a case needs before a metric can score any reply to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from runner.model import Case, Layer, Measure


class Label(NamedTuple):
    """What a metric or an input of one needs of a case."""

    field: str
    """The keys of a case that give it."""
    value: Callable[[Case], object]
    """Gives the label of a case; falsy where the case lacks it."""
    absent: str = ""
    """Why a metric has no score without it."""


ANSWERABLE_ONLY: tuple[Layer, ...] = ("retrieval", "context", "grounding")
"""Layers that say nothing of a case where declining is right."""

MAX_UNDETERMINED = 0.2
"""Above this share of the cases with a reply, accuracy says too little to gate on."""

LABELS: Mapping[str, Label] = {
    "ranking": Label(
        "expected_doc_ids",
        lambda case: not case.expect_refusal and case.relevant,
        "the case has no relevant ids",
    ),
    "reference": Label(
        "reference", lambda case: case.reference, "the case has no reference"
    ),
    "key_points": Label(
        "must_include", lambda case: case.key_points, "the case has no key points"
    ),
    "forbidden": Label(
        "must_not_include",
        lambda case: case.must_not_include,
        "the case forbids no text",
    ),
    "anchors": Label("anchors", lambda case: case.anchors, "the case has no anchors"),
    "intents": Label("intents", lambda case: case.intents, "the case has no intents"),
    "walls": Label(
        "tenant, forbidden_doc_ids or canaries",
        lambda case: case.has_walls,
        "the case has no tenant, forbidden ids or canaries",
    ),
}
"""By the name of the input; the inputs that are not here are read from the reply."""

_KINDS: Mapping[str, Label] = {
    "refusal": Label("expect_refusal: true", lambda case: case.expect_refusal),
    "over_refusal": Label("an answer to give", lambda case: not case.expect_refusal),
}
"""Metrics that look at one of the two kinds of case."""


def needs(measure: Measure) -> Iterator[Label]:
    """Give the labels without which a metric is unscored."""
    metric = measure.metric
    if metric.name in _KINDS:
        yield _KINDS[metric.name]
    for name in metric.inputs:
        if name in LABELS and name not in metric.optional:
            yield LABELS[name]


def asks_for(case: Case, measure: Measure) -> bool:
    """Whether some reply to a case could be scored by a metric.

    Where it is false, the reason that there is no score lies in the case alone.
    """
    if case.expect_refusal and (
        measure.layer in ANSWERABLE_ONLY or measure.metric.judged
    ):
        return False
    return all(label.value(case) for label in needs(measure))

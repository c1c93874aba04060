"""Which layer a gate that fails speaks of: that of the cases that pull it down.

A number is seldom low for its own sake. Where every answer lacks its key points because
the passage that holds them was not found, the gate on key points speaks of retrieval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from runner.model import (
    LAYERS,
    GateResult,
    Layer,
    Record,
    Summary,
    memberships,
    split_statistic,
)


def traced(
    gates: Iterable[GateResult],
    summaries: Mapping[str, Summary],
    failing: Sequence[Record],
) -> tuple[GateResult, ...]:
    """Give the gates, each that failed with the layer that it speaks of.

    It is the layer to which most of the failing cases that broke a red line, or whose
    score is worse than the limit, are charged; the earlier one of two with as many. A
    layer after that of the metric does not explain its number, but for the context,
    which judges the order that the metrics of retrieval count. Where no failing case
    explains it, it is the metric's own. How fast and dear replies were is explained by
    no case that fails, and a number over the whole run by all of them.
    """
    return tuple(
        gate.model_copy(update={"layer": _layer(gate, summaries, failing)})
        if gate.outcome == "failed"
        else gate
        for gate in gates
    )


def _layer(
    gate: GateResult, summaries: Mapping[str, Summary], failing: Sequence[Record]
) -> Layer | None:
    if gate.rule == "red_line":
        broke = set(gate.cases)
        return _most(record.layer for record in failing if record.id in broke)
    label = split_statistic(gate.metric)[0]
    own = summaries[label].layer if label in summaries else None
    if own is None or own == "service":
        return own
    last = LAYERS.index("context" if own == "retrieval" else own)
    worse = _worse(gate, summaries[label])
    return (
        _most(
            record.layer
            for record in failing
            if _in_slice(record, gate.slice) and worse(record.scores.get(label))
            if record.layer and LAYERS.index(record.layer) <= last
        )
        or own
    )


def _worse(gate: GateResult, summary: Summary) -> Callable[[float | None], bool]:
    """Give what says that a score pulls the number of a gate across its limit."""
    bound = gate.baseline if gate.rule == "max_drop" else gate.limit
    low = summary.better == "higher" if gate.rule == "max_drop" else gate.rule == "min"
    return lambda score: (
        score is not None
        and bound is not None
        and (score < bound if low else score > bound)
    )


def _in_slice(record: Record, part: str | None) -> bool:
    return part is None or part in memberships(record)


def _most(layers: Iterable[Layer | None]) -> Layer | None:
    counts = Counter(layer for layer in layers if layer)
    hit = [layer for layer in LAYERS if counts[layer]]
    return max(hit, key=counts.__getitem__, default=None)

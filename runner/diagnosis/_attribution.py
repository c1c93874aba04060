"""Attributes a failed gate to a layer: that of the failing cases that lower its number.

Where answers lack their key points because the passage that holds them was not
retrieved, the gate on key points is charged to retrieval.
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


def attributed(
    gates: Iterable[GateResult],
    summaries: Mapping[str, Summary],
    failing: Sequence[Record],
) -> tuple[GateResult, ...]:
    """Give the gates, each failed one with the layer that it is charged to.

    The failing cases that count are those that broke the red line, or whose score is
    worse than the limit; for a drop, than the baseline. The layer is the one that most
    of them are charged to, the earlier one in a tie. Layers after that of the metric
    are left out, as they cannot explain its number; only context, which judges the
    order of passages, may explain a metric of retrieval. Where no case explains it, the
    layer is that of the metric, as it always is for one of the service layer, such as
    latency. A number over the whole run, such as accuracy, is charged to no layer.
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
    """Give a test of whether a score is on the wrong side of the limit of a gate."""
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

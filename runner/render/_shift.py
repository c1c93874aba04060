"""Where failures moved: how many cases of both runs fail first in which layer."""

from __future__ import annotations

from collections.abc import Sequence

from runner.model import LAYERS
from runner.render._said import Said, say
from runner.report import Report
from runner.units import count


def by_layer(report: Report) -> Said:
    """Give how the first failures of each layer moved, over the cases of both runs.

    Nothing where nothing failed in either, or no layer gained or lost any.
    """
    compared = report.comparison
    if compared is None:
        return ()
    counts = [
        (layer, compared.layers.get(layer, 0), compared.layers_now.get(layer, 0))
        for layer in LAYERS
    ]
    moved = [f"{layer} {was:,} → {now:,}" for layer, was, now in counts if was != now]
    same = [layer for layer, was, now in counts if was == now and now]
    if not moved:
        return ()
    rest = f", {_listed(same)} unchanged" if same else ""
    over = f"Over the {count(compared.pairs, 'case')} of both runs, first failures: "
    return say(f"{over}{', '.join(moved)}{rest}.")


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last

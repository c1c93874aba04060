"""Where failures moved: from layer to layer, and whether the search did it."""

from __future__ import annotations

from collections.abc import Sequence

from runner.model import LAYERS
from runner.render._sentence import Sentence, say
from runner.report import Report, charged_layer
from runner.search_regression import search_regression
from runner.units import count


def layer_moves(report: Report) -> Sentence:
    """Give how many cases fail first in each layer, before and now.

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
    rest = f", {_joined(same)} unchanged" if same else ""
    over = f"Over the {count(compared.pairs, 'case')} of both runs, first failures: "
    return say(f"{over}{', '.join(moved)}{rest}.")


def by_search(report: Report) -> Sentence:
    """Give in how many cases the search broke before the layer that shows it."""
    layer = charged_layer(report)
    found = search_regression(report.comparison, report.summaries, layer)
    if not found:
        return ()
    cases = f"{found.cases:,} of {count(found.among, 'case')}"
    verb = "fails" if found.among == 1 else "fail"
    what = "a relevant passage ranks lower than in the baseline or is gone"
    return say(f"In {cases} that newly {verb} in the {layer} layer, {what}.")


def _joined(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last

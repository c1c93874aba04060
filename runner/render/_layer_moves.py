"""Where failures moved: from layer to layer, and whether the search did it."""

from __future__ import annotations

from collections.abc import Sequence

from runner.model import LAYERS, Layer
from runner.render._sentence import Sentence, say, strong
from runner.report import Report
from runner.units import count

_AFTER_THE_SEARCH = ("refusal", "grounding", "answer")


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
    rest = f", {_listed(same)} unchanged" if same else ""
    over = f"Over the {count(compared.pairs, 'case')} of both runs, first failures: "
    return say(f"{over}{', '.join(moved)}{rest}.")


def by_search(report: Report, layer: Layer) -> Sentence:
    """Give that the search broke before a layer did, where most of its cases say so.

    A passage that falls from rank 1 to 3 is within the mark of its layer, and may be
    what the answer was drawn from. Said of the cases that passed in the baseline and
    fail first in a layer that follows the search.
    """
    if report.comparison is None or layer not in _AFTER_THE_SEARCH:
        return ()
    fell = [
        bool(shift.ranks)
        for shift in report.comparison.shifts
        if (shift.was, shift.now, shift.layer) == ("passed", "failed", layer)
    ]
    if 2 * sum(fell) <= len(fell):
        return ()
    cases = f"in {sum(fell):,} of {count(len(fell), 'case')} that newly"
    verb = "fails" if len(fell) == 1 else "fail"
    what = "here, a relevant passage ranks lower than in the baseline or is gone."
    return say(strong("But look at the search first:"), f" {cases} {verb} {what}")


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last

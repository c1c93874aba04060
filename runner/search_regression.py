"""Whether a regression of the search explains failures charged to a later layer.

A relevant passage that falls from rank 1 to 3 still meets the pass marks of retrieval,
and may all the same change the answer of a service that reads the first passage alone.
One reply by itself cannot show that; a comparison with the baseline can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from runner.inference import CONFIDENCE
from runner.model import Comparison, Layer, Summary

_SEARCH: tuple[Layer, ...] = ("retrieval", "context")
_LATER: tuple[Layer, ...] = ("refusal", "grounding", "answer")


class SearchRegression(NamedTuple):
    """A regression of the search that new failures in a later layer are due to."""

    layer: Layer
    """``retrieval`` where most of ``cases`` lost a passage altogether, ``context``
    where ranks fell."""
    cases: int
    """Those with a relevant passage that ranks lower than before, or is gone."""
    among: int
    """Cases that newly fail in the later layer."""


def search_regression(
    compared: Comparison | None, summaries: Mapping[str, Summary], layer: Layer | None
) -> SearchRegression | None:
    """Give the regression behind the failures of a layer; None where there is none.

    There is one where both hold: of the cases that passed in the baseline and now fail
    first in this layer, most have a relevant passage that ranks lower or is gone; and a
    metric of the search is worse over all cases, by more than chance explains. The
    second condition keeps an index whose ranks vary from run to run from being blamed
    for a change of the prompt.

    Args:
        compared: The comparison with the baseline, where there is one.
        summaries: Of the run; they tell the layer of each metric.
        layer: The one that failing cases are charged to, where any failed.
    """
    if compared is None or layer not in _LATER:
        return None
    failing = [
        shift
        for shift in compared.shifts
        if (shift.was, shift.now, shift.layer) == ("passed", "failed", layer)
    ]
    lower = [shift for shift in failing if shift.ranks]
    if 2 * len(lower) <= len(failing) or not _is_worse(compared, summaries):
        return None
    gone = [any(move.now is None for move in shift.ranks) for shift in lower]
    first: Layer = "retrieval" if 2 * sum(gone) > len(gone) else "context"
    return SearchRegression(first, len(lower), len(failing))


def _is_worse(compared: Comparison, summaries: Mapping[str, Summary]) -> bool:
    """Whether any metric of the search is worse by more than chance explains."""
    chances = (
        delta.p
        for name, delta in compared.deltas.items()
        if name in summaries and summaries[name].layer in _SEARCH
    )
    return any(chance is not None and chance <= 1 - CONFIDENCE for chance in chances)

"""Whether the search broke before the layer that failing cases are charged to.

A passage that falls from rank 1 to 3 is within the mark of its layer, and may be all it
took: a service that reads the first passage alone answers from another one. In one
reply that cannot be told from a wrong answer; beside a baseline it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from runner.inference import CONFIDENCE
from runner.model import Comparison, Layer, Summary

_SEARCH: tuple[Layer, ...] = ("retrieval", "context")
_AFTER_IT: tuple[Layer, ...] = ("refusal", "grounding", "answer")


class Fallen(NamedTuple):
    """Cases that newly fail in a layer, and how many of them lost passages before."""

    layer: Layer
    """The one that broke first: ``retrieval`` where passages are gone from most."""
    cases: int
    """With a relevant passage that ranks lower than in the baseline, or is gone."""
    among: int


def fallen(
    compared: Comparison | None, summaries: Mapping[str, Summary], layer: Layer
) -> Fallen | None:
    """Give what fell before a layer failed; None where the search is not to blame.

    It is where both hold: of the cases that passed in the baseline and fail first in
    this layer, most have a relevant passage further down or gone; and a metric of the
    search is worse over all cases, by more than chance explains. The second keeps an
    index whose ranks change from run to run from taking the blame for a prompt.

    Args:
        compared: The run beside its baseline.
        summaries: Of the run, which say whose a metric is.
        layer: The one that failing cases are charged to.
    """
    if compared is None or layer not in _AFTER_IT:
        return None
    failing = [
        shift
        for shift in compared.shifts
        if (shift.was, shift.now, shift.layer) == ("passed", "failed", layer)
    ]
    fell = [shift for shift in failing if shift.ranks]
    if 2 * len(fell) <= len(failing) or not _worse(compared, summaries):
        return None
    gone = [any(move.now is None for move in shift.ranks) for shift in fell]
    first: Layer = "retrieval" if 2 * sum(gone) > len(gone) else "context"
    return Fallen(first, len(fell), len(failing))


def _worse(compared: Comparison, summaries: Mapping[str, Summary]) -> bool:
    """Whether any metric of the search is worse by more than chance explains."""
    chances = (
        delta.p
        for name, delta in compared.deltas.items()
        if name in summaries and summaries[name].layer in _SEARCH
    )
    return any(chance is not None and chance <= 1 - CONFIDENCE for chance in chances)

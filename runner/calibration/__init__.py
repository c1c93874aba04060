"""Whether a judge was held against people, and whether that still holds for a run.

``rag-eval calibrate`` writes a ``Calibration``; a gate on a judged metric asks
``standing`` whether it covers the very ruler that measured: judge, prompts, metric.
"""

from __future__ import annotations

from runner.calibration._record import (
    Agreement,
    Calibration,
    Entry,
    Flips,
    Labels,
    MarkSource,
    TaskFingerprint,
    read,
)
from runner.calibration._standing import Demand, Ruler, Standing, standing

__all__ = [
    "Agreement",
    "Calibration",
    "Demand",
    "Entry",
    "Flips",
    "Labels",
    "MarkSource",
    "Ruler",
    "Standing",
    "TaskFingerprint",
    "read",
    "standing",
]

"""Whether a judge was checked against human labels, and whether that covers a run.

``rag-eval calibrate`` writes a ``Calibration``; a gate on a judged metric asks
``standing`` whether it covers what measured in the run: judge, prompts and metric.
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

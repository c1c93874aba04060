"""Sheets on which people label replies of a run, and the labels read back from them.

A sheet does not show the score of the judge, which would influence the annotators.
"""

from __future__ import annotations

from runner.annotation._export import (
    Export,
    FinishedRun,
    candidates_of,
    export,
    finished_run,
)
from runner.annotation._import import Import, read_sheets
from runner.annotation._questions import QUESTIONS, asks, guide
from runner.annotation._sample import Candidate, sample
from runner.annotation._sheet import COLUMNS, labels_in, lines, table

__all__ = [
    "COLUMNS",
    "QUESTIONS",
    "Candidate",
    "Export",
    "FinishedRun",
    "Import",
    "asks",
    "candidates_of",
    "export",
    "finished_run",
    "guide",
    "labels_in",
    "lines",
    "read_sheets",
    "sample",
    "table",
]

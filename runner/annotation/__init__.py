"""Sheets for people: replies of a run to be labelled, and what came of it.

What a judge gave is in no sheet: people who see it agree with it.
"""

from __future__ import annotations

from runner.annotation._asks import ASKS, asks, guide
from runner.annotation._give import Given, Run, give, items_of, run_of
from runner.annotation._sample import Candidate, sample
from runner.annotation._sheet import COLUMNS, filled, lines, table
from runner.annotation._take import Taken, take

__all__ = [
    "ASKS",
    "COLUMNS",
    "Candidate",
    "Given",
    "Run",
    "Taken",
    "asks",
    "filled",
    "give",
    "guide",
    "items_of",
    "lines",
    "run_of",
    "sample",
    "table",
    "take",
]

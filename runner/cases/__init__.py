"""Reads rows of a case file as cases, and reports all problems at once."""

from __future__ import annotations

from runner.cases._fields import FIELDS
from runner.cases._hashes import case_hash, labels_hash
from runner.cases._health import health
from runner.cases._load import Loaded, check_unique, load
from runner.cases._lookalikes import lookalikes
from runner.cases._needs import ANSWERABLE_ONLY, LABELS, MAX_UNDETERMINED, asks_for
from runner.cases._plan import Row

__all__ = [
    "ANSWERABLE_ONLY",
    "FIELDS",
    "LABELS",
    "MAX_UNDETERMINED",
    "Loaded",
    "Row",
    "asks_for",
    "case_hash",
    "check_unique",
    "health",
    "labels_hash",
    "load",
    "lookalikes",
]

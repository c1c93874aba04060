"""How text is normalised, split, matched and understood, in every language alike.

``words`` normalises, splits and matches; ``numerals`` reads numbers; ``refusals`` tells
whether an answer declines.
"""

from __future__ import annotations

from runner.text.numerals import numbers, readings
from runner.text.refusals import declines
from runner.text.words import (
    contains,
    fold,
    normalise,
    remembered,
    sentences,
    tokens,
    vocabulary,
)

__all__ = [
    "contains",
    "declines",
    "fold",
    "normalise",
    "numbers",
    "readings",
    "remembered",
    "sentences",
    "tokens",
    "vocabulary",
]

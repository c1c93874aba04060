"""Normalises, splits, matches and reads text, by the same rules in every language.

``words`` normalises and splits; ``spelled`` turns number words into figures;
``numerals`` extracts numbers; ``matching`` looks for one text in another; ``refusals``
tells whether an answer declines; ``shorten`` cuts a text to a length; ``markup``
removes Markdown and HTML; ``languages`` tells English from Chinese.
"""

from __future__ import annotations

from runner.text.languages import LANGUAGES, Language, language
from runner.text.markup import marked, rendered
from runner.text.matching import contains, states
from runner.text.numerals import numbers, readings
from runner.text.refusals import declines
from runner.text.words import (
    fold,
    normalise,
    remembered,
    sentences,
    tokens,
    vocabulary,
)

__all__ = [
    "LANGUAGES",
    "Language",
    "contains",
    "declines",
    "fold",
    "language",
    "marked",
    "normalise",
    "numbers",
    "readings",
    "remembered",
    "rendered",
    "sentences",
    "states",
    "tokens",
    "vocabulary",
]

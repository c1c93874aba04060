"""How text is normalised, split, matched and understood, in every language alike.

``words`` normalises and splits; ``spelled`` turns number words into figures;
``numerals`` reads numbers; ``matching`` looks for one text in another; ``refusals``
tells whether an answer declines; ``lengths`` measures a text and makes it shorter;
``markup`` gives what a reader sees of Markdown and HTML;
``languages`` says in which language it is spoken of.
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

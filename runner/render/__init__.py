"""Report to Markdown, console, HTML and JUnit; escapes what others wrote."""

from __future__ import annotations

from runner.render._clean import clean, inert
from runner.render._console import console, harmless
from runner.render._escape import inline
from runner.render._html import html
from runner.render._junit import junit
from runner.render._links import NOWHERE, Links
from runner.render._markdown import COMMENT, FILTERS, SUMMARY, Budget, comment, summary
from runner.render._mistake import mistake

__all__ = [
    "COMMENT",
    "FILTERS",
    "NOWHERE",
    "SUMMARY",
    "Budget",
    "Links",
    "clean",
    "comment",
    "console",
    "harmless",
    "html",
    "inert",
    "inline",
    "junit",
    "mistake",
    "summary",
]

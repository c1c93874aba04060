"""Report to Markdown, console, HTML and JUnit; escapes what others wrote."""

from __future__ import annotations

from runner.render._clean import clean
from runner.render._console import console, harmless, inert
from runner.render._escape import block, cell, cut, inline
from runner.render._html import html
from runner.render._junit import junit
from runner.render._links import NOWHERE, Links
from runner.render._markdown import FILTERS, comment, summary

__all__ = [
    "FILTERS",
    "NOWHERE",
    "Links",
    "block",
    "cell",
    "clean",
    "comment",
    "console",
    "cut",
    "harmless",
    "html",
    "inert",
    "inline",
    "junit",
    "summary",
]

"""The comment and the job summary; each is rendered again with less until it fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from runner.render._escape import block, cell, inline, word
from runner.render._histogram import histogram
from runner.render._links import NOWHERE, Links
from runner.render._prose import prose
from runner.render._sentence import Kind, Piece, Sentence
from runner.render._trend import chart, in_a_line
from runner.render._view import EVERYTHING, Share, view
from runner.report import Report


class Environment(Protocol):
    """What is used of a Jinja2 environment."""

    def get_template(self, name: str) -> Any:
        """Give a template by its file name."""


class Budget(NamedTuple):
    """What a place takes, with room left for what a caller may add."""

    characters: int
    """Counted as UTF-16 units, the largest count that GitHub could mean."""
    size: int
    """Bytes of UTF-8."""

    def holds(self, text: str) -> bool:
        """Give whether a text fits."""
        fits = len(text.encode("utf-16-le")) <= 2 * self.characters
        return fits and len(text.encode()) <= self.size


_TRENDS, _RUNS = 6, 5  # numbers whose course a comment shows, and runs that it takes
_NAME = 80  # characters of a name in a table
COMMENT = Budget(60_000, 240_000)  # of 65,536 characters, stored in 262,144 bytes
SUMMARY = Budget(900_000, 900_000)  # of 1 MiB a step; beyond that GitHub drops it whole

_GATES = Share("gates", 0, 2_000, 5, 3, 30, trends=0, edges=False, table="gates")
_TOLD = Share("20 cases", 20, 600, 20, 3, trends=_TRENDS, runs=_RUNS, table="folded")
COMMENT_SHARES = (
    _TOLD,
    _TOLD._replace(name="5 cases", cases=5, text=300),
    _TOLD._replace(name="no cases", cases=0, lines=10, edges=False, table="short"),
    _GATES,
)
SUMMARY_SHARES = (
    EVERYTHING,
    Share("short texts", text=300, lines=500),
    Share("50 cases", cases=50, text=300, lines=100),
    Share("no cases", cases=0, lines=100),
    _GATES,
)


def comment(
    report: Report,
    environment: Environment,
    *,
    links: Links = NOWHERE,
    budget: Budget = COMMENT,
) -> str:
    """Give the pull-request comment: verdict, first broken layer, tables.

    The line by which a later run finds it is put above where it is published.

    Args:
        report: What to show.
        environment: Over ``templates/``, with ``FILTERS``.
        links: Of which run and commit it is; without them nothing in it is a link.
        budget: What it may take; with less it is rendered again with fewer parts, and
            never cut.
    """
    template = environment.get_template("comment.md.j2")
    return _fitting(report, links, template.render, COMMENT_SHARES, budget)


def summary(
    report: Report,
    environment: Environment,
    *,
    links: Links = NOWHERE,
    budget: Budget = SUMMARY,
) -> str:
    """Give the job summary: the comment with everything open and all failing cases."""
    template = environment.get_template("summary.md.j2")
    return _fitting(report, links, template.render, SUMMARY_SHARES, budget)


def _fitting(
    report: Report,
    links: Links,
    render: Callable[..., str],
    shares: Sequence[Share],
    budget: Budget,
) -> str:
    text = ""
    for share in shares:
        text = _tidy(render(view=view(report, share, links)))
        if budget.holds(text):
            break
    return text


def _md(said: Sentence) -> str:
    return "".join(_piece(piece, inline) for piece in said)


def _cells(said: Sentence) -> str:
    return "".join(_piece(piece, _name) for piece in said)


def _name(text: str) -> str:
    return cell(text, _NAME)


def _piece(piece: Piece, code: Callable[[str], str]) -> str:
    text = _WRITTEN[piece.kind](piece.text, code)
    return f"[{text}]({piece.url})" if piece.url else text


_WRITTEN: Mapping[Kind, Callable[[str, Callable[[str], str]], str]] = {
    "ours": lambda text, _: text,
    "strong": lambda text, _: f"**{text}**",
    "name": word,
    "quote": lambda text, code: code(text),
    "sentence": prose,
}


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "md": _md,
    "cells": _cells,
    "cell": cell,
    "inline": inline,
    "block": block,
    "histogram": histogram,
    "in_a_line": in_a_line,
    "chart": chart,
}
"""What the templates call; the environment needs them."""

"""A Report as a ``View``: the parts that every format shows, in the same words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from runner.model import YardstickChange
from runner.render._banners import banners, footer, totals
from runner.render._cases import (
    Charge,
    Detail,
    Hint,
    charges,
    details,
    failing,
    hints,
)
from runner.render._changes import Change, changes, flips
from runner.render._clean import cleaned
from runner.render._headline import Headline, evaluated, headline, lead
from runner.render._layer_moves import layer_moves
from runner.render._links import NOWHERE, Links
from runner.render._notes import footnotes, notes, reasons
from runner.render._quarantine import QuarantineRow, quarantined
from runner.render._sentence import Sentence
from runner.render._table import Row, glance, rows
from runner.render._trend import Trend, offers, trends
from runner.report import Report


class Share(NamedTuple):
    """How much of a report is shown; less where the place is small."""

    name: str
    cases: int = 10**9
    """Failing cases with their texts."""
    text: int = 2_000
    """Characters of each text."""
    lines: int = 10**9
    """Changed cases, notes and pieces of advice."""
    hints: int = 10**9
    """Pieces of advice."""
    rows: int = 10**9
    trends: int = 10**9
    """How many trends are shown."""
    runs: int = 2
    """The fewest runs of a trend."""
    edges: bool = True
    """Whether the table shows confidence intervals."""
    table: Literal["whole", "folded", "short", "gates"] = "whole"
    """``folded``: in sight are what gates look at and a row for each layer, and all of
    it can be unfolded; ``short``: that cannot be unfolded; ``gates``: what gates look
    at, and of that the failed first."""


EVERYTHING = Share("everything")
_CALLS = 3


class View(NamedTuple):
    """The parts of a report in reading order; empty parts are not shown."""

    headline: Headline
    lead: Sentence
    totals: Sentence
    banners: list[Sentence]
    rows: list[Row]
    is_whole: bool
    """Whether ``rows`` is the whole table."""
    more_rows: list[Row]
    """The whole table, where ``rows`` is but a part of it and there is room."""
    compared: bool
    is_final: bool
    """Whether every case was evaluated that was to be."""
    footnotes: list[Sentence]
    """What the marks in the table mean."""
    reasons: list[Sentence]
    """Why gates are not passed."""
    yardstick: list[YardstickChange]
    notes: list[Sentence]
    """The limits of the numbers."""
    flips: str
    moves: Sentence
    """How the first failures of each layer moved."""
    changes: list[Change]
    failing: int
    charges: list[Charge]
    details: list[Detail]
    hints: list[Hint]
    quarantine: list[QuarantineRow]
    trends: list[Trend]
    offers: list[Sentence]
    """Limits that may be tightened."""
    histogram: tuple[tuple[float, int], ...]
    footer: Sentence
    left_out: list[str]
    """Sentences on what this share leaves out."""


def view(
    report: Report,
    share: Share = EVERYTHING,
    links: Links = NOWHERE,
    *,
    kept: bool = False,
) -> View:
    """Make the view of a report; its texts are cleaned."""
    report = cleaned(report)
    has_numbers = evaluated(report)
    table = rows(report) if has_numbers else []  # a table of zeros would look measured
    shown = _rows_shown(table, share)
    above = banners(report, links, kept=kept)
    gates = [said for said in reasons(report) if table and said not in above]
    noted = notes(report, edges=share.edges) if table else []
    flipped = changes(report, links)
    # Where nothing was evaluated, one failed call looks like the next.
    cases = share.cases if has_numbers else min(share.cases, _CALLS)
    quoted = details(report, cases, share.text, links)
    return View(
        headline=headline(report),
        lead=lead(report),
        totals=totals(report),
        banners=above,
        rows=shown[: share.rows],
        is_whole=share.edges and len(shown) == len(table),
        more_rows=table if share.table == "folded" and len(shown) < len(table) else [],
        compared=any(row.delta != row.baseline for row in table),
        is_final=report.verdict != "error",
        footnotes=footnotes(table),
        reasons=gates[: share.lines],
        yardstick=list(report.yardstick[: share.lines]),
        notes=noted[: share.lines],
        flips=flips(report),
        moves=layer_moves(report),
        changes=flipped[: share.lines],
        failing=failing(report),
        charges=charges(report) if has_numbers else [],
        details=quoted,
        hints=hints(report)[: share.hints] if has_numbers else [],
        quarantine=quarantined(report)[: share.lines],
        trends=trends(report, share.runs)[: share.trends] if has_numbers else [],
        offers=offers(report)[: share.lines] if has_numbers else [],
        histogram=report.latency_histogram,
        footer=footer(report, links),
        left_out=[
            text
            for text in (
                _hidden(len(shown), share.rows, "rows"),
                _hidden(len(flipped), share.lines, "changed cases"),
                _hidden(len(gates), share.lines, "reasons"),
                _hidden(len(noted), share.lines, "notes"),
                _hidden(len(report.yardstick), share.lines, "changes of the yardstick"),
                _hidden(failing(report), len(quoted), "failing cases")
                if has_numbers
                else "",
                _cut(report, share) if quoted else "",
            )
            if text
        ],
    )


def _rows_shown(table: list[Row], share: Share) -> list[Row]:
    if share.table == "gates":
        gated = [row for row in table if row.gate]
        return sorted(gated, key=lambda row: row.status in ("passed", "no baseline"))
    return table if share.table == "whole" else glance(table)


def _hidden(total: int, shown: int, what: str) -> str:
    return f"Showing {shown:,} of {total:,} {what}." if shown < total else ""


def _cut(report: Report, share: Share) -> str:
    texts = (
        len(text or "") > share.text
        for case in report.failures[: share.cases]
        for text in (case.question, case.answer, case.evidence)
    )
    return f"Texts are cut to {share.text:,} characters." if any(texts) else ""

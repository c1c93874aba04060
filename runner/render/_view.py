"""A Report as its readers meet it: the same parts and words for every format."""

from __future__ import annotations

from typing import NamedTuple

from runner.render._cases import (
    Change,
    Charge,
    Detail,
    Hint,
    changes,
    charges,
    details,
    failing,
    hints,
)
from runner.render._clean import cleaned
from runner.render._headline import (
    Headline,
    banners,
    evaluated,
    footer,
    headline,
    lead,
    totals,
)
from runner.render._links import NOWHERE, Links
from runner.render._said import Said
from runner.render._table import Row, notes, rows
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
    rows: int = 10**9
    only_gates: bool = False
    """Of the table, only what a gate looks at; of gates, the failed go first."""


EVERYTHING = Share("everything")


class View(NamedTuple):
    """The parts of a report in reading order; empty parts are not shown."""

    headline: Headline
    lead: Said
    totals: str
    banners: list[Said]
    rows: list[Row]
    compared: bool
    notes: list[Said]
    flips: str
    changes: list[Change]
    flipped: int
    """Changed cases in all."""
    failing: int
    charges: list[Charge]
    details: list[Detail]
    hints: list[Hint]
    histogram: tuple[tuple[float, int], ...]
    footer: Said
    left_out: list[str]
    """What this share does not show, in sentences of ours."""


def view(
    report: Report,
    share: Share = EVERYTHING,
    links: Links = NOWHERE,
    *,
    kept: bool = False,
) -> View:
    """Give a report's parts, clean of characters that no output may hold."""
    report = cleaned(report)
    table = _rows(report, share)
    flipped = changes(report, links)
    above = banners(report, kept=kept)
    noted = [note for note in notes(report) if table and note not in above]
    shown = details(report, share.cases, share.text, links)
    return View(
        headline=headline(report),
        lead=lead(report),
        totals=totals(report),
        banners=above,
        rows=table[: share.rows],
        compared=any(row.delta != row.baseline for row in table),
        notes=noted[: share.lines],
        flips=_flips(report),
        changes=flipped[: share.lines],
        flipped=len(flipped),
        failing=failing(report),
        charges=charges(report),
        details=shown,
        hints=hints(report)[: share.lines],
        histogram=report.latency_histogram,
        footer=footer(report, links),
        left_out=[
            text
            for text in (
                _hidden(len(table), share.rows, "rows"),
                _hidden(len(flipped), share.lines, "changed cases"),
                _hidden(len(noted), share.lines, "notes"),
                _hidden(failing(report), len(shown), "failing cases"),
            )
            if text
        ],
    )


def _rows(report: Report, share: Share) -> list[Row]:
    if not evaluated(report):
        return []  # a table of zeros would look like a measurement
    table = rows(report)
    if not share.only_gates:
        return table
    gated = [row for row in table if row.gate]
    return sorted(gated, key=lambda row: row.status in ("passed", "no baseline"))


def _hidden(total: int, shown: int, what: str) -> str:
    return f"Showing {shown:,} of {total:,} {what}." if shown < total else ""


def _flips(report: Report) -> str:
    compared = report.comparison
    if compared is None or not compared.pairs:
        return ""
    sets = {
        "regressed": compared.regressed,
        "fixed": compared.fixed,
        "new": compared.new,
        "removed": compared.removed,
    }
    if not any(sets.values()):
        return ""
    return " · ".join(f"{len(cases):,} {name}" for name, cases in sets.items())

"""The report for a terminal or a log: aligned text, about a hundred columns wide."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence

from tabulate import tabulate

from runner.render._clean import clean, cleaned
from runner.render._escape import cut
from runner.render._said import Said, plain
from runner.render._table import NOTHING, Row
from runner.render._view import Share, View, view
from runner.report import Report

_WIDTH = 100
_CASES, _FLIPS = 20, 10
_CAUSE = 80
_METRIC, _GATE, _NAME, _TEXT = 32, 28, 32, 40
_SHARE = Share("terminal", cases=_CASES, text=300, lines=_CASES)
_COLOURS = {
    "failed": "31",
    "error": "31",
    "unmeasured": "31",
    "warned": "33",
    "no baseline": "33",
    "undetermined": "33",
    "passed": "32",
}
_WORDS = {"failed": "FAILED", "unmeasured": "UNMEASURED", "open": ""}
Paint = Callable[[str, str], str]
"""Gives a text in the colour of a state."""
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def console(
    report: Report, *, colour: bool = False, folder: str = "", keep: str = ""
) -> str:
    """Give the layered table with the breakdown of failures.

    No line can be a workflow command: GitHub's runner would obey a ``::error::`` that
    an answer brings along.

    Args:
        report: What to show.
        colour: Mark states with ANSI colours.
        folder: Where the results are, for the last lines.
        keep: The command that makes them the baseline, whole for whoever pastes it.
    """
    shown = view(report, _SHARE, kept=bool(keep))
    paint = _painted if colour else _unpainted
    parts = (
        _head(shown, paint),
        _items(shown.banners),
        _table(shown, paint),
        _items(shown.notes),
        _charges(shown),
        _changes(shown),
        _cases(report, shown),
        _hints(shown),
        f"Results: {folder}/" if folder else "",
        f"To make them the baseline:\n  {keep}" if keep else "",
    )
    return inert("\n\n".join(filter(None, parts))) + "\n"


def _painted(text: str, state: str) -> str:
    code = _COLOURS.get(state)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _unpainted(text: str, _state: str) -> str:
    return text


def harmless(text: str) -> str:
    """Give foreign text as a terminal or a log may show it, its lines kept."""
    return inert(clean(text))


def inert(text: str) -> str:
    r"""Give text of which no line is a command to GitHub's runner, also in a fence.

    >>> inert("a\n ::error::b ::c")
    'a\n : :error::b ::c'
    """
    return _COMMAND.sub(r"\1: ", text).replace("##[", "## [")


def _head(shown: View, paint: Paint) -> str:
    headline = paint(_line(shown.headline.text, _WIDTH), shown.headline.mark)
    lines = [headline, _wrapped(plain(shown.lead)), shown.totals]
    return "\n".join(filter(None, lines))


def _table(shown: View, paint: Paint) -> str:
    if not shown.rows:
        return ""
    compared = ("Baseline", "Δ") if shown.compared else ()
    headers = ("Layer", "Metric", "Value", *compared, "Gate", "")
    numbers = ("right",) * (1 + len(compared))
    return _grid(
        [_row(row, shown.compared, paint) for row in shown.rows],
        headers,
        ("left", "left", *numbers, "left", "left"),
    )


def _row(row: Row, compared: bool, paint: Paint) -> tuple[str, ...]:  # noqa: FBT001
    return (
        row.layer,
        _line(row.metric, _METRIC),
        row.value,
        *((row.baseline, row.delta) if compared else ()),
        _folded(row.gate, _GATE) or NOTHING,
        paint(_WORDS.get(row.status, row.status), row.status),
    )


def _items(said: Iterable[Said]) -> str:
    return "\n".join(_item(plain(sentence)) for sentence in said)


def _charges(shown: View) -> str:
    if not shown.failing or not shown.charges:
        return ""
    compared = ("In the baseline",) if shown.compared else ()
    headers = ("Layer", "First", *compared, "Also", "Most common cause")
    table = _grid(
        [
            (
                charge.layer,
                f"{charge.first:,}",
                *((charge.before,) if compared else ()),
                charge.also,
                _line(charge.cause, _CAUSE) or NOTHING,
            )
            for charge in shown.charges
        ],
        headers,
        ("left", *("right",) * (len(headers) - 2), "left"),
    )
    many = "case fails" if shown.failing == 1 else "cases fail"
    return f"Where the {shown.failing:,} failing {many}\n\n{table}"


def _changes(shown: View) -> str:
    if not shown.flips:
        return ""
    rows = [
        (plain(change.id), f"{change.was} → {change.now}", change.why)
        for change in shown.changes[:_FLIPS]
    ]
    table = _evidence(("Case", "Was → now", "Why"), rows, shown.flipped)
    return f"Changed cases: {shown.flips}\n\n{table}".rstrip()


def _cases(report: Report, shown: View) -> str:
    rows = [
        (case.id, case.cause or case.outcome, case.evidence)
        for case in cleaned(report).failures[:_CASES]
    ]
    return _evidence(("Failing case", "Cause", "Evidence"), rows, shown.failing)


def _evidence(
    headers: Sequence[str], rows: Sequence[tuple[str, str, str]], total: int
) -> str:
    """Give a table of which the last column takes what the others leave."""
    if not rows:
        return ""
    names = [(_flat(name, _NAME), _flat(cause, _NAME)) for name, cause, _ in rows]
    used = sum(max(map(len, column)) for column in zip(*names, strict=True))
    left = max(_TEXT, _WIDTH - used - 4)
    texts = (_flat(text, left) for *_, text in rows)
    cells = [(*pair, text) for pair, text in zip(names, texts, strict=True)]
    table = _grid(cells, headers, ("left",) * 3)
    more = total - len(rows)
    return f"{table}\n… and {more:,} more" if more > 0 else table


def _hints(shown: View) -> str:
    if not shown.hints:
        return ""
    lines = (f"{hint.cause} ({hint.cases:,}): {hint.remedy}" for hint in shown.hints)
    return "\n".join(("What to do", *map(_item, lines)))


def _grid(
    rows: Iterable[Sequence[str]], headers: Sequence[str], align: Sequence[str]
) -> str:
    return tabulate(
        rows, headers, "simple", disable_numparse=True, colalign=align
    ).replace("\n\n", "\n")


def _line(said: Said, limit: int) -> str:
    return _flat(plain(said), limit)


def _flat(text: str, limit: int) -> str:
    return cut(" ".join(text.split()), limit)


def _folded(said: Said, width: int) -> str:
    return textwrap.fill(" ".join(plain(said).split()), width, max_lines=3)


def _item(text: str) -> str:
    return _wrapped(f"- {text}", indent="  ")


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_on_hyphens=False)

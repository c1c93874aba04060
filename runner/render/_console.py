"""The report for a terminal or a log: aligned text, about a hundred cells wide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tabulate import tabulate

from runner.render._cases import worst_first
from runner.render._clean import clean, cleaned, inert
from runner.render._sentence import Sentence, join, plain, say
from runner.render._table import NOTHING, Row
from runner.render._trend import in_a_line
from runner.render._view import Share, View, view
from runner.report import FailedCase, Report
from runner.text.shorten import (
    cells,
    cut,
    cut_around,
    cut_middle,
    finds,
    short_of_call,
    wrapped,
)

_WIDTH = 100
_CASES = 20
_CAUSE = 80
_METRIC, _GATE, _NAME, _TEXT = 32, 30, 32, 56
_UNIT = re.compile(r"(?<=\d) (?=[s%])|(?<=[≤≥]) ")
_LINES = 3  # of a cell
_GOT = 20  # cells that tell anything of what came
_SHARE = Share("terminal", cases=_CASES, text=300, lines=_CASES, runs=5, edges=False)
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


def console(
    report: Report, *, colour: bool = False, folder: str = "", keep: str = ""
) -> str:
    """Render a report as text: verdict, table, failures, advice.

    No line can be a workflow command: GitHub's runner would obey a ``::error::`` that
    an answer brings along.

    Args:
        report: What to show.
        colour: Mark states with ANSI colours.
        folder: Where the results are, for the last lines, which end with the verdict:
            a log is read from its end.
        keep: The command that makes them the baseline, whole for whoever pastes it.
    """
    shown = view(report, _SHARE, kept=bool(keep))
    paint = _coloured if colour else _plain
    parts = (
        _head(shown, paint),
        _items(shown.banners),
        _table(shown, paint),
        _items([*shown.footnotes, *shown.reasons, *shown.notes]),
        _yardstick(shown),
        _charges(shown),
        _changes(shown),
        _outlook(shown),
        _cases(cleaned(report), shown),
        _hints(shown),
        f"To make these results the baseline:\n  {keep}" if keep else "",
        f"Results: {folder}/\n{_headline(shown, paint)}" if folder else "",
    )
    return inert("\n\n".join(filter(None, parts))) + "\n"


def _coloured(text: str, state: str) -> str:
    code = _COLOURS.get(state)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _plain(text: str, _state: str) -> str:
    return text


def harmless(text: str) -> str:
    """Make foreign text safe for a terminal or a log; its lines are kept."""
    return inert(clean(text))


def _head(shown: View, paint: Paint) -> str:
    below = [wrapped(plain(said), _WIDTH) for said in (shown.lead, shown.totals)]
    return "\n".join(filter(None, [_headline(shown, paint), *below]))


def _headline(shown: View, paint: Paint) -> str:
    return paint(_line(shown.headline.text, _WIDTH), shown.headline.mark)


def _table(shown: View, paint: Paint) -> str:
    if not shown.rows:
        return ""
    compared = ("Baseline", "Δ") if shown.compared else ()
    headers = ("Layer", "Metric", "Value", *compared, "Gate", "")
    numbers = ("right",) * (1 + len(compared))
    return _grid(
        [_row(row, paint, compared=shown.compared) for row in shown.rows],
        headers,
        ("left", "left", *numbers, "left", "left"),
    )


def _row(row: Row, paint: Paint, *, compared: bool) -> tuple[str, ...]:
    return (
        row.layer,
        _line(row.metric, _METRIC),
        row.value,
        *((row.baseline, row.delta) if compared else ()),
        _wrap(row.gate, _GATE) or NOTHING,
        paint(_WORDS.get(row.status, row.status), row.status),
    )


def _items(said: Iterable[Sentence]) -> str:
    return "\n".join(_item(plain(sentence)) for sentence in said)


def _yardstick(shown: View) -> str:
    moved = (
        _item(f"{change.moved}: {change.what}, {change.before} -> {change.after}")
        for change in shown.yardstick
    )
    head = "What this change does to its yardstick"
    return "\n".join((head, *moved)) if shown.yardstick else ""


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
    moves = f"\n{wrapped(plain(shown.moves), _WIDTH)}" if shown.moves else ""
    return f"Where the {shown.failing:,} failing {many}\n\n{table}{moves}"


def _changes(shown: View) -> str:
    if not shown.flips:
        return ""
    fixed = [change.id for change in shown.changes if change.now == "passed"]
    moved = [
        say(change.id, " (", change.cause, ")")
        for change in shown.changes
        if "passed" not in (change.was, change.now)
    ]
    kinds = (("moved", moved), ("fixed", fixed))
    lines = (_item(f"{kind}: {plain(join(', ', ids))}") for kind, ids in kinds if ids)
    return "\n".join((f"Changed cases: {shown.flips}", *lines))


def _outlook(shown: View) -> str:
    said = [in_a_line(shown.trends), *shown.offers]
    return "\n".join(wrapped(plain(line), _WIDTH, "  ") for line in said if line)


def _cases(report: Report, shown: View) -> str:
    """Give the worst failing cases; the last column takes what the others leave."""
    worst = worst_first(report)[:_CASES]
    if not worst:
        return ""
    marks = [weight for _, weight in worst]
    columns = [
        [_flat(case.id, _NAME) for case, _ in worst],
        *([marks] if any(marks) else []),
        [_flat(case.cause or case.outcome, _NAME) for case, _ in worst],
    ]
    used = sum(2 + max(map(cells, column)) for column in columns)
    left = max(_TEXT, _WIDTH - used)
    columns.append([_evidence(case, left) for case, _ in worst])
    headers = ("Failing case", *([""] if any(marks) else []), "Cause", "Evidence")
    table = _grid(list(zip(*columns, strict=True)), headers, ("left",) * len(headers))
    more = shown.failing - len(worst)
    return f"{table}\n… and {more:,} more" if more > 0 else table


def _evidence(case: FailedCase, width: int) -> str:
    """Give the evidence, and where there is room what the reply held instead."""
    evidence, got = " ".join(case.evidence.split()), _got(case)
    if cells(evidence) > width:
        evidence = short_of_call(evidence)
    room = width - cells(evidence) - len("; got ")
    if not got or room < _GOT:
        return cut_middle(evidence, width, cells)
    return f"{evidence}; got {cut_around(got, finds(evidence), room, cells)}"


def _got(case: FailedCase) -> str:
    if case.layer in ("retrieval", "context"):
        came = ", ".join(name or "?" for name in case.retrieved or ())
        return came or "nothing"
    return " ".join((case.answer or "").split())


def _hints(shown: View) -> str:
    if not shown.hints:
        return ""
    lines = (f"{hint.cause} ({hint.cases:,}): {hint.remedy}" for hint in shown.hints)
    return "\n".join(("What to try", *map(_item, lines)))


def _grid(
    rows: Iterable[Sequence[str]], headers: Sequence[str], align: Sequence[str]
) -> str:
    return tabulate(
        rows, headers, "simple", disable_numparse=True, colalign=align
    ).replace("\n\n", "\n")


def _line(said: Sentence, limit: int) -> str:
    return _flat(plain(said), limit)


def _flat(text: str, limit: int) -> str:
    return cut(" ".join(text.split()), limit, cells)


def _wrap(said: Sentence, width: int) -> str:
    lines = wrapped(_UNIT.sub("\xa0", plain(said)), width).split("\n")
    more = ["…"] if len(lines) > _LINES else []
    return "\n".join([*lines[: _LINES - len(more)], *more]).replace("\xa0", " ")


def _item(text: str) -> str:
    return wrapped(f"- {text}", _WIDTH, indent="  ")

"""The format of a sheet: writes items as CSV or JSON Lines, and reads labels back."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runner.annotation._questions import Ask
from runner.cases import Row
from runner.errors import InputError, Problems
from runner.labels import Item, Label, is_labelled, parse_label
from runner.render import clean
from runner.text.shorten import cut

COLUMNS = (
    *("item", "case_id", "metric", "asks", "question", "answer", "passages"),
    *("reference", "points", "label", "note"),
)
_CELL = 30_000  # characters; spreadsheets cut a cell at 32,767 and say nothing
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|]")  # what a spreadsheet may carry out
_CITES = "citation_authenticity"
_MARK = "i-"  # before a key: a spreadsheet would take 12e345678901 for a number


def table(items: Iterable[Item], asks: Mapping[str, Ask]) -> str:
    """Give a sheet in CSV, to be written as UTF-8 with a byte-order mark.

    No cell is a formula: one that could be is led by an apostrophe. Texts that no
    spreadsheet can hold are cut, and say so.

    Args:
        items: In the order of the rows.
        asks: By metric, what is asked.
    """
    written = _Lines()
    sheet = csv.writer(written, quoting=csv.QUOTE_ALL)
    sheet.writerow(COLUMNS)
    for item in items:
        row = {**_row(item), "asks": _task(item, asks), "passages": _passages(item)}
        row["question"] = _conversation(item)
        row["points"] = "\n".join(_points(item))
        sheet.writerow([_cell(row.get(column) or "") for column in COLUMNS])
    return "".join(written.lines)


class _Lines:
    """What the csv module can write to, and is no file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str, /) -> None:
        self.lines.append(line)


def lines(items: Iterable[Item], asks: Mapping[str, Ask]) -> str:
    """Give a sheet in JSON Lines, one item a line, its texts as they came."""
    return "".join(
        json.dumps(
            {
                **_row(item),
                "asks": asks[item.metric],
                "contexts": _contexts(item),
                "points": _points(item),
                "label": None,
                "note": None,
            },
            ensure_ascii=False,
        )
        + "\n"
        for item in items
    )


def _row(item: Item) -> dict[str, Any]:
    return {
        "item": f"{_MARK}{item.key}",
        "case_id": item.case.id,
        "metric": item.metric,
        "turns": [turn._asdict() for turn in item.case.turns],
        "question": item.case.question,
        "answer": _answer(item),
        "reference": item.case.reference,
    }


def _conversation(item: Item) -> str:
    """Give the question, behind what was said before it."""
    before = [f"{turn.role}: {turn.content}" for turn in item.case.turns]
    question = item.case.question
    return "\n".join([*before, f"user: {question}"]) if before else question


def _task(item: Item, asks: Mapping[str, Ask]) -> str:
    """Give what is asked, in the language of the item first."""
    ask = asks[item.metric]
    first = item.language
    other = next(language for language in ask if language != first)
    return f"{ask[first]}\n{ask[other]}"


def _contexts(item: Item) -> list[dict[str, str | None]] | None:
    passages = item.response.passages
    if passages is None:
        return None
    return [{"id": passage.id, "text": passage.text} for passage in passages]


def _passages(item: Item) -> str:
    """Give the passages as people read them, each with its rank and id."""
    return "\n\n".join(
        f"[{rank}] {passage.id or ''}".rstrip() + f"\n{passage.text or ''}"
        for rank, passage in enumerate(item.response.passages or (), 1)
    )


def _points(item: Item) -> Sequence[str]:
    """Give the list that a metric goes through: anchors, intents or citations."""
    named = {
        "anchor_support": item.case.anchors,
        "intent_completion": item.case.intents,
        _CITES: item.response.citations or (),
    }
    return named.get(_name(item), ())


def _answer(item: Item) -> str | None:
    """Give the answer; with its marks, where it is asked what they cite."""
    whole = item.response.raw_answer if _name(item) == _CITES else None
    return item.response.answer if whole is None else whole


def _name(item: Item) -> str:
    """Give the metric of an item without its options."""
    return re.split("[@(]", item.metric)[0]


def _cell(text: str) -> str:
    shown = clean(text)
    if len(shown) > _CELL:
        part = cut(shown, _CELL)
        shown = f"{part} ({len(shown) - _CELL:,} characters more)"
    return f"'{shown}" if _FORMULA.match(shown) else shown


def labels_in(
    rows: Iterable[Row], items: Mapping[str, Item], annotator: str
) -> list[Label]:
    """Give the labels in the rows of a sheet, whatever became of its texts.

    Args:
        rows: Of one sheet.
        items: By key, those that the sheet was made of.
        annotator: Who filled it in, where a row does not say.

    Raises:
        Problems: A label is none, a row is not of these items, or no row has a label.
    """
    found: list[Label] = []
    problems: list[InputError] = []
    for row in filter(is_labelled, rows):
        try:
            found.append(_label(row, items, annotator))
        except InputError as error:
            problems += error
    if not found and not problems:
        what = f"no row of {annotator}'s sheet has a label yet"
        problems.append(InputError(what, hint="write good or bad under label"))
    if problems:
        raise Problems(problems)
    return found


def _label(row: Row, items: Mapping[str, Item], annotator: str) -> Label:
    good = parse_label(row)
    key = str(row.data.get("item", "")).strip().removeprefix(_MARK)
    item = items.get(key)
    if item is None:
        what = "is of no reply in these results" if key else "the column item is empty"
        hint = "give the results that the sheet was made of, and leave item as it was"
        where = row.place._replace(path="item")
        raise InputError(what, where=where, hint=hint)
    person = str(row.data.get("annotator") or annotator).strip()
    return Label(item, person, good, row.place, str(row.data.get("note") or ""))

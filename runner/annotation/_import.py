"""Reads sheets that people filled in: a file of labels, and how far they agree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runner import examples, files
from runner.annotation._export import FinishedRun, candidates_of, measures
from runner.annotation._sheet import labels_in
from runner.errors import InputError, Place, Problems
from runner.labels import AnnotatorPair, Label, annotator_pairs, consensus, duplicates
from runner.text.shorten import cut
from runner.units import count

_SHOWN = 20  # differing items of a pair that are told one by one
_QUESTION = 80  # characters of a question that a line shows


class Import(NamedTuple):
    """The labels of all sheets."""

    text: str
    """Of a file of labels: each line holds its own texts."""
    summary: tuple[str, ...]
    """How many labels, and how far people agree."""


def read_sheets(run: FinishedRun, sheets: Sequence[Path]) -> Import:
    """Give the labels in filled sheets that were made of a run's replies.

    Who filled in a sheet is told by its column ``annotator``, else by its file's name.

    Raises:
        Problems: Everything that is wrong in all sheets.
        InputError: Two sheets would be one person's.
    """
    if again := next(
        (one for at, one in enumerate(sheets) if one in sheets[:at]), None
    ):
        what = "this sheet is named twice"
        hint = "each annotator fills in a copy, named after them"
        raise InputError(what, where=Place(again.as_posix()), hint=hint)
    candidates = candidates_of(run, measures(run, ()))
    items = {one.item.key: one.item for one in candidates}
    labels: list[Label] = []
    problems: list[InputError] = []
    for sheet in sheets:
        try:
            rows = files.read_rows(sheet, file=sheet.as_posix())
            labels += labels_in(rows, items, sheet.stem)
        except InputError as error:
            problems += error
    problems += duplicates(labels)
    if problems:
        raise Problems(problems)
    text = "".join(_line(label) for label in labels)
    return Import(text, tuple(_summary_lines(labels)))


def _line(label: Label) -> str:
    good = {True: "good", False: "bad", None: "unsure"}[label.good]
    record: dict[str, Any] = {
        "metric": label.item.metric,
        "label": good,
        "annotator": label.annotator,
        **({"note": label.note} if label.note else {}),
        **examples.record(label.item.case, label.item.response),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def _summary_lines(labels: Sequence[Label]) -> Iterator[str]:
    found = list(consensus(labels))
    good = sum(one.good is True for one in found)
    bad = sum(one.good is False for one in found)
    yield (
        f"{count(len(labels), 'label')} on {count(len(found), 'item')}: {good} good, "
        f"{bad} bad, {len(found) - good - bad} without a majority"
    )
    for pair in annotator_pairs(labels):
        yield from _agreement_lines(pair)


def _agreement_lines(pair: AnnotatorPair) -> Iterator[str]:
    """Say how far two annotators agree, and where they do not."""
    head = f"{pair.metric}: {pair.first} and {pair.second}"
    share, edges = pair.table.share or 0.0, pair.table.interval
    alike = f"{head} agree on {share:.0%} of {count(pair.table.total, 'item')}"
    if pair.table.kappa is None or edges is None:
        yield f"{alike}; kappa is not defined, as all their labels are alike"
        return
    low, high = edges
    yield f"{alike}, kappa {pair.table.kappa:.2f} ({low:.2f} to {high:.2f})"
    for item in pair.differing[:_SHOWN]:
        question = cut(" ".join(item.case.question.split()), _QUESTION)
        yield f"  differ on {item.case.id}: {question}"
    if len(pair.differing) > _SHOWN:
        yield f"  and on {len(pair.differing) - _SHOWN:,} more"

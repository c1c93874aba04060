"""Rows of a file of labels become labels; everything that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic_core import from_json

from runner import examples
from runner.cases import Row
from runner.errors import InputError, Problems, did_you_mean, kind_of
from runner.examples import wrong
from runner.labels._item import Item, Label, duplicates, item
from runner.model import Case, Response
from runner.spec import ResponseMap

OWN = ("metric", "label", "annotator", "note")
"""The columns of a row beside those of case and reply."""

LookUp = Callable[[str], tuple[Case, Response] | None]
"""Given the id of a case, finds it with its reply."""

_ALIASES: Mapping[str, str] = {"response": "answer", "retrieved_contexts": "contexts"}
"""Names that other tools give to parts of a reply."""

_KNOWN = {*examples.KEYS, *OWN, *_ALIASES}
_IDS = ("id", "case_id", "qid", "query_id")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("good", "1", "true", "yes", "y", "pass", "passed"), True),
    **dict.fromkeys(("bad", "0", "false", "no", "n", "fail", "failed"), False),
    **dict.fromkeys(("对", "是", "好", "合格", "通过"), True),
    **dict.fromkeys(("错", "否", "不好", "差", "不合格", "不通过"), False),
    **dict.fromkeys(("unsure", "?", "？", "不确定"), None),
}


def no_replies(_: str) -> None:
    """Find no reply: every row must hold its own texts."""


def read(
    rows: Iterable[Row],
    look_up: LookUp = no_replies,
    *,
    annotator: str = "people",
    shown: ResponseMap | None = None,
) -> list[Label]:
    """Give the labels in rows; a row without a label is not labelled yet, and none.

    A row holds a case and its reply, as a hand-worked example does, or the id of a case
    that ``look_up`` knows; beside them ``metric`` and ``label``.

    Args:
        rows: The records.
        look_up: Finds what a row names by its id alone.
        annotator: Who labelled, where a row does not say.
        shown: What the spec has done to an answer, as in a recording.

    Raises:
        Problems: Everything that is wrong; or there is no label.
    """
    found: list[Label] = []
    problems: list[InputError] = []
    strange: dict[str, InputError] = {}
    for row in rows:
        for key in row.data.keys() - _KNOWN - strange.keys():
            strange[key] = _strange(row, key)
        try:
            if is_labelled(row):
                found.append(_label(row, look_up, annotator, shown or ResponseMap()))
        except InputError as error:
            problems += error
    problems = [*strange.values(), *problems, *duplicates(found)]
    if not found and not problems:
        problems.append(InputError("there is no label: write good or bad under label"))
    if problems:
        raise Problems(problems)
    return found


def _strange(row: Row, key: str) -> InputError:
    hint = did_you_mean(key, _KNOWN) or "what else you keep goes under note or meta"
    return wrong(row, key, "is not known here", hint)


def is_labelled(row: Row) -> bool:
    """Whether anything stands under ``label``."""
    given = row.data.get("label")
    return not (given is None or (isinstance(given, str) and not given.strip()))


def _label(row: Row, look_up: LookUp, annotator: str, shown: ResponseMap) -> Label:
    row = _with_our_names(row)
    good, found = parse_label(row), _item(row, look_up, shown)
    named = _text(row, "annotator") or annotator
    return Label(found, named, good, row.place, _text(row, "note"))


def _with_our_names(row: Row) -> Row:
    """Give a row in which each part of a reply has the name that it has here."""
    data = dict(row.data)
    for alias, name in _ALIASES.items():
        value = data.pop(alias, None)
        if value is not None and data.get(name) is not None:
            raise wrong(row, alias, f"and {name} are two names of one thing")
        if value is not None:
            data[name] = value
    return row._replace(data=data)


def parse_label(row: Row) -> bool | None:
    """Parse the label of a row: good, bad, or None for unsure.

    Raises:
        InputError: It is none of the words.
    """
    value = row.data["label"]
    word = value
    if isinstance(value, bool | int | float):
        word = f"{value:g}" if not isinstance(value, bool) else str(value)
    folded = word.strip().casefold() if isinstance(word, str) else ""
    if folded not in _WORDS:
        what = f"is good or bad, not {kind_of(value)}"
        hint = "1 and 0, yes and no, 对 and 错 are read too; unsure where it is"
        raise wrong(row, "label", what, hint)
    return _WORDS[folded]


def _text(row: Row, key: str) -> str:
    value = row.data.get(key)
    return "" if value is None else str(value).strip()


def _item(row: Row, look_up: LookUp, shown: ResponseMap) -> Item:
    metric = _text(row, "metric")
    if not metric:
        raise wrong(row, "metric", "is missing", "name what was labelled")
    if row.data.get("answer") is None and row.data.get("contexts") is None:
        return item(metric, *_by_id(row, look_up))
    whole = _with_json_values(row) if row.cells else row
    case = examples.case(whole)
    if case.question == "?":
        raise wrong(row, "question", "is missing beside the answer")
    return item(metric, case, examples.response(whole, shown))


def _by_id(row: Row, look_up: LookUp) -> tuple[Case, Response]:
    """Give the case and reply that a row names by an id."""
    key = next((key for key in _IDS if row.data.get(key) is not None), None)
    if key is None:
        what = "has neither texts nor an id"
        hint = "give question, answer and contexts, or case_id and --results"
        raise InputError(what, where=row.place, hint=hint)
    found = look_up(_text(row, key))
    if found is None:
        what = f"no reply to {_text(row, key)!r:.60} is known"
        hint = "give its question, answer and contexts, or --results with its reply"
        raise wrong(row, key, what, hint)
    return found


def _with_json_values(row: Row) -> Row:
    """Give a row of a table with the parts of its reply as JSON would hold them."""
    data: dict[str, Any] = dict(row.data)
    for key in ("contexts", "citations", "retrieved"):
        if key in data:
            data[key] = _as_list(row, key, data[key])
    refused = str(data.pop("refused", "")).strip().casefold()
    if refused in ("true", "false"):
        data["refused"] = refused == "true"
    data.pop("usage", None)
    return row._replace(data=data)


def _as_list(row: Row, key: str, cell: str) -> list[Any]:
    """Take a cell for a list in JSON, or for its one entry."""
    if not cell.lstrip().startswith("["):
        return [cell]
    try:
        value = from_json(cell, allow_inf_nan=False)
    except ValueError as error:
        what = f"begins like a list in JSON and is none: {error}"
        raise wrong(row, key, what) from None
    return list(value)

"""Records that hold a case and a reply to it: labelled replies and worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.cases import FIELDS, Row, load
from runner.endpoints import ReplyMap, as_recorded, number
from runner.errors import InputError, kind_of
from runner.model import Case, Failure, Passage, Response, Turn
from runner.spec import ResponseMap

_REPLY = ("answer", "contexts", "citations", "refused", "usage")
_SECONDS = ("latency_s", "time_to_first_token_s")
_OF_CASE = frozenset(
    name for field, declared in FIELDS.items() for name in (field, *declared.aliases)
)
KEYS = _OF_CASE | {*_REPLY, *_SECONDS, "retrieved"}
"""What may stand in a record."""

_PLAIN = ResponseMap()
_NOT_KEPT = ("owner", "quarantine", "meta")


def case(row: Row) -> Case:
    """Give the case of a record; a question that is left out is ``?``.

    Raises:
        Problems: Everything that is wrong with its fields.
    """
    fields = {key: value for key, value in row.data.items() if key in _OF_CASE}
    whole = row._replace(data=fields)
    return load([whole], defaults={"question": "?"}).cases[0]


def response(row: Row, shown: ResponseMap = _PLAIN) -> Response:
    """Give the reply of a record; what is left out is absent.

    ``retrieved`` is short for contexts that are ids alone, and a context may be its
    text alone. ``shown`` says what is done to an answer, as in a recording.

    Raises:
        InputError: A part of it is not what it should be.
    """
    reply = {key: row.data[key] for key in _REPLY if row.data.get(key) is not None}
    if "retrieved" in row.data:
        if "contexts" in row.data:
            raise wrong(row, "retrieved", "and contexts are two names of one thing")
        reply["contexts"] = [
            {"id": name} for name in listed(row, "retrieved", row.data["retrieved"])
        ]
    elif "contexts" in reply:
        reply["contexts"] = [
            {"text": context} if isinstance(context, str) else context
            for context in listed(row, "contexts", reply["contexts"])
        ]
    if "answer" not in reply:
        shown = shown.model_copy(update={"answer": None})
    read = ReplyMap(as_recorded(shown)).read(reply)
    if isinstance(read, Failure):
        raise InputError(read.message, where=row.place)
    return read._replace(
        latency=_seconds(row, "latency_s"),
        time_to_first_token=_seconds(row, "time_to_first_token_s"),
    )


def record(case: Case, response: Response) -> dict[str, Any]:
    """Give the record from which ``case`` and ``response`` read these again.

    Where a case stands, who owns it and its quarantine are not kept; the answer is the
    whole answer as it was sent.
    """
    kept = {
        name: _as_json(getattr(case, declared.attribute or name))
        for name, declared in FIELDS.items()
        if name not in _NOT_KEPT
    }
    passages, whole = response.passages, response.raw_answer
    kept["answer"] = response.answer if whole is None else whole
    kept["contexts"] = None if passages is None else list(map(_passage, passages))
    kept["citations"] = _as_json(response.citations)
    kept["refused"] = response.refused
    shown = {"contexts", "citations", "refused"}  # also where it is nothing
    return {
        name: value
        for name, value in kept.items()
        if value or (name in shown and value is not None)
    }


def _passage(passage: Passage) -> dict[str, Any]:
    shown = passage._asdict().items()
    return {key: value for key, value in shown if value is not None}


def _as_json(value: Any) -> Any:
    """Give a value of a case as JSON holds it."""
    if isinstance(value, Turn):
        return value._asdict()
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _seconds(row: Row, key: str) -> float | None:
    value = row.data.get(key)
    seconds = number(value)
    if seconds is None and value is not None:
        raise wrong(row, key, f"is a number, not {kind_of(value)}")
    return seconds


def listed(row: Row, key: str, value: Any) -> Sequence[Any]:
    """Give a value that must be a list.

    Raises:
        InputError: It is none.
    """
    if not isinstance(value, list):
        raise wrong(row, key, f"is a list, not {kind_of(value)}")
    return value


def wrong(row: Row, key: str, what: str, hint: str = "") -> InputError:
    """Give the error that says what is wrong with a value of a record."""
    path = f"{row.place.path}.{key}" if row.place.path else key
    return InputError(what, where=row.place._replace(path=path), hint=hint)

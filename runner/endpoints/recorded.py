"""A RAG system that has already answered: an earlier run, or logs of its own."""

from __future__ import annotations

import json
import os
import re
import stat
from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from sys import intern
from typing import Any, get_args

from pydantic_core import from_json

from runner.cases import case_hash
from runner.endpoints._as_recorded import as_recorded
from runner.endpoints._mapping import ReplyMap
from runner.endpoints._values import Malformed, kind, number, word
from runner.errors import InputError, Place, reason
from runner.model import Case, Failure, Response, ServiceCause, Turn
from runner.spec import ResponseMap
from runner.templating import Locate, by_path
from runner.text.shorten import excerpt

LONGEST_LINE = 32 * 2**20
"""Bytes of one record."""

_BUFFER = 2**18
_LONGEST = 1e9  # seconds, some thirty years
_HEAD = re.compile(
    rb'\s*\{\s*"case_id"\s*:\s*"([^"\\]+)"\s*,'
    rb'\s*(?:"trial"\s*:\s*([0-9]{1,9})\s*,\s*)?"(?:response|failure)"'
)
_TRIAL = re.compile(b'"trial"')  # found faster than by ``in``
_CAUSES: tuple[str, ...] = get_args(ServiceCause)

_Key = str | tuple[str, int]
"""A case id, with the trial where that is not the first."""


class RecordedEndpoint:
    """Answers from a file of JSON Lines, one line a case and trial.

    The file is read once to index its records, and each record again when it is asked
    for, so that the file is never held in memory. Threads may share it. The mapping's
    ``strip`` and citation pattern are applied anew, since a record holds the whole
    answer; its paths are not, since a record has one shape.

    Args:
        path: The file.
        response: The spec's mapping.
        file: What errors call the file.
        place: Where a key stands in the spec.

    Raises:
        InputError: The file is no file or cannot be read, a line is no record or too
            long, or a case and trial has two records.
    """

    def __init__(
        self,
        path: Path,
        response: ResponseMap,
        *,
        file: str | None = None,
        place: Locate = by_path,
    ) -> None:
        self._replies = ReplyMap(as_recorded(response), place=place)
        self._path = path
        self._name = file or str(path)
        self._records: dict[_Key, int] = {}
        self._starts = array("Q")
        """Where each record begins, and last where the file ends."""
        try:
            _check_file(path, self._name)
            self._descriptor = os.open(path, os.O_RDONLY)
        except OSError as error:
            what = f"cannot be read: {reason(error)}"
            raise InputError(what, where=Place(self._name)) from error
        try:
            self._index()
        except BaseException:
            self.close()
            raise

    def ask(self, case: Case, trial: int = 1) -> Response | Failure:
        """Give what was recorded for a trial of a case, a failure where nothing was.

        Raises:
            InputError: The record is no JSON, or not of the shape of a record.
        """
        key = case.id if trial == 1 else (case.id, trial)
        index = self._records.get(key)
        if index is None:
            of = f"trial {trial} of this case" if trial > 1 else "this case"
            what = f"{self._name} holds no reply for {of}"
            return Failure("service.not_recorded", what)
        start, end = self._starts[index], self._starts[index + 1]
        record = self._parse(start, os.pread(self._descriptor, end - start, start))
        said = (record.get("case_id"), record.get("trial", 1))
        if said != (case.id, trial) and _key(record) != key:
            raise self._error(start, "the key case_id or trial stands there twice")
        asked = record.get("case_hash")
        if asked is not None and asked != case_hash(case):
            what = f"{self._name} holds the reply to another question of this case"
            return Failure("service.not_recorded", f"{what}; ask it again")
        response, failure = record.get("response"), record.get("failure")
        if response is not None and failure is None:
            return self._read(response, record)
        if not isinstance(failure, dict) or failure.get("cause") not in _CAUSES:
            hint = f"a failure's cause is one of {', '.join(_CAUSES)}"
            raise self._error(start, "no response and no failure", hint)
        message = excerpt(failure.get("message") or "no message was recorded", 1000)
        seconds = _seconds(record.get("latency_s"))
        shown = self._replies.shown(response)
        shown = shown and shown._replace(turns=_turns(response))
        return Failure(failure["cause"], message, latency=seconds, shown=shown)

    def _read(self, response: Any, record: dict[str, Any]) -> Response | Failure:
        result = self._replies.read(response, _seconds(record.get("latency_s")))
        if isinstance(result, Failure):
            return result
        first = _seconds(record.get("time_to_first_token_s"))
        if first is not None:
            result = result._replace(time_to_first_token=first)
        turns = _turns(response)
        return result._replace(turns=turns) if turns else result

    def missing(self) -> InputError | None:
        """Give help where a key stood in no record that was asked for."""
        found = self._replies.missing()
        if found is None:
            return None
        return InputError(found.what, where=Place(self._name), hint=found.hint)

    def holds_any(self, cases: Iterable[Case]) -> bool:
        """Whether there is a record of any of these cases."""
        return any(case.id in self._records for case in cases)

    def count_unasked(self, cases: Iterable[Case], trials: int) -> int:
        """Count the records that are of none of these cases and trials."""
        keys = ((case.id, trial) for case in cases for trial in range(1, trials + 1))
        asked = sum(
            (name if trial == 1 else (name, trial)) in self._records
            for name, trial in keys
        )
        return len(self._records) - asked

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _index(self) -> None:
        offset, line = 0, b""
        for offset, line in self._lines():
            key = _quick_key(line) or self._key_of(offset, line)
            index = self._records.setdefault(key, len(self._starts))
            if index < len(self._starts):
                first = self._line_number(self._starts[index])
                what = f"{key!r} has a record in line {first} already"
                raise self._error(offset, what, "keep one of the two")
            self._starts.append(offset)
        self._starts.append(offset + len(line))

    def _key_of(self, offset: int, line: bytes) -> _Key:
        try:
            return _key(self._parse(offset, line))
        except Malformed as error:
            raise self._error(offset, str(error)) from error

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Give the offset and bytes of each line that is not blank."""
        with self._path.open("rb", buffering=_BUFFER) as file:
            offset = 3 if file.read(3) == b"\xef\xbb\xbf" else 0
            file.seek(offset)
            for line in iter(partial(file.readline, LONGEST_LINE + 1), b""):
                if len(line) > LONGEST_LINE:
                    limit = LONGEST_LINE // 2**20
                    raise self._error(offset, f"the line is longer than {limit} MiB")
                if not line.isspace():
                    yield offset, line
                offset += len(line)

    def _parse(self, offset: int, line: bytes) -> dict[str, Any]:
        try:
            record = from_json(line, allow_inf_nan=False, cache_strings="keys")
        except ValueError as error:
            what = f"no JSON: {excerpt(str(error))}"
            hint = "a record is one line, in UTF-8"
            raise self._error(offset, what, hint) from error
        if not isinstance(record, dict):
            raise self._error(offset, f"{kind(record)}, not a record")
        return record

    def _error(self, offset: int, what: str, hint: str = "") -> InputError:
        where = Place(self._name, self._line_number(offset))
        return InputError(what, where=where, hint=hint)

    def _line_number(self, offset: int) -> int:
        with self._path.open("rb") as file:
            blocks = iter(partial(file.read, 2**20), b"")
            line, left = 1, offset
            for block in blocks:
                line += block[:left].count(b"\n")
                left -= len(block)
                if left <= 0:
                    break
        return line


def _seconds(value: Any) -> float | None:
    """Give a recorded time; None for what no clock can have shown, such as -1."""
    seconds = number(value)
    return seconds if seconds is not None and 0 <= seconds <= _LONGEST else None


def _turns(response: Any) -> tuple[Turn, ...]:
    """Give the turns before a recorded reply, as far as the record has any."""
    turns = response.get("turns") if isinstance(response, dict) else None
    if not isinstance(turns, list):
        return ()
    return tuple(
        Turn(each["role"], each["content"])
        for each in turns
        if isinstance(each, dict)
        and each.get("role") in ("user", "assistant")
        and isinstance(each.get("content"), str)
    )


def _quick_key(line: bytes) -> _Key | None:
    """Give the key of a record that begins with it, None where it takes a parser."""
    found = _HEAD.match(line)
    if not found:
        return None
    name, trial = found.groups()
    if trial != b"1" and (trial is not None or _TRIAL.search(line)):
        return None
    try:
        return intern(name.decode())  # as the case's id is
    except UnicodeDecodeError:
        return None


def _check_file(path: Path, file: str) -> None:
    """See that it can be read more than once, and ends."""
    if not stat.S_ISREG(path.stat().st_mode):
        hint = "save the records to a file first"
        raise InputError("is no regular file", where=Place(file), hint=hint)


def _key(record: dict[str, Any]) -> _Key:
    name = word(record.get("case_id"), "case_id")
    if name is None:
        raise Malformed("case_id is missing")
    trial = record.get("trial", 1)
    if not isinstance(trial, int) or isinstance(trial, bool):
        raise Malformed(f"trial is {json.dumps(trial)}, not a number from 1 on")
    return name if trial == 1 else (name, trial)

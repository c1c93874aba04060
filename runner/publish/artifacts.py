"""The results folder: traffic as it happens, cases in order, reports at the end.

Everything that leaves through here has its secrets masked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from io import BufferedWriter
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import finalize

from pydantic_core import PydanticSerializationError, to_json

from runner.baseline import CASES, RESULTS
from runner.cases import case_hash
from runner.errors import InputError, Place, Unavailable, reason
from runner.model import Case, Exchange, Record
from runner.publish._claim import RESPONSES, check_ours, inside, lock
from runner.publish._recorded import recorded
from runner.redact import Redactor
from runner.report import Report, mapped

_FOREIGN = ("id", "type", "tags", "retrieved", "scores")  # what others may have named
_SELDOM = ("hits", "failed", "absent", "trials", "would_be")
_seldom = attrgetter(*_SELDOM)
_BUFFER = 2**18  # bytes of lines that go to disk at once
RENDERED = ("comment.md", "summary.md", "report.html", "junit.xml")
FILES = (RESULTS, CASES, RESPONSES, *RENDERED)
"""What a run writes, and an earlier one has left."""


class ResultsFolder:
    """A folder that holds one run; what an earlier run left in it goes at the start.

    Args:
        out: The folder; it is made where it does not exist.
        root: The workspace. Nothing is written outside of it, whatever links say.
        redactor: Masks the secrets.
        replayed: The file whose replies are scored, if any. Where it is this folder's
            own, it stays as it is, since its replies are those of this run.

    Raises:
        InputError: ``out`` is a file, outside of the workspace or the workspace itself,
            cannot be written to, holds files of these names that no run left there, or
            another run writes to it.
    """

    def __init__(
        self,
        out: Path,
        *,
        root: Path,
        redactor: Redactor,
        replayed: Path | None = None,
    ) -> None:
        self.path = inside(out, root)
        self._text = redactor.text
        own = os.path.realpath(self.path / RESPONSES)
        self._keeps = replayed is not None and os.path.realpath(replayed) == own
        self._open: dict[str, BufferedWriter] = {}
        self._waiting: dict[int, bytes] = {}
        self._next = 0
        self._clear()

    def _clear(self) -> None:
        there = [name for name in FILES if os.path.lexists(self.path / name)]
        try:
            check_ours(self.path, there, [RESPONSES] if self._keeps else [])
            self.path.mkdir(parents=True, exist_ok=True)
            self._unlock = finalize(self, os.close, lock(self.path))
            for name in there:
                if name != RESPONSES or not self._keeps:
                    (self.path / name).unlink()
        except OSError as error:
            raise InputError(
                f"cannot be written to: {reason(error)}", where=Place(str(self.path))
            ) from None

    def response(self, case: Case, exchange: Exchange) -> None:
        """Append what came back for a case; it is on its way to disk on return.

        The line replays: the answer is the whole answer as it was sent.
        """
        if self._keeps:
            return
        asked = case_hash(case)
        line = _line(recorded(case.id, asked, exchange))
        if self._tells(line):
            name, masked = _masked((case.id, exchange), self._text)
            line = _line(recorded(name, asked, masked))
        self._append(RESPONSES, line)

    def case(self, position: int, record: Record) -> None:
        """Append a case's line, after those of all the cases before it."""
        line = _line(_record(record))
        if self._tells(line):
            line = _line(_record(_masked_record(record, self._text)))
        self._waiting[position] = line
        while self._next in self._waiting:
            self._append(CASES, self._waiting.pop(self._next))
            self._next += 1

    def _tells(self, line: bytes) -> bool:
        """Give whether a line holds a secret.

        Masking the line itself could break it: a secret may look like one of its keys.
        """
        text = line.decode()
        return self._text(text) != text

    def finish(
        self, report: Report, renderings: Mapping[str, Callable[[Report], str]]
    ) -> Report:
        """Write ``results.json``, then each rendering; give the Report they show.

        Each file appears whole or not at all.

        Args:
            report: Of the run.
            renderings: File name to what makes its text from the masked Report.
        """
        self.close()
        masked = mapped(report, lambda text: _encodable(self._text(text)))
        written = _inert(masked.model_dump_json(indent=2).encode())
        self._replace(RESULTS, written.decode() + "\n")
        for name, rendering in renderings.items():
            self._replace(name, rendering(masked))
        return masked

    def close(self) -> None:
        """Write the cases that still wait, and close the files."""
        for position in sorted(self._waiting):
            self._append(CASES, self._waiting.pop(position))
        while self._open:
            name, file = self._open.popitem()
            try:
                file.close()
            except OSError as error:
                raise _unwritten(self.path / name, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        finally:
            self._unlock()

    def _append(self, name: str, line: bytes) -> None:
        try:
            file = self._open.get(name)
            if file is None:
                # "x" never follows a link that a pull request may have put there. A
                # reply cannot be had again, so it is not held back; a case's line may.
                raw = (self.path / name).open("xb", buffering=0)
                file = self._open[name] = BufferedWriter(raw, _BUFFER)
            file.write(line)
            if name == RESPONSES:
                file.flush()
        except OSError as error:
            raise _unwritten(self.path / name, error) from error

    def _replace(self, name: str, text: str) -> None:
        path, draft = self.path / name, self.path / f".{name}.part"
        try:
            draft.unlink(missing_ok=True)
            with draft.open("xb") as file:
                file.write(text.encode())
            draft.replace(path)
        except OSError as error:
            raise _unwritten(path, error) from error


def retire(out: Path, root: Path) -> bool:
    """Take away the verdict that an earlier run left; give whether there was one.

    A run that could not begin must leave none that could be taken for its own. Recorded
    replies and the lines of the cases stay, for they cannot be had again. Where others'
    files are, or another run is at work, nothing is touched.
    """
    try:
        path = inside(out, root)
        there = [name for name in FILES if os.path.lexists(path / name)]
        stale = [name for name in there if name in (RESULTS, *RENDERED)]
        check_ours(path, there)
        if not stale:
            return False
        claim = lock(path)
        try:
            for name in stale:
                (path / name).unlink()
        finally:
            os.close(claim)
    except (InputError, OSError):
        return False
    return True


def _unwritten(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"cannot be written: {reason(error)}", where=Place(str(path)))


def _record(record: Record) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": record.id,
        "type": record.type,
        "tags": record.tags,
        "outcome": record.outcome,
        "layer": record.layer,
        "cause": record.cause,
        "also": record.also,
        "lucky": record.lucky,
        "retrieved": record.retrieved,
        "scores": dict(record.scores),
        "hash": record.hash,
        "labels": record.labels,
    }
    more = zip(_SELDOM, _seldom(record), strict=True)
    return line | {name: value for name, value in more if value}


def _masked_record(record: Record, change: Callable[[str], str]) -> Record:
    texts = {name: _masked(getattr(record, name), change) for name in _FOREIGN}
    return record._replace(**texts)


def _line(value: Any) -> bytes:
    """Give a line of JSON; a number that is not finite becomes null."""
    try:
        text = to_json(value, inf_nan_mode="null", fallback=dict)
    except PydanticSerializationError:
        whole = _masked(value, _encodable)
        text = to_json(whole, inf_nan_mode="null", fallback=dict)
    return _inert(text) + b"\n"


def _inert(text: bytes) -> bytes:
    """Give JSON that says the same, and commands nothing when a workflow prints it."""
    return text.replace(b"##[", rb"##\u005b")  # which can stand in strings only


def _encodable(text: str) -> str:
    """Give a text without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _masked(value: Any, change: Callable[[str], str]) -> Any:
    """Give a value of which every text, also in keys, went through ``change``."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _masked(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_masked(item, change) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(_masked(item, change) for item in value)
    return value

"""A RAG system that is a program: one run of it for each case."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from urllib3.exceptions import IncompleteRead

from runner.endpoints._local import Handed, LocalEndpoint
from runner.endpoints._program import Exit, Program
from runner.endpoints._service import words
from runner.endpoints._stream import Stream
from runner.errors import InputError, Place, reason
from runner.http_client.client import NO_STATUS, Reply, TooLarge, Unreadable
from runner.model import Failure
from runner.spec import EndpointSpec
from runner.text.shorten import excerpt

_MISTAKES = (FileNotFoundError, PermissionError, NotADirectoryError)
_SAID = 300  # characters of its standard error that a message shows
_NO_PROGRAM = 8  # ENOEXEC: a script without a first line that says what runs it


class CommandEndpoint(LocalEndpoint):
    """Runs a command for each case: one JSON on its standard input, one on its output.

    The command is split as a shell would, but no shell runs it. When a case is over, by
    whatever way, nothing that it started runs on.

    Args:
        spec: The endpoint's block.
        variables: Environment values by name.
        folder: Where it runs.
        options: As of ``LocalEndpoint``.

    Raises:
        InputError: The command has no words, or a quote in it does not end.
    """

    where = "the command"

    def __init__(
        self, spec: EndpointSpec, variables: Any, *, folder: Path, **options: Any
    ) -> None:
        super().__init__(spec, variables, **options)
        self._folder = folder
        self._at = self._place("endpoint", "command")
        self._words = words(spec.command or "", self._at)
        self._running: set[Program] = set()
        self._closed = False

    def close(self) -> None:
        """End every run, at once; none begins after."""
        self._closed = True
        for program in list(self._running):
            program.kill()

    @property
    def _call_text(self) -> str:
        return f"$ {excerpt(shlex.join(self._words), 150)}"

    def _call(self, handed: Handed, stream: Stream | None) -> Reply | Failure:
        output = _Output(self._spec.max_response, stream)
        deadline = time.monotonic() + self._spec.timeout
        try:
            ended = self._run(handed.sent + b"\n", deadline, output.take)
            if stream and ended.status == 0:
                stream.end()
        except TooLarge:
            return self._too_large()
        except IncompleteRead:
            what = f"the reply of {self.where} broke off"
            return Failure("service.malformed", what)
        except Unreadable as error:
            return Failure("service.malformed", f"{self.where}: {error}")
        except OSError as error:
            what = f"{self.where} cannot be run: {reason(error)}"
            return Failure("service.unreachable", what)
        return self._failed(ended) or Reply(NO_STATUS, "", {}, output.body)

    def _run(
        self, sent: bytes, deadline: float, take: Callable[[bytes], object]
    ) -> Exit:
        try:
            program = Program(self._words, self._folder)
        except OSError as error:
            if isinstance(error, _MISTAKES) or error.errno == _NO_PROGRAM:
                raise _cannot_start(self._words[0], error, self._at) from error
            raise
        self._running.add(program)
        try:
            if self._closed:
                program.kill()
            return program.converse(sent, deadline, take)
        finally:
            self._running.discard(program)

    def _failed(self, ended: Exit) -> Failure | None:
        """Explain a run that gave no reply, with the end of its standard error."""
        if ended.status == 0:
            return None
        said = _end_of(self._redact(ended.errors.decode(errors="replace")))
        said = f"; its standard error ends with: {said}" if said else ""
        if ended.status is None:
            late = self._late()
            return late._replace(message=f"{late.message} and was ended{said}")
        how = f"ended with status {ended.status}"
        if ended.status < 0:
            how = f"died of signal {-ended.status}"
        return Failure("service.crashed", f"{self.where} {how}{said}")


class _Output:
    """What a program writes, up to a limit; to a stream as it comes."""

    def __init__(self, limit: int, stream: Stream | None) -> None:
        self._left = limit
        self._stream = stream
        self._pieces: list[bytes] = []

    def take(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise TooLarge
        (self._stream.take if self._stream else self._pieces.append)(piece)

    @property
    def body(self) -> bytes:
        return b"".join(self._pieces)


def _end_of(text: str) -> str:
    """Give the last lines of a text as one, each by its end where it is long."""
    kept: list[str] = []
    room = _SAID
    for line in reversed(text.splitlines()):
        words_ = " ".join(line.split())
        if words_ and room > 0:
            kept.insert(0, words_ if len(words_) <= _SAID else f"...{words_[-_SAID:]}")
            room -= len(words_)
    return " / ".join(kept)


def _cannot_start(program: str, error: OSError, where: Place) -> InputError:
    what = f"{program} cannot be started: {reason(error)}"
    hint = "the first word is a program; there is no shell"
    return InputError(what, where=where, hint=hint)

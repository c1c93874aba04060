"""The system under test as a process: started before the run, ended after it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self

from runner.errors import InputError, Place, Unavailable
from runner.redact import Redactor
from runner.spec import Start
from runner.templating import Locate, by_path

PATIENCE = 5.0
"""Seconds between asking a process to end and ending it."""

LOG_LIMIT = 16 * 2**20
"""Bytes of output that are kept."""

_LONGEST = 64 * 1024  # bytes of a line that are masked as one
_DRAIN = 1.0  # seconds that output may take to arrive when the process has ended
_TAIL = 4096
_LINES = 12


def words(command: str, where: Place) -> list[str]:
    """Give the words of a command, split as a shell would.

    Raises:
        InputError: There is none, or a quote does not end.
    """
    try:
        found = shlex.split(command)
    except ValueError as error:
        what = f"cannot be split into words: {error}"
        raise InputError(what, where=where) from error
    if not found:
        raise InputError("has no word in it", where=where)
    return found


def _start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - the spec's own command
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


class Service:
    """A running command; a context that ends its whole process group.

    The command is split as a shell would, but no shell runs it: there are no pipes and
    no wildcards.

    Args:
        start: The spec's ``start`` block.
        folder: Where it runs.
        log: File that its output goes to, without the secrets.
        secrets: What no message may show.
        place: Where a key stands in the user's file.

    Raises:
        InputError: The command cannot be started.
    """

    def __init__(
        self,
        start: Start,
        *,
        folder: Path,
        log: Path,
        secrets: Iterable[str] | Redactor = (),
        place: Locate = by_path,
    ) -> None:
        self._log = log
        self._redact = Redactor.of(secrets).text
        self._where = place("endpoint", "start", "command")
        try:
            log.unlink(missing_ok=True)
            log.touch(exist_ok=False)  # never through a link that someone put there
            self._process = _start(shlex.split(start.command), folder)
        except (OSError, ValueError, IndexError) as error:
            what = f"cannot be started: {error}"
            hint = "the first word is a program; there is no shell"
            raise InputError(what, where=self._where, hint=hint) from error
        self._reader = Thread(target=self._keep, daemon=True)
        self._reader.start()

    def check(self, *, ready: bool = False) -> None:
        """Return while it runs; once it was ready, also where it ended without error.

        Some commands only start what then runs by itself.

        Raises:
            Unavailable: It has ended; the last lines of its output say why.
        """
        status = self._process.poll()
        if status is None or (ready and status == 0):
            return
        self._reader.join(_DRAIN)
        how = (
            f"ended with status {status}"
            if status >= 0
            else f"died of signal {-status}"
        )
        raise Unavailable(
            f"the service {how} {'while' if ready else 'before'} it was "
            f"{'asked' if ready else 'ready'}; its output ends with:\n" + self._tail(),
            where=self._where,
            hint=f"all of it is in {self._log}",
        )

    def stop(self, patience: float = PATIENCE) -> None:
        """Terminate the command and all that it started, at last by SIGKILL."""
        try:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        finally:  # also when the user cannot wait
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._reader.join(_DRAIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Who asks a second time to stop has no patience left.
        self.stop(0.0 if kind is KeyboardInterrupt else PATIENCE)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _keep(self) -> None:
        """Write the masked output to the log, up to its limit; drop the rest."""
        size = 0
        output: Any = self._process.stdout
        with output:
            with suppress(OSError), self._log.open("ab") as log:
                while size < LOG_LIMIT and (line := output.readline(_LONGEST)):
                    size += len(line)
                    log.write(self._redact(line.decode(errors="replace")).encode())
                    log.flush()
            while output.read1(_LONGEST):
                pass

    def _tail(self) -> str:
        with self._log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(size - _TAIL, 0))
            text = log.read().decode(errors="replace")
        lines = self._redact(text).splitlines()[-_LINES:]
        shown = ("".join(c if c.isprintable() else "?" for c in line) for line in lines)
        return "\n".join(f"  {line}" for line in shown) or "  (nothing)"

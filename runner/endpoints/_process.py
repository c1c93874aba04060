"""Starts the system under test as a command, and ends it with everything it started."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from runner.errors import InputError, Unavailable
from runner.redact import Redactor
from runner.spec import Start
from runner.templating import Locate, by_path

PATIENCE = 5.0
"""Seconds between asking a process to end and ending it."""

_TAIL = 4096
_LINES = 12


class Service:
    """A running command; a context that ends its whole process group.

    The command is split as a shell would, but no shell runs it: there are no pipes and
    no wildcards.

    Args:
        start: The spec's ``start`` block.
        folder: Where it runs.
        log: File that its output goes to.
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
        secrets: Iterable[str] = (),
        place: Locate = by_path,
    ) -> None:
        self._log = log
        self._redact = Redactor(secrets).text
        self._where = place("endpoint", "start", "command")
        try:
            words = shlex.split(start.command)
            with log.open("wb") as output:
                self._process = subprocess.Popen(  # noqa: S603 - the spec's own command
                    words,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except (OSError, ValueError, IndexError) as error:
            what = f"cannot be started: {error}"
            hint = "the first word is a program; there is no shell"
            raise InputError(what, where=self._where, hint=hint) from error

    def check(self) -> None:
        """Return while it runs.

        Raises:
            Unavailable: It has ended; the last lines of its output say why.
        """
        status = self._process.poll()
        if status is None:
            return
        how = (
            f"ended with status {status}"
            if status >= 0
            else f"died of signal {-status}"
        )
        raise Unavailable(
            f"the service {how} before it was ready; its output ends with:\n"
            + self._tail(),
            where=self._where,
            hint=f"all of it is in {self._log}",
        )

    def stop(self, patience: float = PATIENCE) -> None:
        """End the command and what it started; what does not heed it is killed."""
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _tail(self) -> str:
        with self._log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(size - _TAIL, 0))
            text = log.read().decode(errors="replace")
        lines = self._redact(text).splitlines()[-_LINES:]
        shown = ("".join(c if c.isprintable() else "?" for c in line) for line in lines)
        return "\n".join(f"  {line}" for line in shown) or "  (nothing)"

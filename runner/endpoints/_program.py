"""Runs a program once: writes its input, reads its output, and ends it in time."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

_CHUNK = 64 * 1024
_TAIL = 8 * 1024  # bytes of standard error that are kept
_LOOK = 0.2  # seconds until a program that has ended need not end its output


class Exit(NamedTuple):
    """How a program ended."""

    status: int | None
    """The exit status, negative for a signal; None where it was killed at its deadline.
    """
    errors: bytes
    """The last bytes of its standard error."""


class Program:
    """A program that was just started, in a process group of its own.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, words: list[str], folder: Path) -> None:
        self._errors = b""
        self._process = subprocess.Popen(  # noqa: S603 - the spec's own command
            words,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def converse(
        self, sent: bytes, deadline: float, take: Callable[[bytes], object]
    ) -> Exit:
        """Write its input, read until it ends, and leave nothing of it running.

        Args:
            sent: All of its input; a program need not read it.
            deadline: On the clock of ``time.monotonic``.
            take: Gets its output, piece by piece; what it raises ends the program.
        """
        try:
            self._exchange(sent, deadline, take)
            status = self._process.wait(max(deadline - time.monotonic(), 0))
        except (TimeoutError, subprocess.TimeoutExpired):
            return Exit(None, self._errors)
        finally:
            self.kill()
            self._process.wait()
            self._close()
        return Exit(status, self._errors)

    def kill(self) -> None:
        """End it with all that it started, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _exchange(
        self, sent: bytes, deadline: float, take: Callable[[bytes], object]
    ) -> None:
        process: Any = self._process
        left = memoryview(sent)
        reads = {process.stdout: take, process.stderr: self._keep}
        with selectors.DefaultSelector() as selector:
            pipe: Any
            for pipe in (process.stdin, *reads):
                os.set_blocking(pipe.fileno(), False)
                writes = pipe is process.stdin
                event = selectors.EVENT_WRITE if writes else selectors.EVENT_READ
                selector.register(pipe, event)
            while reads:
                ready = selector.select(min(_time_left(deadline), _LOOK))
                if not ready and process.poll() is not None:
                    break  # what it left behind holds its output open
                for key, _ in ready:
                    pipe = key.fileobj
                    if pipe is process.stdin:
                        left = _write(pipe.fileno(), left)
                        if left:
                            continue
                    elif piece := os.read(pipe.fileno(), _CHUNK):
                        reads[pipe](piece)
                        continue
                    selector.unregister(pipe)
                    reads.pop(pipe, None)
                    pipe.close()

    def _keep(self, piece: bytes) -> None:
        self._errors = (self._errors + piece)[-_TAIL:]

    def _close(self) -> None:
        process: Any = self._process
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                pipe.close()


def _write(descriptor: int, data: memoryview) -> memoryview:
    """Give what is left to write; nothing where nobody reads it."""
    try:
        return data[os.write(descriptor, data[:_CHUNK]) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return memoryview(b"")


def _time_left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left

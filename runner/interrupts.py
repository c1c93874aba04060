"""Handles the signals that stop a run: never in the middle of a write."""

from __future__ import annotations

import atexit
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any, Self, TypeVar

from runner.errors import Cancelled

Item = TypeVar("Item")

_ONCE = 0.5  # seconds in which a wrapper may pass on what the terminal has sent too


class Signals:
    """Turns Ctrl-C, SIGTERM and SIGHUP into ``Cancelled``.

    While the program waits for a reply, the exception is raised at once. While a reply
    is judged, it is raised before the next reply. After the last reply it is not raised
    any more, so that the results are written. A second signal raises
    ``KeyboardInterrupt`` at once: then neither replies in flight nor the end of a
    started service are waited for.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._may_stop = True
        self._asked: float | None = None
        self._runs = False

    @property
    def asked(self) -> bool:
        """Whether a signal to stop has come, even if nothing was raised for it."""
        return self._asked is not None

    def install(self) -> Self:
        """Handle the signals from now on, to the end of the process."""
        _take(self._stop)
        atexit.register(_take, signal.SIG_IGN)  # the interpreter would give them back
        return self

    def over(self, leave: Callable[[], object]) -> None:
        """Let a later signal call ``leave`` only, which keeps the exit status."""
        _take(lambda _number, _frame: leave())

    def interruptible(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on; raise ``Cancelled`` while waiting for the next one."""
        source, self._runs = iter(items), True
        try:
            while True:
                self._may_stop = True
                if self.asked:
                    raise self._cancelled()
                item = self._next(source)
                self._may_stop = False
                if item is None:
                    return
                yield item
        finally:
            self._may_stop = False

    def _next(self, source: Iterator[Item]) -> Item | None:
        try:
            return next(source, None)
        except KeyboardInterrupt:
            # Asked again while what was asked for is given up: that need not be waited
            # for, but what was finished is written all the same.
            raise self._cancelled() from None

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self._asked is not None:
            if self._clock() - self._asked >= _ONCE:
                raise KeyboardInterrupt  # asked twice: at once
            return
        self._asked = self._clock()
        if self._may_stop:
            self._may_stop = False
            raise self._cancelled()

    def _cancelled(self) -> Cancelled:
        return Cancelled("cancelled" + "; what was finished is kept" * self._runs)


def _take(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What nohup has started outlives its terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)

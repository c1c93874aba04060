"""Lets a run be stopped between two replies, never in the middle of a write."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Self, TypeVar

from runner.errors import Cancelled

Item = TypeVar("Item")


class Signals:
    """Turns Ctrl-C and SIGTERM into ``Cancelled``, never in the middle of a write.

    Before the first reply and between two it is raised at once. While one is judged it
    waits for the next; when all were judged, or a run was stopped, what is left is to
    write the results down, and that is done. Whoever asks twice need not wait, neither
    for replies on their way nor for what was started to end.
    """

    def __init__(self) -> None:
        self._may_stop = True
        self._asked_to_stop = False

    def heeded(self) -> Self:
        """Take the two signals over for the rest of the process."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        return self

    def interruptible(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on, raising ``Cancelled`` while waiting for the next one."""
        source = iter(items)
        try:
            while True:
                self._may_stop = True
                if self._asked_to_stop:
                    raise _cancelled()
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
            raise _cancelled() from None

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self._asked_to_stop:
            raise KeyboardInterrupt  # asked twice: at once
        self._asked_to_stop = True
        if self._may_stop:
            self._may_stop = False
            raise _cancelled()


def _cancelled() -> Cancelled:
    return Cancelled("cancelled; what was finished is kept")

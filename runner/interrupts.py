"""Lets a run be stopped between two replies, never in the middle of a write."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TypeVar

from runner.errors import Cancelled

Item = TypeVar("Item")


class Signals:
    """Turns Ctrl-C and SIGTERM into ``Cancelled``, never in the middle of a write."""

    def __init__(self) -> None:
        self._waiting = False
        self._asked_to_stop = False

    def interruptible(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on, raising ``Cancelled`` while waiting for the next one."""
        old = {
            number: signal.signal(number, self._stop)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        source = iter(items)
        try:
            while True:
                self._waiting = True
                if self._asked_to_stop:
                    raise Cancelled("cancelled; what was finished is kept")
                item = next(source, None)
                self._waiting = False
                if item is None:
                    return
                yield item
        finally:
            self._waiting = False
            for number, handler in old.items():
                signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self._asked_to_stop:
            raise KeyboardInterrupt  # asked twice: at once
        self._asked_to_stop = True
        if self._waiting:
            self._waiting = False
            raise Cancelled("cancelled; what was finished is kept")

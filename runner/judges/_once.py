"""A cache shared by threads that asks for each key once, and a circuit breaker."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from runner.model import Unrated

_KEPT = 4_096  # replies of this run that are at hand


class Once:
    """Remembers the last replies, and lets nobody ask for what is being asked for.

    What failed is forgotten at once: whoever asks next asks anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: OrderedDict[str, Future[Any]] = OrderedDict()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Give what is remembered under a key, else what ``make`` gives."""
        with self._lock:
            known = self._asked.get(key)
            future = known or self._asked.setdefault(key, Future())
            self._asked.move_to_end(key)
            if len(self._asked) > _KEPT:
                self._asked.popitem(last=False)
        if known is None:
            self._fill(key, future, make)
        return future.result()

    def _fill(self, key: str, future: Future[Any], make: Callable[[], Any]) -> None:
        try:
            future.set_result(make())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            with self._lock:
                self._asked.pop(key, None)
            future.set_exception(error)


class Breaker:
    """Lets nothing be asked any more after so many failures in a row."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._failed = 0
        self._last = ""

    def check(self) -> None:
        """See that it may be asked.

        Raises:
            Unrated: It may not; names the last failure.
        """
        with self._lock:
            if self._failed >= self._most:
                raise Unrated(
                    f"the judge is asked no more: it failed {self._most} times in a "
                    f"row, the last time with: {self._last}"
                )

    def failed(self, why: str) -> None:
        """Count a failure."""
        with self._lock:
            if self._failed < self._most:
                self._failed += 1
                self._last = why

    def held(self) -> None:
        """Note that a rating came."""
        with self._lock:
            if self._failed < self._most:
                self._failed = 0

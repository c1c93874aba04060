"""A cache of recent replies in which concurrent requests for one key share a call."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

_KEPT = 4_096  # replies of this run that are at hand


class SingleFlight:
    """Caches the last replies; threads that want the same one wait for one call.

    A failed call is not cached: the next request makes a new one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: OrderedDict[str, Future[Any]] = OrderedDict()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Give the cached value of a key, else the result of ``make``."""
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

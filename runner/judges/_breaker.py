"""A circuit breaker: after many failures in a row nothing is asked any more."""

from __future__ import annotations

import threading

from runner.model import Unrated


class CircuitBreaker:
    """Counts failures in a row, and refuses requests once there are too many."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._failed = 0
        self._last = ""

    def check(self) -> None:
        """See that a request may be made.

        Raises:
            Unrated: There were too many failures; names the last one.
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
        """Start counting anew after a success."""
        with self._lock:
            if self._failed < self._most:
                self._failed = 0

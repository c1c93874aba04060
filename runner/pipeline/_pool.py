"""A pool of threads that does not keep the program from ending."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple


class _Job(NamedTuple):
    future: Future[Any]
    work: Callable[[], Any]


class Pool:
    """A number of threads, started as they are needed.

    ``concurrent.futures`` joins its threads when the program ends, and one that waits
    for a connection would keep it from ending for as long.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads: list[Thread] = []

    def submit(self, work: Callable[[], Any]) -> Future[Any]:
        """Queue a call; give the future of its result."""
        job = _Job(Future(), work)
        self._jobs.put(job)
        if len(self._threads) < self._size:
            thread = Thread(target=self._work, name="judge", daemon=True)
            self._threads.append(thread)
            thread.start()
        return job.future

    def end(self) -> None:
        """Cancel the calls not begun; each thread ends after the one it is in."""
        with suppress(Empty):
            while True:
                if job := self._jobs.get_nowait():
                    job.future.cancel()
        for _ in self._threads:
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                job.future.set_result(job.work())
            except BaseException as error:  # noqa: BLE001 - whoever waits raises it
                job.future.set_exception(error)

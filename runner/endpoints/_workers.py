"""Calls a function in a thread, or in an event loop, with a timeout."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

_CLEAN = 1.0  # seconds


class Raised(NamedTuple):
    """The exception that a function raised."""

    error: BaseException


class EventLoop:
    """An event loop in a thread of its own, which begins with the first coroutine.

    All coroutines share it, so that a client which belongs to a loop serves them all.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def begin(self, awaitable: Awaitable[Any]) -> Future[Any]:
        """Run an awaitable in the loop; gives a future of its value."""

        async def awaited() -> Any:
            return await awaitable

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=_run, args=(self._loop,), daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(awaited(), self._loop)

    def stop(self) -> None:
        """Stop the loop; its tasks are cancelled and get a moment to clean up."""
        with self._lock:
            if self._loop is None or self._thread is None or self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_CLEAN)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(_ended(asyncio.all_tasks(loop)))
    finally:
        loop.close()


async def _ended(tasks: Collection[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Worker:
    """A thread that calls functions for a caller with a time limit.

    It serves one caller after the other, so that what a function keeps for each thread
    is kept. It never holds up the end of the process.
    """

    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._results: SimpleQueue[tuple[Any] | Raised | None] = SimpleQueue()
        self._pending: Future[Any] | None = None
        Thread(target=self._work, name="call", daemon=True).start()

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float
    ) -> tuple[Any] | Raised | None:
        """Give the value alone in a tuple, what was raised, or None: it is too late.

        After that the worker is of no use, and ends as soon as the function does.
        """
        self._calls.put(lambda: self._value(function(*arguments)))
        with suppress(Empty):
            if came := self._results.get(timeout=seconds):
                return came
        self._calls.put(None)
        if self._pending:
            self._pending.cancel()
        return None

    def give_up(self) -> None:
        """Let its caller wait no longer."""
        self._results.put(None)

    def _value(self, value: Any) -> Any:
        if not inspect.isawaitable(value):
            return value
        self._pending = self._loop.begin(value)
        return self._pending.result()

    def _work(self) -> None:
        while call := self._calls.get():
            try:
                self._results.put((call(),))
            except BaseException as error:  # noqa: BLE001 - the caller tells of it
                self._results.put(Raised(error))

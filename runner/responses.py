"""Asks the endpoint every case: concurrency, rate, retries, and when to give up.

An endpoint makes one request. All that is about trying again and about pace is here,
on clocks that are parameters; a call that failed in the end is a Failure.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, TypeGuard

from runner.errors import Unavailable
from runner.model import Case, Endpoint, Exchange, Failure, Pending, Response
from runner.units import count, plain

BACKOFF = 0.5
"""Seconds; the longest wait before the second attempt, doubled for each one after."""

LONGEST_WAIT = 60.0
"""Seconds; also where a server asks for more."""

GRACE = 5.0
"""Seconds that calls in flight get to end when nobody waits for them any more."""

Exchanges = Generator[Exchange, None, None]

_LEFT = Failure("service.unreachable", "nobody waits for what would come next")
_Step = Callable[[], Response | Failure | Pending]


class Limits(NamedTuple):
    """How hard to press, and when to give up."""

    concurrency: int = 8
    rate_limit: float | None = None
    """Requests per second, of all threads together."""
    retries: int = 2
    stop_after: int | None = 20
    """Failed cases in a row that end the run; None never does."""


def collect(  # noqa: PLR0913 - time and chance, each replaceable in a test
    endpoint: Endpoint,
    cases: Iterable[Case],
    limits: Limits,
    *,
    clock: Callable[[], float],
    uniform: Callable[[float, float], float],
    now: Callable[[], datetime],
    sleep: Callable[[float], object] | None = None,
) -> Exchanges:
    """Ask every case and give what came, in the order in which it came.

    Cases are taken from the iterable as threads get free, and no more than three
    results a thread wait for the consumer: nothing piles up. With a concurrency of 1
    everything runs in the caller's thread. A consumer who leaves early, by closing the
    generator or by an exception, ends the threads; an endpoint with a ``close`` is
    closed then, so that calls in flight do not hold them.

    Args:
        endpoint: Asked from several threads at once; makes one attempt.
        cases: ``Exchange.position`` counts them.
        limits: Concurrency, rate, retries and the breaker.
        clock: Seconds, for the pace.
        uniform: A random number between two, for the jitter.
        now: UTC, for ``Exchange.at``.
        sleep: Waits some seconds; None is a wait that leaving early cuts short.

    Raises:
        Unavailable: ``stop_after`` cases failed in a row.
        InputError: Whatever the endpoint raised, and any other exception of it.
    """
    pace = Pace(limits.rate_limit, clock)
    asking = _Asking(endpoint, limits.retries, pace, uniform, now)
    if sleep is not None:
        asking.sleep = sleep
    if limits.concurrency == 1:
        return _until_down(asking.inline(cases), limits.stop_after)
    return _until_down(asking.threaded(cases, limits.concurrency), limits.stop_after)


def _until_down(exchanges: Exchanges, stop_after: int | None) -> Exchanges:
    failed = 0
    with closing(exchanges):
        for exchange in exchanges:
            yield exchange
            result = exchange.result
            failed = failed + 1 if isinstance(result, Failure) else 0
            if failed == stop_after and isinstance(result, Failure):
                raise Unavailable(
                    f"{count(failed, 'case')} in a row got no usable reply; "
                    f"the last: {result.message}",
                    hint="endpoint.stop_after says how many may",
                )


class Pace:
    """Spaces the attempts of all threads evenly."""

    def __init__(self, rate: float | None, clock: Callable[[], float]) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._clock = clock
        self._next = clock() if rate else 0.0
        self._lock = threading.Lock()

    def wait(self) -> float:
        """Take the next slot and give the seconds until it begins."""
        if not self._gap:
            return 0.0
        with self._lock:
            now = self._clock()
            start = max(self._next, now)
            self._next = start + self._gap
            return start - now


class _Asking:
    """One pass over the cases; threads share it."""

    def __init__(
        self,
        endpoint: Endpoint,
        retries: int,
        pace: Pace,
        uniform: Callable[[float, float], float],
        now: Callable[[], datetime],
    ) -> None:
        self._endpoint = endpoint
        self._retries = retries
        self._pace = pace
        self._uniform = uniform
        self._now = now
        self._stop = threading.Event()
        self.sleep: Callable[[float], object] = self._stop.wait

    def inline(self, cases: Iterable[Case]) -> Exchanges:
        """Ask one case after the other, in the caller's thread."""
        for position, case in enumerate(cases):
            yield self._exchange(position, case)

    def threaded(self, cases: Iterable[Case], concurrency: int) -> Exchanges:
        """Ask from several threads; they take the cases from one iterator."""
        line = _Line(enumerate(cases), concurrency)
        threads = [
            threading.Thread(target=self._work, args=(line,), name="ask", daemon=True)
            for _ in range(concurrency)
        ]
        for thread in threads:
            thread.start()
        finished = False
        try:
            yield from line.results(len(threads))
            finished = True
        finally:
            self._stop.set()
            line.release(len(threads))
            if not finished:
                getattr(self._endpoint, "close", lambda: None)()
            for thread in threads:
                thread.join(GRACE)

    def _work(self, line: _Line) -> None:
        try:
            while (taken := line.take()) is not None and not self._stop.is_set():
                line.give(self._exchange(*taken))
        except BaseException as error:  # noqa: BLE001 - the consumer raises it
            line.give(error)
        line.give(None)

    def _exchange(self, position: int, case: Case) -> Exchange:
        begin: _Step = partial(self._endpoint.ask, case)
        step = begin
        attempts, again, failed = 1, 0, 0  # tries of the case, of this request
        while True:
            self._pause(self._pace.wait())
            result = step()
            if isinstance(result, Pending):
                step = result.proceed
                if result.failed is None and not self._stop.is_set():
                    again = 0
                    self._pause(result.wait)
                    continue
                again, result = again + 1, result.failed or _LEFT
            elif isinstance(result, Failure):
                step, failed, again = begin, failed + 1, 0
            if not self._goes_on(result, max(again, failed)):
                break
            self.sleep(delay_before(result, max(again, failed), self._uniform))
            attempts += 1
        at = self._now().strftime("%Y-%m-%dT%H:%M:%SZ")
        return Exchange(position, _told(result), attempts, at=at)

    def _goes_on(self, result: Response | Failure, tries: int) -> TypeGuard[Failure]:
        """Whether what failed is tried again, where it was ``tries`` times."""
        return (
            isinstance(result, Failure)
            and result.retryable
            and tries <= self._retries
            and not self._stop.is_set()
        )

    def _pause(self, seconds: float) -> None:
        if seconds:
            self.sleep(seconds)


def delay_before(
    failure: Failure, attempts: int, uniform: Callable[[float, float], float]
) -> float:
    """Give the wait before another attempt: what the server asks, or jitter."""
    if failure.retry_after is not None:
        asked = min(failure.retry_after, LONGEST_WAIT)
        return asked + uniform(0.0, BACKOFF)
    return uniform(0.0, min(BACKOFF * 2 ** (attempts - 1), LONGEST_WAIT))


class _Line:
    """Where threads get cases and leave results, a bounded number of them."""

    def __init__(self, cases: Iterator[tuple[int, Case]], concurrency: int) -> None:
        self._cases = cases
        self._lock = threading.Lock()
        self._results: SimpleQueue[Exchange | BaseException | None] = SimpleQueue()
        self._free: SimpleQueue[None] = SimpleQueue()
        self.release(3 * concurrency)

    def take(self) -> tuple[int, Case] | None:
        """Give the next case when there is room for its result; None at the end."""
        self._free.get()
        with self._lock:
            return next(self._cases, None)

    def give(self, result: Exchange | BaseException | None) -> None:
        """Leave a result, an exception, or None: this thread is done."""
        self._results.put(result)

    def release(self, count: int) -> None:
        """Make room for some more results."""
        for _ in range(count):
            self._free.put(None)

    def results(self, threads: int) -> Exchanges:
        """Give results until every thread is done."""
        while threads:
            result = self._results.get()
            if result is None:
                threads -= 1
                self.release(1)
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
                self._free.put(None)


def _told(result: Response | Failure) -> Response | Failure:
    """Say where a server asked for more patience than there is."""
    wait = (isinstance(result, Failure) and result.retry_after) or 0
    if isinstance(result, Failure) and wait > LONGEST_WAIT:
        asked = f"it asks to wait {plain(wait)} s, and {plain(LONGEST_WAIT)} s"
        return result._replace(message=f"{result.message} ({asked} is the longest)")
    return result

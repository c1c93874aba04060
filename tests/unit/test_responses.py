"""Asking: order of things, retries, pace, the breaker, and leaving early."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count, product
from time import perf_counter
from typing import Any

import pytest

from runner.errors import InputError, Unavailable
from runner.model import Case, Exchange, Failure, Pending, Response
from runner.responses import BACKOFF, LONGEST_WAIT, Limits, collect

CASES = [Case(f"c{n}", "q") for n in range(40)]
DOWN = Failure("service.unreachable", "nothing listens", retryable=True)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Endpoint:
    """Answers as a function says; knows who asked, and whether it was closed."""

    def __init__(self, answer: Callable[[Case], Any]) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.threads: set[str] = set()
        self.closed = threading.Event()

    def ask(self, case: Case) -> Response | Failure:
        self.asked.append(case.id)
        self.threads.add(threading.current_thread().name)
        return self.answer(case)

    def close(self) -> None:
        self.closed.set()


class World:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def ask(endpoint: Any, cases: Any = CASES, world: World | None = None, **limits: Any):
    world = world or World()
    return collect(
        endpoint,
        cases,
        Limits(**limits),
        clock=lambda: world.time,
        uniform=lambda low, high: (low + high) / 2,
        now=lambda: NOON,
        sleep=world.sleep,
    )


def asking_threads() -> int:
    return sum(thread.name == "ask" for thread in threading.enumerate())


@pytest.mark.parametrize("concurrency", [1, 2, 8, 64])
def test_every_case_is_asked_once_and_known_by_its_position(concurrency):
    endpoint = Endpoint(lambda case: Response(answer=case.id))

    exchanges = sorted(ask(endpoint, concurrency=concurrency))

    assert exchanges == [
        Exchange(n, Response(answer=f"c{n}"), at="2026-11-30T12:00:00Z")
        for n in range(40)
    ]
    assert sorted(endpoint.asked) == sorted(case.id for case in CASES)
    assert (asking_threads(), endpoint.closed.is_set()) == (0, False)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_case_is_no_exchange(concurrency):
    assert list(ask(Endpoint(lambda _: DOWN), [], concurrency=concurrency)) == []


def test_one_at_a_time_needs_no_thread():
    endpoint = Endpoint(lambda _: Response())

    list(ask(endpoint, concurrency=1))

    assert endpoint.threads == {threading.current_thread().name}


def test_results_come_as_they_finish():
    slow = threading.Event()
    endpoint = Endpoint(lambda case: slow.wait(10) if case.id == "c0" else Response())
    first = []

    for exchange in ask(endpoint, CASES[:6], concurrency=2):
        first.append(exchange.position)
        if len(first) == 5:
            slow.set()

    assert first[-1] == 0


def test_cases_are_taken_no_faster_than_results_are_used():
    taken = []
    cases = (taken.append(case) or case for case in CASES)
    exchanges = ask(Endpoint(lambda _: Response()), cases, concurrency=2)

    next(exchanges)
    threading.Event().wait(0.2)
    held = len(taken)
    rest = list(exchanges)

    assert (held <= 8, len(rest)) == (True, 39)


@pytest.mark.parametrize(
    ("failures", "retries", "attempts", "kind"),
    [
        (0, 2, 1, Response),
        (1, 2, 2, Response),
        (2, 2, 3, Response),
        (3, 2, 3, Failure),
        (1, 0, 1, Failure),
    ],
)
def test_a_failure_that_may_pass_is_tried_again(failures, retries, attempts, kind):
    tries = count(1)
    endpoint = Endpoint(lambda _: DOWN if next(tries) <= failures else Response())

    (exchange,) = ask(endpoint, CASES[:1], retries=retries)

    assert (exchange.attempts, type(exchange.result)) == (attempts, kind)


def test_a_failure_that_stays_is_tried_once():
    endpoint = Endpoint(lambda _: Failure("service.malformed", "no JSON"))

    (exchange,) = ask(endpoint, CASES[:1], retries=5)

    assert (exchange.attempts, len(endpoint.asked)) == (1, 1)


def test_waits_double_with_full_jitter_up_to_a_longest():
    world = World()

    list(ask(Endpoint(lambda _: DOWN), CASES[:1], world, retries=9, concurrency=1))

    halves = [BACKOFF * 2**n / 2 for n in range(7)]
    assert world.slept == [*halves, LONGEST_WAIT / 2, LONGEST_WAIT / 2]


@pytest.mark.parametrize(
    ("asked", "waited", "told"),
    [(0.0, 0.0, ""), (3.0, 3.0, ""), (3600.0, 60.0, "it asks to wait 3600 s")],
)
def test_a_server_that_asks_for_patience_gets_it_within_reason(asked, waited, told):
    world = World()
    busy = DOWN._replace(message="429", retry_after=asked)

    (exchange,) = ask(Endpoint(lambda _: busy), CASES[:1], world, retries=1)

    assert world.slept == [waited + BACKOFF / 2]
    assert told in exchange.result.message


@pytest.mark.parametrize("concurrency", [1, 4])
def test_attempts_keep_the_rate(concurrency):
    started = perf_counter()
    exchanges = collect(
        Endpoint(lambda _: Response()),
        CASES[:11],
        Limits(concurrency, rate_limit=100),
        clock=perf_counter,
        uniform=lambda low, _high: low,
        now=lambda: NOON,
    )

    assert (len(list(exchanges)), perf_counter() - started > 0.099) == (11, True)


def test_retries_take_slots_of_the_rate_too():
    world = World()
    limits = {"rate_limit": 0.1, "retries": 2, "concurrency": 1}

    list(ask(Endpoint(lambda _: DOWN), CASES[:1], world, **limits))

    assert world.time == pytest.approx(100 + 20)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_failures_in_a_row_end_the_run(concurrency):
    endpoint = Endpoint(lambda _: DOWN)
    seen = []

    with pytest.raises(Unavailable, match=r"5 cases in a row .* nothing listens"):
        seen.extend(ask(endpoint, stop_after=5, retries=0, concurrency=concurrency))

    assert len(endpoint.asked) < 25
    assert asking_threads() == 0


def test_one_reply_begins_the_row_anew():
    endpoint = Endpoint(lambda case: Response() if case.id == "c4" else DOWN)

    with pytest.raises(Unavailable):
        list(ask(endpoint, stop_after=5, retries=0, concurrency=1))

    assert endpoint.asked == [f"c{n}" for n in range(10)]


def test_without_a_breaker_everything_is_asked():
    exchanges = ask(Endpoint(lambda _: DOWN), stop_after=None, retries=0)

    assert len(list(exchanges)) == 40


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    "error", [InputError("endpoint.body: no"), ZeroDivisionError()]
)
def test_what_an_endpoint_raises_reaches_the_caller(concurrency, error):
    def answer(case: Case) -> Response:
        if case.id == "c3":
            raise error
        return Response()

    with pytest.raises(type(error)):
        list(ask(Endpoint(answer), concurrency=concurrency))

    assert asking_threads() == 0


def test_what_the_cases_raise_reaches_the_caller():
    broken = (1 / 0 for _ in range(1))

    with pytest.raises(ZeroDivisionError):
        list(ask(Endpoint(lambda _: Response()), broken))


def test_a_consumer_who_leaves_early_leaves_no_thread_behind():
    endpoint = Endpoint(lambda _: Response())
    exchanges = ask(endpoint, (case for n in count() for case in CASES), concurrency=8)

    for _, exchange in zip(range(5), exchanges, strict=False):
        assert exchange.result == Response()
    exchanges.close()

    assert (asking_threads(), endpoint.closed.is_set()) == (0, True)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_consumer_leaves_no_thread_behind(error):
    exchanges = ask(Endpoint(lambda _: Response()), concurrency=8)
    next(exchanges)

    with pytest.raises(error):
        exchanges.throw(error)

    assert asking_threads() == 0


def test_calls_in_flight_end_when_the_consumer_leaves():
    endpoint = Endpoint(lambda _: Response())
    endpoint.answer = lambda case: (
        Response() if case.id == "c0" else endpoint.closed.wait(60) and DOWN
    )
    exchanges = ask(endpoint, concurrency=4)
    next(exchanges)
    started = perf_counter()

    exchanges.close()

    assert (perf_counter() - started < 2, asking_threads()) == (True, 0)


def test_leaving_cuts_the_wait_before_another_attempt_short():
    busy = DOWN._replace(retry_after=50.0)
    endpoint = Endpoint(lambda case: Response() if case.id == "c0" else busy)
    exchanges = collect(
        endpoint,
        CASES,
        Limits(concurrency=4),
        clock=perf_counter,
        uniform=lambda low, _high: low,
        now=lambda: NOON,
    )
    next(exchanges)
    started = perf_counter()

    exchanges.close()

    assert (perf_counter() - started < 2, asking_threads()) == (True, 0)


OK, BUSY, DOWN_FOR_GOOD = "ok", "busy", "down"


class Stepwise:
    """Takes several requests a case, each of which goes as a script says.

    A step in ``afresh`` that fails is tried again from the first one.
    """

    def __init__(self, script, steps=3, afresh=(1,)):
        self.script = iter(script)
        self.steps = steps
        self.afresh = afresh
        self.made = []

    def ask(self, _):
        return self.go(0)

    def go(self, step):
        self.made.append(step)
        said = next(self.script, OK)
        if said == OK and step + 1 == self.steps:
            return Response("done")
        if said == OK:
            return Pending(lambda: self.go(step + 1))
        failed = DOWN._replace(retryable=said == BUSY)
        if step == 0 or step in self.afresh:
            return failed
        return Pending(lambda: self.go(step), failed=failed)


def by_hand(script, retries):
    """Give the steps that are made, and whether the last was, worked out plainly."""
    made, step, anew, alone = [], 0, 0, 0
    for said in [*script, OK, OK, OK]:
        made.append(step)
        if said == OK:
            step, alone = step + 1, 0
            if step == 3:
                return made, True
            continue
        if step == 2:
            alone += 1
            tries = max(alone, anew)
        else:
            step, alone, anew = 0, 0, anew + 1
            tries = anew
        if said == DOWN_FOR_GOOD or tries > retries:
            return made, False
    return made, None


def test_every_order_of_what_may_happen_to_steps_goes_as_worked_out_by_hand():
    said = (OK, BUSY, DOWN_FOR_GOOD)
    for script in product(said, repeat=7):
        for retries in (0, 1, 2):
            endpoint = Stepwise(script)
            [exchange] = ask(endpoint, CASES[:1], concurrency=1, retries=retries)
            made, whole = by_hand(script, retries)

            assert endpoint.made == made, script
            assert isinstance(exchange.result, Response) == whole, script
            failed = sum(each != OK for each in script[: len(made)])
            assert exchange.attempts == failed + bool(whole), script


def test_the_wait_of_a_step_is_kept_and_every_request_keeps_the_rate():
    world = World()

    def go(left):
        if left:
            return Pending(lambda: go(left - 1), wait=0.5)
        return Response("done")

    endpoint = Endpoint(lambda _: go(2))
    [exchange] = ask(endpoint, CASES[:1], world, concurrency=1, rate_limit=0.25)

    assert exchange.result == Response("done")
    assert world.slept == [0.5, 3.5, 0.5, 3.5]


def test_leaving_cuts_the_wait_of_a_step_short():
    def answer(case):
        if case.id == "c0":
            return Response("done")
        return Pending(lambda: answer(case), wait=60)

    exchanges = collect(
        Endpoint(answer),
        CASES[:4],
        Limits(concurrency=4),
        clock=perf_counter,
        uniform=lambda low, _: low,
        now=lambda: NOON,
    )
    began = perf_counter()
    next(exchanges)
    exchanges.close()

    assert perf_counter() - began < 4

"""The source of the replies of a run: a live endpoint, or a recording."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runner import files
from runner.endpoints import Service
from runner.errors import InputError, Place, Unavailable
from runner.model import Endpoint, Exchange
from runner.pipeline import Plan
from runner.responses import Exchanges, Limits, collect
from runner.session._options import RunOptions
from runner.spec import AuthSpec, EndpointSpec
from runner.trials import numbered, repeated
from runner.units import count

if TYPE_CHECKING:
    from runner.endpoints.recorded import RecordedEndpoint


class Source(NamedTuple):
    """Where replies come from."""

    exchanges: Exchanges
    misread: Callable[[], InputError | None]
    """Gives help on mapped paths that matched in no reply so far."""
    notices: Callable[[], Iterable[str]] = tuple
    """Gives notices on where the replies came from."""
    others: Exchanges | None = None
    """The exchanges of the endpoint that serves as the baseline, if any."""


def check_start(plan: Plan) -> None:
    """Refuse specs that start programs, for places where none may be started.

    Raises:
        InputError: The spec would have something started, or run for each case.
    """
    spec = plan.spec.endpoint
    if spec.start:
        what = "nothing is started inside of the action's container"
        hint = f"start it in a step before, `run: {spec.start.command} &`, on 0.0.0.0"
        raise InputError(what, where=plan.place("endpoint", "start"), hint=hint)
    if named := spec.command or spec.python:
        key = "command" if spec.command else "python"
        what = f"{named} is not run inside of the action's container"
        hint = (
            f"run `rag-eval run {plan.spec.file}` in a step of its own, or serve it "
            "over HTTP and write url"
        )
        raise InputError(what, where=plan.place("endpoint", key), hint=hint)
    for auth, where in _auths(plan):
        if auth and auth.bearer and auth.bearer.command:
            what = f"{auth.bearer.command[0]} is not run inside of the action's"
            hint = (
                "let a step before write the token to a file in the workspace and name "
                "it with bearer: {file: ...}, or pass it through env: as a header"
            )
            raise InputError(f"{what} container", where=where, hint=hint)


def _auths(plan: Plan) -> Iterator[tuple[AuthSpec | None, Place]]:
    """Give every ``auth`` of a spec, with its place."""
    spec, rival = plan.spec.endpoint, plan.spec.rival
    key = ("auth", "bearer", "command")
    yield spec.auth, plan.place("endpoint", *key)
    for index, step in enumerate(spec.steps):
        yield step.auth, plan.place("endpoint", "steps", index, *key)
    yield rival.auth if rival else None, plan.beside("endpoint", *key)


def source_of(
    plan: Plan, options: RunOptions, root: Path, services: ExitStack
) -> Source:
    """Give the source of the replies; nothing is sent before it is iterated.

    What has to be started then, ``services`` will end.
    """
    spec = plan.spec.endpoint
    if options.replay:
        from runner.endpoints.recorded import RecordedEndpoint

        recorded = RecordedEndpoint(options.replay, spec.response, place=plan.place)
        replayed = _replay(recorded, plan, options.replay)
        left = partial(_left_over, recorded, plan, options.replay.name)
        return Source(replayed, recorded.missing, left)
    from runner.endpoint_setup import open_endpoint

    endpoint = open_endpoint(plan, plan.cases, root, options.access)

    def live() -> Exchanges:
        with closing(endpoint):
            if spec.start and endpoint.is_ready():
                raise _port_in_use(plan)
            check = services.enter_context(_service(plan, options, root))
            endpoint.wait(check=check)
            yield from _ask_all(endpoint, spec, plan)
            check(ready=True)

    others, told = _baseline_exchanges(plan, options, root)

    def notices() -> Iterator[str]:
        yield from dict.fromkeys((*endpoint.notices(), *told()))

    return Source(live(), endpoint.replies.missing, notices, others)


def _ask_all(endpoint: Endpoint, spec: EndpointSpec, plan: Plan) -> Exchanges:
    """Ask every trial of every case."""
    limits = Limits(spec.concurrency, spec.rate_limit, spec.retries, spec.stop_after)
    trials = plan.spec.trials.times
    asked = collect(
        endpoint,
        repeated(plan.cases, trials),
        limits,
        clock=time.monotonic,
        uniform=random.uniform,
        now=now,
    )
    yield from numbered(asked, trials)


def _baseline_exchanges(
    plan: Plan, options: RunOptions, root: Path
) -> tuple[Exchanges | None, Callable[[], Iterable[str]]]:
    """Give the exchanges of the baseline's endpoint, and its notices.

    None where no endpoint is.
    """
    spec = plan.rival
    if spec is None:
        return None, tuple
    from runner.endpoint_setup import open_baseline_endpoint

    endpoint = open_baseline_endpoint(plan, root, options.access)
    if endpoint is None:
        return None, tuple

    def live() -> Exchanges:
        with closing(endpoint):
            yield from _ask_all(endpoint, spec, plan)

    return live(), endpoint.notices


def _port_in_use(plan: Plan) -> Unavailable:
    """Make the error for a port that is in use before the service is started."""
    waits = plan.spec.endpoint.wait_for is not None
    return Unavailable(
        "something answers there already, before endpoint.start was run",
        where=plan.place("endpoint", *("wait_for", "url") if waits else ("url",)),
        hint="stop it, or leave endpoint.start out to evaluate what runs",
    )


def _replay(recorded: RecordedEndpoint, plan: Plan, path: Path) -> Exchanges:
    with closing(recorded):
        if not recorded.holds_any(plan.cases):
            what = "no record in it is of a case that is asked"
            raise Unavailable(what, where=Place(str(path)))
        for position, case in enumerate(plan.cases):
            for trial in range(1, plan.spec.trials.times + 1):
                result = recorded.ask(case, trial)
                yield Exchange(position, result, trial=trial)


def _left_over(recorded: RecordedEndpoint, plan: Plan, name: str) -> Iterator[str]:
    """Say how many records nobody asked for, where all cases were asked."""
    number = recorded.count_unasked(plan.cases, plan.spec.trials.times)
    if number and not plan.filters.words:
        are = "is" if number == 1 else "are"
        what = "of no case and trial of this run, and not judged"
        yield f"{count(number, 'record')} of {name} {are} {what}"


@contextmanager
def _service(
    plan: Plan, options: RunOptions, root: Path
) -> Iterator[Callable[..., object]]:
    """Run the service that the spec starts; gives a check that raises once it ended."""
    start = plan.spec.endpoint.start
    if start is None:
        yield lambda **_: None
        return
    where = plan.place("endpoint", "start", "cwd")
    folder = files.named(start.cwd, spec=plan.spec.file, root=root, where=where)
    if not folder.is_dir():
        raise InputError(f"{start.cwd} is no folder", where=where)
    with Service(
        start,
        folder=folder,
        log=options.out / "service.log",
        secrets=plan.redactor,
        place=plan.place,
    ) as service:
        yield service.check


def now() -> datetime:
    """Give the time, in UTC."""
    return datetime.now(UTC)


def steady(
    wall: Callable[[], datetime] = now, clock: Callable[[], float] = time.monotonic
) -> Callable[[], datetime]:
    """Give a clock that shows the time, and that nobody sets while a run lasts.

    >>> wall = iter([datetime(2026, 1, 1, tzinfo=UTC)])
    >>> seconds = iter([100.0, 160.0])
    >>> str(steady(lambda: next(wall), lambda: next(seconds))())
    '2026-01-01 00:01:00+00:00'
    """
    began, start = wall(), clock()
    return lambda: began + timedelta(seconds=clock() - start)

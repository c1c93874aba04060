"""One run from files to files: opens what answers, and keeps results as they come."""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runner import files, pipeline
from runner.base import Bring, Sources, held_against, nowhere
from runner.errors import (
    Cancelled,
    InputError,
    Place,
    RagEvalError,
    Unavailable,
    masking,
)
from runner.gates import Loosened, Review
from runner.history import counts, point
from runner.hosts import Access
from runner.model import Exchange, Record
from runner.pipeline import ALL, Filters, Keeper, Plan
from runner.publish.artifacts import ResultsFolder, retire
from runner.publish.history import append
from runner.redact import Redactor
from runner.render import NOWHERE, Links
from runner.report import Report
from runner.responses import Exchanges, Limits, collect
from runner.results import renderings
from runner.spec import doubts
from runner.trials import numbered, trying

if TYPE_CHECKING:
    from runner.endpoints.recorded import RecordedEndpoint


class Order(NamedTuple):
    """What the user asked for."""

    spec: Path
    out: Path
    replay: Path | None = None
    baseline: Path | None = None
    filters: Filters = ALL
    commit: str | None = None
    """What is evaluated, for the record."""
    before: Path | None = None
    """The workspace at the base commit, to hold this one against."""
    history: Path | None = None
    """A file with a line for each earlier run: a trend, and limits that are safe."""
    remember: bool = False
    """Whether this run becomes a line of the history, if it judged every case."""
    trials: int | None = None
    """How often each case is asked, in the place of what the spec says."""
    loosened: Loosened = "warn"
    """What a limit that is looser than at the base commit does to the verdict."""
    links: Links = NOWHERE
    """Where the rendered files lead; filled in where a workflow runs this."""
    access: Access = Access()
    """What may be reached over the network."""


class Source(NamedTuple):
    """Where replies come from."""

    exchanges: Exchanges
    misread: Callable[[], InputError | None]
    """What the mapping has not found in them so far, as help."""
    notices: Callable[[], Iterable[str]] = tuple
    """What the reader should know about where they came from."""


Progress = Callable[[int, str], AbstractContextManager[Callable[[Record], None]]]
"""Given the number of cases and what is done to them, shows each as it is judged."""


class World(NamedTuple):
    """What is outside of the program, as far as a run touches it."""

    root: Path
    """The workspace: nothing outside of it is read."""
    writable: Path
    """Results go to a folder below it."""
    templates: Path
    environ: Mapping[str, str]
    progress: Progress
    interruptible: Callable[[Iterable[Exchange]], Iterator[Exchange]] = iter
    """Raises ``Cancelled`` between two exchanges when the user said stop."""
    bring: Bring = nowhere
    """Fetches a baseline that is kept outside of the workspace."""
    may_start: bool = True
    """Whether ``endpoint.start`` may run its command here."""


def run(order: Order, world: World) -> tuple[Report, Unavailable | Cancelled | None]:
    """Carry out an order; give the Report, and what stopped it early.

    Raises:
        InputError: The spec, a case file, the baseline or an option is wrong.
    """
    try:
        plan = _planned(order, world)
        redactor = Redactor(plan.spec.secrets)
        with masking(redactor.text):
            found, stopped = _run(plan, order, world, redactor)
    except RagEvalError as error:
        _retire(order, world, error)
        raise
    if stopped:
        stopped.mask(redactor.text)
    return found, stopped


def _planned(order: Order, world: World) -> Plan:
    with _uncollected():
        plan = pipeline.plan(order.spec, world.root, world.environ, order.filters)
    if order.trials is None:
        return plan
    trials = plan.spec.trials._replace(times=order.trials)
    return plan._replace(spec=plan.spec._replace(trials=trials))


def _retire(order: Order, world: World, error: RagEvalError) -> None:
    """See that no earlier verdict is taken for that of a run which gave none."""
    compared = order.baseline and order.baseline.resolve() == order.out.resolve()
    if not compared and retire(order.out, writable(order.out, world)):
        where = order.out.as_posix()
        error.add_note(f"the earlier results in {where}/ are not of this run: removed")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector away from what is made within, now and later.

    The cases stay to the end, and looking for cycles among them again and again takes a
    fifth of the time in which they are read.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _run(
    plan: Plan, order: Order, world: World, redactor: Redactor
) -> tuple[Report, Unavailable | Cancelled | None]:
    if not order.replay and not world.may_start:
        _check_start(plan)
    plan = plan._replace(review=Review(loosened=order.loosened))
    sources = Sources(
        world.root, order.baseline, order.before, order.history, world.bring
    )
    plan = held_against(plan, sources, world.environ)
    doubted = doubts(
        plan.spec,
        plan.place,
        compared=order.baseline is not None,
        asked=order.replay is None,
    )
    plan = plan._replace(commit=order.commit, notices=(*plan.notices, *doubted))
    # What is started ends last: when somebody cannot wait for it, all is written.
    services = ExitStack()
    source = _asking(plan, order, world.root, services)
    with (
        ResultsFolder(
            order.out,
            root=writable(order.out, world),
            redactor=redactor,
            replayed=order.replay,
        ) as folder,
        services,
    ):
        done = "replayed" if order.replay else "asked"
        with (
            world.progress(len(plan.cases), done) as progress,
            closing(source.exchanges),
        ):
            # What is replayed is on disk already, and is not written again.
            keep = (lambda *_: None) if order.replay else folder.response
            keeper = Keeper(
                keep, folder.case, progress, _now, source.misread, source.notices
            )
            found, stopped = pipeline.evaluate(
                plan, world.interruptible(source.exchanges), keeper
            )
        found = folder.finish(
            found, renderings(world.templates, folder.path, order.links)
        )
    _remember(found, order, world)
    return found, stopped


def _remember(found: Report, order: Order, world: World) -> None:
    path = order.history
    if path and order.remember and counts(found):
        append(path, point(found), root=writable(path, world))


def writable(out: Path, world: World) -> Path:
    """Give where results may go: no link in the workspace may lead out of it."""
    root = os.path.abspath(world.root)  # noqa: PTH100 - links are not followed here
    written = Path(os.path.abspath(out))  # noqa: PTH100
    return world.root if written.is_relative_to(root) else world.writable


def _check_start(plan: Plan) -> None:
    start = plan.spec.endpoint.start
    if start:
        raise InputError(
            "nothing is started inside of the action's container",
            where=plan.place("endpoint", "start"),
            hint=f"start it in a step before, `run: {start.command} &`, on 0.0.0.0",
        )


def _asking(plan: Plan, order: Order, root: Path, services: ExitStack) -> Source:
    """Give the replies as they come; nothing is sent before they are asked for.

    What has to be started then, ``services`` will end.
    """
    spec = plan.spec.endpoint
    ask = partial(collect, clock=time.monotonic, uniform=random.uniform, now=_now)
    if order.replay:
        from runner.endpoints.recorded import RecordedEndpoint

        recorded = RecordedEndpoint(order.replay, spec.response, place=plan.place)
        replayed = _replayed(recorded, plan, order.replay)
        return Source(replayed, recorded.missing)
    from runner.endpoints.http import HttpEndpoint

    endpoint = HttpEndpoint(
        spec,
        plan.spec.variables,
        secrets=plan.spec.secrets,
        place=plan.place,
        access=order.access,
    )
    endpoint.admit(plan.cases)

    def live() -> Exchanges:
        limits = Limits(
            spec.concurrency, spec.rate_limit, spec.retries, spec.stop_after
        )
        with closing(endpoint):
            if spec.start and endpoint.is_ready():
                raise _taken(plan)
            check = services.enter_context(_service(plan, order, root))
            endpoint.wait(check=check)
            trials = plan.spec.trials.times
            asked = ask(endpoint, trying(plan.cases, trials), limits)
            yield from numbered(asked, trials)
            check(ready=True)

    return Source(live(), endpoint.replies.missing, endpoint.notices)


def _taken(plan: Plan) -> Unavailable:
    """Explain why nothing was started: another service would have been judged."""
    waits = plan.spec.endpoint.wait_for is not None
    return Unavailable(
        "something answers there already, before endpoint.start was run",
        where=plan.place("endpoint", *("wait_for", "url") if waits else ("url",)),
        hint="stop it, or leave endpoint.start out to evaluate what runs",
    )


def _replayed(recorded: RecordedEndpoint, plan: Plan, path: Path) -> Exchanges:
    with closing(recorded):
        if not recorded.holds_any(plan.cases):
            what = "no record in it is of a case that is asked"
            raise Unavailable(what, where=Place(str(path)))
        for position, case in enumerate(plan.cases):
            for trial in range(1, plan.spec.trials.times + 1):
                result = recorded.ask(case, trial)
                yield Exchange(position, result, trial=trial)


@contextmanager
def _service(plan: Plan, order: Order, root: Path) -> Iterator[Callable[..., object]]:
    """Run what the spec starts, if anything; give what raises when it has ended."""
    start = plan.spec.endpoint.start
    if start is None:
        yield lambda **_: None
        return
    from runner.endpoints._process import Service

    where = plan.place("endpoint", "start", "cwd")
    folder = files.named(start.cwd, spec=plan.spec.file, root=root, where=where)
    if not folder.is_dir():
        raise InputError(f"{start.cwd} is no folder", where=where)
    with Service(
        start,
        folder=folder,
        log=order.out / "service.log",
        secrets=plan.spec.secrets,
        place=plan.place,
    ) as service:
        yield service.check


def _now() -> datetime:
    return datetime.now(UTC)

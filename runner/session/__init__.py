"""One run from files to files: opens what answers, and keeps results as they come."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path

from runner import pipeline
from runner.base import Sources, held_against, trying
from runner.errors import Cancelled, RagEvalError, Unavailable, masking
from runner.gates import Review
from runner.history import counts, point
from runner.judged import moved, rating, with_judge
from runner.pipeline import Keeper, Plan, Rating
from runner.publish.artifacts import ResultsFolder, retire
from runner.publish.history import append
from runner.report import Report
from runner.results import renderings
from runner.session._order import Order, World, writable
from runner.session._source import Source, asking, check_start, now
from runner.spec import owners, warnings
from runner.yardstick import in_order

__all__ = ["Order", "World", "run", "writable"]


def run(order: Order, world: World) -> tuple[Report, Unavailable | Cancelled | None]:
    """Carry out an order; give the Report, and what stopped it early.

    Raises:
        InputError: The spec, a case file, the baseline or an option is wrong.
    """
    # What is started ends last: when somebody cannot wait for it, all is written.
    services = ExitStack()
    with _beginning(order, world):
        plan = _planned(order, world)
        redactor = plan.redactor
        with masking(redactor.text):
            plan = _ready(plan, order, world)
            source = asking(plan, order, world.root, services)
            judge = rating(plan, world.root, world.templates, order.access, services)
    with masking(redactor.text):
        found, stopped = _run(plan, source, judge, (order, world, services))
    if stopped:
        stopped.mask(redactor.text)
    _remember(found, order, world)  # where it cannot be, the results stand
    return found, stopped


def _planned(order: Order, world: World) -> Plan:
    with _uncollected():
        today = now().date()
        plan = pipeline.plan(
            order.spec, world.root, world.environ, order.filters, today=today
        )
    return plan._replace(spec=trying(plan.spec, order.trials))


@contextmanager
def _beginning(order: Order, world: World) -> Iterator[None]:
    """See that no earlier verdict is taken for that of a run which cannot begin."""
    try:
        yield
    except RagEvalError as error:
        baseline, out = order.baseline, order.out
        compared = baseline is not None and baseline.resolve() == out.resolve()
        if not compared and retire(out, writable(out, world)):
            what = f"the earlier results in {out.as_posix()}/ are not of this run"
            error.add_note(f"{what}: removed, but for the replies")
        raise


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


def _ready(plan: Plan, order: Order, world: World) -> Plan:
    """Give the plan with all that is to be known beside the spec and its cases."""
    if not order.replay and not world.may_start:
        check_start(plan)
    plan = plan._replace(review=Review(loosened=order.loosened, notices=_said(order)))
    sources = Sources(
        world.root,
        order.baseline,
        order.before,
        order.history,
        world.bring,
        order.base,
        order.unknown,
        order.moved,
        order.trials,
    )
    plan = _with_owners(held_against(plan, sources, world.environ), order)
    if plan.rival and order.replay:
        unread = plan.review._replace(baseline_unread="a replay asks nobody")
        plan = plan._replace(review=unread)
    warned = warnings(
        plan.spec,
        plan.place,
        compared=order.baseline is not None,
        asked=order.replay is None,
        talks=any(case.turns for case in plan.cases),
    )
    plan = plan._replace(commit=order.commit, notices=(*plan.notices, *warned))
    plan = with_judge(plan, world.root, world.templates)
    return _with_moved(plan, order.before, world) if order.before else plan


def _with_moved(plan: Plan, before: Path, world: World) -> Plan:
    """Give the plan with what its judge could decide before and cannot now."""
    more = moved(plan, world.root, before, world.environ, world.templates)
    changes = in_order((*plan.review.changes, *more))
    return plan._replace(review=plan.review._replace(changes=changes))


def _said(order: Order) -> tuple[str, ...]:
    if order.replay is None:
        return ()
    return (f"REPLAYED: nobody was asked; the replies are in {order.replay.name}",)


def _run(
    plan: Plan,
    source: Source,
    judge: Rating | None,
    around: tuple[Order, World, ExitStack],
) -> tuple[Report, Unavailable | Cancelled | None]:
    order, world, services = around
    with (
        ResultsFolder(
            order.out,
            root=writable(order.out, world),
            redactor=plan.redactor,
            replayed=order.replay,
        ) as folder,
        services,
    ):
        done = "replayed" if order.replay else "asked"
        with (
            world.progress(len(plan.cases), done) as progress,
            closing(source.exchanges),
            nullcontext() if source.others is None else closing(source.others),
        ):
            # What is replayed is on disk already, and is not written again.
            keep = (lambda *_: None) if order.replay else folder.response
            keeper = Keeper(
                keep,
                folder.case,
                progress,
                now,
                source.misread,
                source.notices,
                world.interruptible,
            )
            others = source.others
            found, stopped = pipeline.evaluate(
                plan,
                world.interruptible(source.exchanges),
                keeper,
                None if others is None else world.interruptible(others),
                judge,
            )
        found = folder.finish(
            found, renderings(world.templates, folder.path, order.links)
        )
    return found, stopped


def _with_owners(plan: Plan, order: Order) -> Plan:
    """Give the plan with whom a comment may call, where no base commit says it."""
    if plan.review.owners is not None or not order.is_own:
        return plan
    return plan._replace(review=plan.review._replace(owners=owners(plan.spec)))


def _remember(found: Report, order: Order, world: World) -> None:
    path = order.history
    if path and order.remember and counts(found):
        append(path, point(found), root=writable(path, world))

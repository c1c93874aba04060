"""One run of a spec: reads its files, asks and judges, writes the results folder."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path

from runner import pipeline
from runner.base import Sources, with_baseline, with_trials
from runner.errors import Cancelled, RagEvalError, Unavailable, masking
from runner.gates import Review
from runner.history import counts, point
from runner.judge_setup import judge_changes, judge_of, with_judge
from runner.pipeline import Callbacks, Plan, Rating
from runner.publish.artifacts import ResultsFolder, retire
from runner.publish.history import append
from runner.report import Report
from runner.results import renderings
from runner.session._options import RunOptions, World, writable
from runner.session._source import Source, check_start, now, source_of, steady
from runner.spec import owners, warnings
from runner.yardstick import in_order

__all__ = ["RunOptions", "World", "run", "writable"]


def run(
    options: RunOptions, world: World
) -> tuple[Report, Unavailable | Cancelled | None]:
    """Run a spec; give the Report, and what stopped the run early if anything did.

    Raises:
        InputError: The spec, a case file, the baseline or an option is wrong.
    """
    # What is started ends last: when somebody cannot wait for it, all is written.
    services = ExitStack()
    with _beginning(options, world):
        plan = _plan(options, world)
        redactor = plan.redactor
        with masking(redactor.text):
            plan = _ready(plan, options, world)
            source = source_of(plan, options, world.root, services)
            judge = judge_of(
                plan, world.root, world.templates, options.access, services
            )
    with masking(redactor.text):
        found, stopped = _run(plan, source, judge, options, world, services)
    if stopped:
        stopped.mask(redactor.text)
    _remember(found, options, world)  # where it cannot be, the results stand
    return found, stopped


def _plan(options: RunOptions, world: World) -> Plan:
    with _without_gc():
        today = now().date()
        plan = pipeline.plan(
            options.spec, world.root, world.environ, options.filters, today=today
        )
    return plan._replace(spec=with_trials(plan.spec, options.trials))


@contextmanager
def _beginning(options: RunOptions, world: World) -> Iterator[None]:
    """Remove results of an earlier run where this one cannot start."""
    try:
        yield
    except RagEvalError as error:
        baseline, out = options.baseline, options.out
        compared = baseline is not None and baseline.resolve() == out.resolve()
        if not compared and retire(out, writable(out, world)):
            what = f"the earlier results in {out.as_posix()}/ are not of this run"
            error.add_note(f"{what}: removed, but for the replies")
        raise


@contextmanager
def _without_gc() -> Iterator[None]:
    """Keep the garbage collector from the objects that are made within.

    The cases stay to the end, and looking for cycles among them again and again takes a
    fifth of the time in which they are read.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _ready(plan: Plan, options: RunOptions, world: World) -> Plan:
    """Complete a plan: baseline, warnings about the spec, weights of the judge."""
    if not options.replay and not world.may_start:
        check_start(plan)
    review = Review(loosened=options.loosened, notices=_replay_notice(options))
    plan = plan._replace(review=review)
    sources = Sources(
        world.root,
        options.baseline,
        options.base,
        options.history,
        world.fetch_baseline,
        options.trials,
    )
    plan = _with_owners(with_baseline(plan, sources, world.environ), options)
    if plan.rival and options.replay:
        unread = plan.review._replace(baseline_unread="a replay asks nobody")
        plan = plan._replace(review=unread)
    warned = warnings(
        plan.spec,
        plan.place,
        compared=options.baseline is not None,
        asked=options.replay is None,
        talks=any(case.turns for case in plan.cases),
    )
    plan = plan._replace(commit=options.commit, notices=(*plan.notices, *warned))
    plan = with_judge(plan, world.root, world.templates)
    before = options.base.folder
    return _with_judge_changes(plan, before, world) if before else plan


def _with_judge_changes(plan: Plan, before: Path, world: World) -> Plan:
    """Add to a plan what the judge could decide at the base commit and cannot now."""
    more = judge_changes(plan, world.root, before, world.environ, world.templates)
    changes = in_order((*plan.review.changes, *more))
    return plan._replace(review=plan.review._replace(changes=changes))


def _replay_notice(options: RunOptions) -> tuple[str, ...]:
    if options.replay is None:
        return ()
    return (f"REPLAYED: nobody was asked; the replies are in {options.replay.name}",)


def _run(
    plan: Plan,
    source: Source,
    judge: Rating | None,
    options: RunOptions,
    world: World,
    services: ExitStack,
) -> tuple[Report, Unavailable | Cancelled | None]:
    root = writable(options.out, world)
    results = ResultsFolder(
        options.out, root=root, redactor=plan.redactor, replayed=options.replay
    )
    with results, services:
        found, stopped = _evaluate(plan, source, judge, options, world, results)
        made = renderings(world.templates, results.path, options.links)
        return results.finish(found, made), stopped


def _evaluate(
    plan: Plan,
    source: Source,
    judge: Rating | None,
    options: RunOptions,
    world: World,
    results: ResultsFolder,
) -> tuple[Report, Unavailable | Cancelled | None]:
    exchanges, others = source.exchanges, source.others
    done = "replayed" if options.replay else "asked"
    with (
        world.progress(len(plan.cases), done) as progress,
        closing(exchanges),
        nullcontext() if others is None else closing(others),
    ):
        callbacks = Callbacks(
            # What is replayed is on disk already, and is not written again.
            (lambda *_: None) if options.replay else results.response,
            results.case,
            progress,
            steady(),
            source.misread,
            source.notices,
            world.interruptible,
        )
        return pipeline.evaluate(
            plan,
            world.interruptible(exchanges),
            callbacks,
            None if others is None else world.interruptible(others),
            judge,
        )


def _with_owners(plan: Plan, options: RunOptions) -> Plan:
    """Add to a plan whom a comment may mention, where no base commit says it."""
    if plan.review.owners is not None or not options.is_own:
        return plan
    return plan._replace(review=plan.review._replace(owners=owners(plan.spec)))


def _remember(found: Report, options: RunOptions, world: World) -> None:
    path = options.history
    if path and options.remember and counts(found):
        append(path, point(found), root=writable(path, world))

"""A step of a workflow: every spec is run, and all of it is told before the exit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from runner import (
    __version__,
    container,
    files,
    gates,
    progress,
    render,
    session,
    settings,
)
from runner.action import _comment, _ended, _skipped
from runner.action._base import beside_base
from runner.action._checkout import commit_of
from runner.action._comment import Commenter, links_of
from runner.action._ended import Ended, outputs, worst_of
from runner.action._kept import keep
from runner.action._publish import publish
from runner.action._specs import find, folders
from runner.base import Remote
from runner.errors import Cancelled, InputError, RagEvalError
from runner.hosts import Access
from runner.publish import owner, workflow
from runner.publish.contents import connect
from runner.publish.workflow import Annotation, Workflow
from runner.redact import Redactor
from runner.render import NOWHERE, Links
from runner.session import Order, World
from runner.settings import Settings

__all__ = ["NOTHING", "run"]

NOTHING: Mapping[str, str] = {**_ended.NOTHING, **_comment.NOTHING}
"""Every output, as it stays where the step is killed before it can say more."""

_EVENT = 64 * 2**20  # bytes of the payload, which GitHub keeps below 25 MB

Parse = Callable[[Sequence[str]], Order]
"""Makes an order of the words after ``rag-eval run``."""


def run(
    environ: Mapping[str, str], world: World, parse: Parse, echo: Callable[[str], Any]
) -> int:
    """Carry out the step that the environment describes; give its exit status.

    It evaluates, or publishes what another run found. A mistake in one spec leaves the
    others to be run; a cancelled run ends them all.
    """
    redactor = Redactor(settings.secrets(environ))
    step = Workflow(environ, echo, redactor)
    step.outputs(NOTHING)
    try:
        found = settings.read(environ, _event(environ))
        step.log(f"rag-eval {__version__}: {found.change}")
        if found.publish:
            return publish(found, world, step, redactor)
        specs = find(found.specs, world.root)
        _check_trust(specs, found, world.root)
        orders = _orders(specs, found, world.root, parse)
    except RagEvalError as error:
        ended = [Ended("", error.exit_code, error=error)]
        return _conclude(ended, step, "", world.root)
    if "--quiet" in found.args:
        world = world._replace(progress=progress.silent)
    ended = _evaluated(specs, orders, world, found, step)
    status = _conclude(ended, step, found.out, world.root, links_of(found))
    keep(ended, found, world.root, step)
    try:
        says = Commenter(found, world.templates, redactor, step, calls=True)
        says.tell(ended, specs)
    except RagEvalError as error:
        step.log(f"rag-eval: {error}")  # the verdict is told, and stands
    return status


def _event(environ: Mapping[str, str]) -> Mapping[str, Any]:
    name = "GITHUB_EVENT_PATH"
    path = environ.get(name)
    if not path or not os.path.isfile(path):  # noqa: PTH113 - too long a name is none
        return {}
    try:
        event = from_json(files.read_bytes(Path(path), file=name, limit=_EVENT))
    except ValueError as error:
        raise InputError(f"{name}: this is no JSON: {error}") from None
    return event if isinstance(event, dict) else {}


def _check_trust(specs: Sequence[str], found: Settings, root: Path) -> None:
    for spec in specs:
        at = commit_of(root / spec, root)
        why = settings.stranger(found.change, at, found.own)
        if why and not found.trusting:
            raise InputError(
                f"input spec: {spec}: {why}",
                hint="evaluate on pull_request, or write allow-untrusted-spec: true "
                f"where that is meant: {found.run.docs}/forks.md",
            )


def _is_own(spec: str, found: Settings, root: Path) -> bool:
    """Whether a spec is surely the repository's own."""
    at = commit_of(root / spec, root)
    return not (found.change.fork or settings.stranger(found.change, at, found.own))


def _orders(
    specs: Sequence[str], found: Settings, root: Path, parse: Parse
) -> list[Order]:
    base = root / found.baseline if found.baseline else None
    access = Access(found.allowed, container.nearby(found.gateway))
    return [
        parse([*found.args, "--", str(root / spec)])._replace(
            out=root / out,
            baseline=base,
            commit=found.change.commit,
            links=links_of(found),
            access=access,
            loosened=found.loosened,
            is_own=_is_own(spec, found, root),
        )
        for spec, out in zip(specs, folders(specs, found.out), strict=True)
    ]


def _evaluated(
    specs: Sequence[str],
    orders: Sequence[Order],
    world: World,
    found: Settings,
    step: Workflow,
) -> list[Ended]:
    """Run the specs, each held against what is fetched for it."""
    github = partial(connect, found.run, found.token)
    with (
        closing(Remote(github, found.trunk, found.comment_key)) as remote,
        beside_base(orders, found, world.root) as held,
    ):
        world = world._replace(bring=remote.bring)
        return list(_each(specs, held, world, found, step))


def _each(
    specs: Sequence[str],
    orders: Sequence[Order],
    world: World,
    found: Settings,
    step: Workflow,
) -> Iterator[Ended]:
    for spec, order in zip(specs, orders, strict=True):
        ended = _one(spec, order, world, found)
        _tell(ended, step, world.root)
        yield ended
        if isinstance(ended.error, Cancelled):
            return


def _one(spec: str, order: Order, world: World, found: Settings) -> Ended:
    try:
        report, stopped = session.run(order, world)
    except RagEvalError as error:
        return _unrun(spec, order, world, found, error)
    finally:
        owner.give(order.out, world.root)
    status = gates.exit_code(report.verdict, report.gates, found.fail_on)
    if stopped:
        status = stopped.exit_code
    return Ended(spec, status, report, stopped, order.out)


def _unrun(
    spec: str, order: Order, world: World, found: Settings, error: RagEvalError
) -> Ended:
    """Give the end of a spec that was not run, for a mistake or for want of secrets."""
    skipped = _skipped.skip(error, found)
    if skipped is None:
        return Ended(spec, error.exit_code, error=error)
    try:
        report = _skipped.keep(skipped, spec, order, world)
    except RagEvalError as failed:
        return Ended(spec, failed.exit_code, error=failed)
    return Ended(spec, 0, report, folder=order.out, notice=_skipped.notice(skipped))


def _tell(ended: Ended, step: Workflow, root: Path) -> None:
    """Tell of one spec in the log and in the summary."""
    if ended.report is None or ended.folder is None:
        return
    shown = ended.folder.relative_to(root).as_posix()
    step.log(render.console(ended.report, folder=shown))
    texts = (ended.folder / name for name in ("summary.md", "comment.md"))
    step.summary(
        *(path.read_text("utf-8") for path in texts),
        f"## {ended.verdict}: {render.inline(ended.spec)}, see {render.inline(shown)}",
    )


def _conclude(
    ended: Sequence[Ended],
    step: Workflow,
    out: str,
    root: Path,
    links: Links = NOWHERE,
) -> int:
    step.outputs(outputs(ended, out, root))
    for each in ended:
        if each.error and not each.report:
            step.summary(render.mistake(each.spec, str(each.error), links))
    step.annotate(_annotations(ended))
    for each in ended:
        if each.error:
            step.log(f"rag-eval: {each.error}")
    return worst_of(ended).status


def _annotations(ended: Sequence[Ended]) -> Iterator[Annotation]:
    """Give what stands in the specs before what stands in the cases."""
    for each in ended:
        if each.notice:
            yield each.notice
        if each.error:
            yield from workflow.of_error(each.error, each.spec)
        if each.report:
            yield from workflow.of_report(each.report)
    for each in ended:
        if each.report:
            yield from workflow.of_cases(each.report)

"""The action: runs every spec of a step, or publishes what another run found."""

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
from runner.action import _comment, _result, _skipped
from runner.action._base_commit import with_base_commit
from runner.action._checkout import commit_of
from runner.action._comment import Commenter, links_of
from runner.action._publish import publish
from runner.action._result import SpecResult, outputs, worst_of
from runner.action._specs import find, folders
from runner.action._store import store
from runner.base import Remote
from runner.errors import Cancelled, InputError, RagEvalError
from runner.github import workflow
from runner.github.contents import connect
from runner.github.workflow import Annotation, Workflow
from runner.hosts import Access
from runner.publish import ownership
from runner.redact import Redactor
from runner.render import NOWHERE, Links
from runner.session import RunOptions, World
from runner.settings import Settings

__all__ = ["NOTHING", "run"]

NOTHING: Mapping[str, str] = {**_result.NOTHING, **_comment.NOTHING}
"""Every output with its value for a step that is killed early."""

_EVENT = 64 * 2**20  # bytes of the payload, which GitHub keeps below 25 MB

Parse = Callable[[Sequence[str]], RunOptions]
"""Parses the arguments of ``rag-eval run``."""


def run(
    environ: Mapping[str, str], world: World, parse: Parse, echo: Callable[[str], Any]
) -> int:
    """Run the step that the environment describes; give its exit code.

    It evaluates, or publishes what another run found. A mistake in one spec leaves the
    others to be run; a cancelled run ends them all.
    """
    redactor = Redactor(settings.secrets(environ))
    step = Workflow(environ, echo, redactor)
    step.outputs(NOTHING)
    try:
        config = settings.read(environ, _event(environ))
        step.log(f"rag-eval {__version__}: {config.change}")
        if config.publish:
            return publish(config, world, step, redactor)
        specs = find(config.specs, world.root)
        _check_trust(specs, config, world.root)
        runs = _runs(specs, config, world.root, parse)
    except RagEvalError as error:
        ended = [SpecResult("", error.exit_code, error=error)]
        return _conclude(ended, step, "", world.root)
    if "--quiet" in config.args:
        world = world._replace(progress=progress.silent)
    ended = list(_Evaluation(config, world, step).of(specs, runs))
    status = _conclude(ended, step, config.out, world.root, links_of(config))
    store(ended, config, world.root, step)
    try:
        says = Commenter(config, world.templates, redactor, step, calls=True)
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


def _check_trust(specs: Sequence[str], config: Settings, root: Path) -> None:
    for spec in specs:
        at = commit_of(root / spec, root)
        why = settings.stranger(config.change, at, config.own)
        if why and not config.trusting:
            raise InputError(
                f"input spec: {spec}: {why}",
                hint="evaluate on pull_request, or write allow-untrusted-spec: true "
                f"where that is meant: {config.run.docs}/forks.md",
            )


def _is_own(spec: str, config: Settings, root: Path) -> bool:
    """Whether a spec is known to be the repository's own."""
    at = commit_of(root / spec, root)
    return not (config.change.fork or settings.stranger(config.change, at, config.own))


def _runs(
    specs: Sequence[str], config: Settings, root: Path, parse: Parse
) -> list[RunOptions]:
    base = root / config.baseline if config.baseline else None
    access = Access(config.allowed, container.nearby(config.gateway))
    return [
        parse([str(root / spec), *config.args])._replace(
            out=root / out,
            baseline=base,
            commit=config.change.commit,
            links=links_of(config),
            access=access,
            loosened=config.loosened,
            is_own=_is_own(spec, config, root),
        )
        for spec, out in zip(specs, folders(specs, config.out), strict=True)
    ]


class _Evaluation:
    """Runs the specs of a step one after the other, and tells of each as it ends."""

    def __init__(self, config: Settings, world: World, step: Workflow) -> None:
        self._config = config
        self._world = world
        self._step = step

    def of(
        self, specs: Sequence[str], runs: Sequence[RunOptions]
    ) -> Iterator[SpecResult]:
        """Give the result of each spec; after a cancelled one no other is run."""
        config, root = self._config, self._world.root
        github = partial(connect, config.run, config.token)
        with (
            closing(Remote(github, config.branches, config.comment_key)) as remote,
            with_base_commit(runs, config, root) as compared,
        ):
            world = self._world._replace(fetch_baseline=remote.fetch_baseline)
            for spec, options in zip(specs, compared, strict=True):
                ended = self._evaluate(spec, options, world)
                self._tell(ended)
                yield ended
                if isinstance(ended.error, Cancelled):
                    return

    def _evaluate(self, spec: str, options: RunOptions, world: World) -> SpecResult:
        try:
            report, stopped = session.run(options, world)
        except RagEvalError as error:
            return self._unrun(spec, options, error)
        finally:
            ownership.give(options.out, world.root)
        status = gates.exit_code(report.verdict, report.gates, self._config.fail_on)
        if stopped:
            status = stopped.exit_code
        return SpecResult(spec, status, report, stopped, options.out)

    def _unrun(self, spec: str, options: RunOptions, error: RagEvalError) -> SpecResult:
        """Give the result of a spec with a mistake, or without its secrets."""
        skipped = _skipped.skip(error, self._config)
        if skipped is None:
            return SpecResult(spec, error.exit_code, error=error)
        try:
            report = _skipped.keep(skipped, spec, options, self._world)
        except RagEvalError as failed:
            return SpecResult(spec, failed.exit_code, error=failed)
        notice = _skipped.notice(skipped)
        return SpecResult(spec, 0, report, folder=options.out, notice=notice)

    def _tell(self, ended: SpecResult) -> None:
        """Show a result in the log and in the summary."""
        if ended.report is None or ended.folder is None:
            return
        shown = ended.folder.relative_to(self._world.root).as_posix()
        self._step.log(render.console(ended.report, folder=shown))
        texts = (ended.folder / name for name in ("summary.md", "comment.md"))
        spec, folder = render.inline(ended.spec), render.inline(shown)
        self._step.summary(
            *(path.read_text("utf-8") for path in texts),
            f"## {ended.verdict}: {spec}, see {folder}",
        )


def _conclude(
    ended: Sequence[SpecResult],
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


def _annotations(ended: Sequence[SpecResult]) -> Iterator[Annotation]:
    """Give the annotations on specs before those on cases."""
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

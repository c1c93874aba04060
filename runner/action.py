"""A step of a workflow: every spec is run, and all of it is told before the exit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import has_magic
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from pydantic_core import from_json

from runner import __version__, files, gates, progress, render, session, settings
from runner.errors import Cancelled, InputError, RagEvalError
from runner.gates import FailOn
from runner.publish import owner, workflow
from runner.publish.workflow import Annotation, Workflow
from runner.redact import Redactor
from runner.report import Report, broken_layer
from runner.session import Order, World
from runner.settings import Settings

NOTHING: Mapping[str, str] = {
    "verdict": "error",
    "exit-code": "3",
    "results": "",
    "first-failing-layer": "",
    "cases-total": "0",
    "cases-passed": "0",
    "cases-failed": "0",
    "cases-undetermined": "0",
    "cases-errors": "0",
    "gates-failed": "0",
    "regressions": "0",
    "improvements": "0",
}
"""Every output, as it stays where the step is killed before it can say more."""

_EVENT = 64 * 2**20  # bytes of the payload, which GitHub keeps below 25 MB
_RED_LINE = 2
_WORST = {
    130: 0,
    2: 1,
    3: 3,
    1: 4,
    0: 5,
}  # the rank of a status; a red line is before 3
_VERDICTS = ("error", "failed", "skipped", "passed")

Parse = Callable[[Sequence[str]], Order]
"""Makes an order of the words after ``rag-eval run``."""


class Ended(NamedTuple):
    """How one spec ended."""

    spec: str
    status: int
    report: Report | None = None
    error: RagEvalError | None = None
    folder: Path | None = None

    @property
    def verdict(self) -> str:
        """The word for it."""
        return self.report.verdict if self.report else "error"

    @property
    def rank(self) -> tuple[int, int]:
        """Its place among several; the least is the worst."""
        red = self.status == 1 and self.report and _breaks_red_line(self.report)
        first = _RED_LINE if red else _WORST[self.status]
        return first, _VERDICTS.index(self.verdict)


def run(
    environ: Mapping[str, str], world: World, parse: Parse, echo: Callable[[str], Any]
) -> int:
    """Carry out the step that the environment describes; give its exit status.

    A mistake in one spec leaves the others to be run; a cancelled run ends them all.
    """
    step = Workflow(environ, echo, Redactor(settings.secrets(environ)))
    step.outputs(NOTHING)
    try:
        found = settings.read(environ, _event(environ))
        step.log(f"rag-eval {__version__}: {found.change}")
        specs = find(found.specs, world.root)
        orders = _orders(specs, found, world.root, parse)
    except RagEvalError as error:
        return _conclude([Ended("", error.exit_code, error=error)], step, "")
    if "--quiet" in found.args:
        world = world._replace(progress=progress.silent)
    ended = list(_each(specs, orders, world, found.fail_on, step))
    return _conclude(ended, step, found.out)


def find(patterns: Iterable[str], root: Path) -> tuple[str, ...]:
    """Give the specs that paths and globs name, each once, relative to the workspace.

    A path without wildcards is given as it is, whether or not it is there.

    Raises:
        InputError: A glob matches no file.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        names = _matches(pattern, root) if has_magic(pattern) else [pattern]
        if not names:
            raise InputError(f"input spec: {pattern} matches no file")
        found |= dict.fromkeys(names)
    return tuple(found)


def _matches(pattern: str, root: Path) -> list[str]:
    try:
        found = sorted(path for path in root.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        # pathlib's own refusals: an empty pattern, and one that begins with a slash.
        said = str(error).lower()
        raise InputError(f"input spec: {pattern}: {said}") from None
    return [path.relative_to(root).as_posix() for path in found]


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


def folders(specs: Sequence[str], out: str) -> tuple[PurePath, ...]:
    """Give the folder of each spec's results: ``out``, or one below it for each.

    Raises:
        InputError: Two specs would share one.
    """
    if len(specs) == 1:
        return (PurePath(out),)
    found: dict[PurePath, str] = {}
    for spec in specs:
        folder = PurePath(out, spec.lstrip("/")).with_suffix("")
        if folder in found:
            raise InputError(
                f"input spec: the results of {found[folder]} and {spec} would go to "
                f"one folder, {folder}",
                hint="rename one of them",
            )
        found[folder] = spec
    return tuple(found)


def _orders(
    specs: Sequence[str], found: Settings, root: Path, parse: Parse
) -> list[Order]:
    base = root / found.baseline if found.baseline else None
    return [
        parse([*found.args, "--", str(root / spec)])._replace(
            out=root / out, baseline=base, commit=found.change.commit
        )
        for spec, out in zip(specs, folders(specs, found.out), strict=True)
    ]


def _each(
    specs: Sequence[str],
    orders: Sequence[Order],
    world: World,
    fail_on: FailOn,
    step: Workflow,
) -> Iterator[Ended]:
    for spec, order in zip(specs, orders, strict=True):
        ended = _one(spec, order, world, fail_on)
        _tell(ended, step, world.root)
        yield ended
        if isinstance(ended.error, Cancelled):
            return


def _one(spec: str, order: Order, world: World, fail_on: FailOn) -> Ended:
    try:
        report, stopped = session.run(order, world)
    except RagEvalError as error:
        return Ended(spec, error.exit_code, error=error)
    finally:
        owner.give(order.out, world.root)
    status = gates.exit_code(report.verdict, report.gates, fail_on)
    if stopped:
        status = stopped.exit_code
    return Ended(spec, status, report, stopped, order.out)


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


def _conclude(ended: Sequence[Ended], step: Workflow, out: str) -> int:
    worst = min(ended, key=lambda each: each.rank)
    step.outputs(_outputs(ended, worst, out))
    for each in ended:
        if each.error and not each.report:
            step.summary(_not_evaluated(each.spec, each.error))
    step.annotate(_annotations(ended))
    for each in ended:
        if each.error:
            step.log(f"rag-eval: {each.error}")
    return worst.status


def _not_evaluated(spec: str, error: RagEvalError) -> str:
    head = f"## 🚫 RAG eval {render.inline(spec)}: not evaluated"
    return f"{head}\n\n{render.block(str(error))}\n"


def _annotations(ended: Sequence[Ended]) -> Iterator[Annotation]:
    """Give what stands in the specs before what stands in the cases."""
    for each in ended:
        if each.error:
            yield from workflow.of_error(each.error, each.spec)
        if each.report:
            yield from workflow.of_report(each.report)
    for each in ended:
        if each.report:
            yield from workflow.of_cases(each.report)


def _outputs(ended: Sequence[Ended], worst: Ended, out: str) -> dict[str, str]:
    reports = [each.report for each in ended if each.report]
    held = [report.comparison for report in reports if report.comparison]
    totals = [report.totals for report in reports]
    counts = {
        "cases-total": sum(each.cases for each in totals),
        "cases-passed": sum(each.passed for each in totals),
        "cases-failed": sum(each.failed for each in totals),
        "cases-undetermined": sum(each.undetermined for each in totals),
        "cases-errors": sum(each.errors for each in totals),
        "gates-failed": sum(gate.blocks for each in reports for gate in each.gates),
        "regressions": sum(len(each.regressed) for each in held),
        "improvements": sum(len(each.fixed) for each in held),
    }
    layer = broken_layer(worst.report) if worst.report else None
    return {
        "verdict": worst.verdict,
        "exit-code": str(worst.status),
        "results": out if reports else "",
        "first-failing-layer": layer or "",
        **{name: str(count) for name, count in counts.items()},
    }


def _breaks_red_line(report: Report) -> bool:
    return any(gate.blocks and gate.rule == "red_line" for gate in report.gates)

"""Arguments in, exit code out: the one module that reads the environment and prints.

Imports that cost time stand inside the command that needs them, so that
``rag-eval --version`` and a mistyped option answer at once.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runner import __version__
from runner.cli._calibration import annotate, calibrate
from runner.cli._context import (
    SIGNALS,
    recipes,
    repository,
    tell,
    templates,
    workspace,
    world,
    write,
)
from runner.cli._options import PATH, run_options
from runner.errors import Cancelled, InputError, RagEvalError, Unavailable, exhausted

if TYPE_CHECKING:
    from runner.gates import FailOn
    from runner.session import RunOptions

_ADDRESS = re.compile(r"[\w.-]+:\d+(/|$)")
"""A host with its port, which no spec is called."""


def main() -> None:
    """Run the command line; ends the process with the exit status."""
    # What a start makes, stays. A run looks for garbage once it has its cases.
    gc.disable()
    SIGNALS.install()
    try:
        status = commands.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = InputError.exit_code
    except (click.Abort, KeyboardInterrupt):
        tell("Cancelled.", sys.stderr)
        status = Cancelled.exit_code
    except RagEvalError as error:
        notes = getattr(error, "__notes__", ())
        tell("\n".join((f"rag-eval: {error}", *notes)), sys.stderr)
        status = error.exit_code
    except Exception as error:  # noqa: BLE001 - Python's own status would be a verdict
        status = _report_unexpected(error)
    SIGNALS.over(partial(os._exit, status or 0))
    sys.exit(status or 0)


def _report_unexpected(error: Exception) -> int:
    """Tell of what nobody has told better; give the exit status."""
    if SIGNALS.asked:  # some code makes an error of its own of what was raised
        tell("Cancelled.", sys.stderr)
        return Cancelled.exit_code
    if lacking := exhausted(error):
        tell(f"rag-eval: the machine gives no more: {lacking}", sys.stderr)
    else:
        sys.excepthook(type(error), error, error.__traceback__)
        tell("rag-eval: this is a fault in rag-eval; please report it", sys.stderr)
    return Unavailable.exit_code


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rag-eval")
def commands() -> None:
    """Judge a RAG system layer by layer, from one YAML spec."""


commands.add_command(annotate)
commands.add_command(calibrate)


@commands.command()
@click.argument("spec", type=PATH)
@run_options
def run(spec: Path, *, fail_on: FailOn, quiet: bool, **options: Any) -> int:
    """Ask every case, judge it, and give the verdict as exit status.

    0: every gate passed. 1: a gate failed. 2: the spec, a case file or an option is
    wrong. 3: could not be judged. 130: cancelled.
    """
    from runner import gates, render, results, session, terminal

    chosen, around = _run_options(spec=spec, **options), world(spec, quiet=quiet)
    report, stopped = session.run(chosen, around)
    text = render.console(
        report,
        colour=terminal.shows_colour(sys.stdout),
        folder=chosen.out.as_posix(),
        keep=results.baseline_command(report, chosen.out, around.root, Path.cwd()),
    )
    write(text)
    if stopped:
        tell(f"rag-eval: {stopped}", sys.stderr)
    if isinstance(stopped, Cancelled):
        return stopped.exit_code
    return gates.exit_code(report.verdict, report.gates, fail_on)


def _run_options(**options: Any) -> RunOptions:
    from runner.base import BaseCommit
    from runner.pipeline import Filters
    from runner.session import RunOptions

    base = BaseCommit(options.pop("before"))
    kinds = {name: options.pop(name) for name in ("tags", "types", "ids", "limit")}
    return RunOptions(filters=Filters(**kinds), base=base, **options)


@commands.command(
    hidden=True,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def action() -> int:
    """Run as a step of a workflow, which says in the environment what to do.

    Words behind it are not read: some runners give the input ``args`` there as well.
    """
    from runner import action as step

    around = world(Path("spec"), quiet=False)
    inside = around._replace(writable=around.root, may_start=False)
    return step.run(os.environ, inside, _parse, lambda text: write(f"{text}\n"))


def _parse(words: Sequence[str]) -> RunOptions:
    """Parse the words after ``rag-eval run`` that an input gave."""
    try:
        options = run.make_context("run", list(words)).params
    except click.ClickException as error:
        raise InputError(f"input args: {error.format_message()}") from None
    except click.exceptions.Exit:
        raise InputError("input args: help is no run") from None
    del options["fail_on"], options["quiet"]
    return _run_options(**options)


@commands.command()
@click.argument("specs", type=PATH, nargs=-1, required=True)
def validate(specs: tuple[Path, ...]) -> int:
    """Check everything that can be known before the first request."""
    from datetime import UTC, datetime

    from runner import offline

    status, today = 0, datetime.now(UTC).date()
    for spec in specs:
        try:
            lines = offline.validate(
                spec, workspace(spec), os.environ, today, templates()
            )
            tell("\n".join(lines))
        except InputError as error:
            tell(str(error), sys.stderr)
            status = error.exit_code
    return status


@commands.command()
@click.argument("spec", metavar="SPEC|URL")
@click.option("--case", help="Ask this case, not the first that is to be answered.")
def probe(spec: str, case: str | None) -> int:
    """Ask one case, once; show the reply, what the mapping finds and what it lacks.

    0: the mapping finds all that it names. 2: it does not, or the spec is wrong. 3: no
    usable reply came. With a URL instead of a spec, it proposes a mapping; RAG_TOKEN is
    sent where it is set.
    """
    from runner import probe as probing

    if _ADDRESS.match(spec) and not Path(spec).exists():
        raise InputError(
            f"{spec}: is no file", hint=f"for a server, write http://{spec}"
        )
    if spec.startswith(("http://", "https://")):
        found = probing.probe_url(spec, os.environ, recipes())
    else:
        path = Path(spec)
        found = probing.probe(path, workspace(path), os.environ, case)
    tell("\n".join(found.lines))
    return found.status


@commands.command()
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
def compare(old: Path, new: Path) -> None:
    """Show two results side by side, paired case by case."""
    from runner import offline, render, terminal

    report = offline.compare_results(old, new)
    text = render.console(report, colour=terminal.shows_colour(sys.stdout))
    write(text, whole=True)


@commands.command(name="render")
@click.argument("results", type=PATH)
@click.option(
    "--to",
    type=click.Choice(["comment", "summary", "html", "junit"]),
    default="comment",
    show_default=True,
)
def render_(results: Path, to: str) -> None:
    """Render the results of an earlier run again, to standard output."""
    from runner import offline, render

    write(render.inert(offline.render_results(results, to, templates())), whole=True)


@commands.group()
def baseline() -> None:
    """Keep a result to compare later runs with."""


@baseline.command()
@click.argument("results", type=PATH)
@click.option("--to", type=PATH, default=".rag-eval/baseline", show_default=True)
def save(results: Path, to: Path) -> None:
    """Make a result the baseline: scores, ids and fingerprints, no texts."""
    from runner import offline

    tell("\n".join(offline.save_baseline(results, to, workspace(to))))


@commands.command()
@click.argument("folder", type=PATH, default=".")
@click.option("--for", "server", help="The server that answers, such as dify.")
def init(folder: Path, server: str | None) -> None:
    """Write a spec, a case file and a workflow to start from."""
    from runner import scaffold

    top = Path(os.path.relpath(repository(folder) or folder))
    written = scaffold.init(folder, top, templates() / "init", recipes(), server)
    lines = (f"wrote {path.as_posix()}" for path in written)
    pages = recipes().parents[1] / "docs/recipes"
    told = scaffold.about(pages, server) if server else []
    tell("\n".join((*lines, *told, *scaffold.first_steps(folder, top, written))))


@commands.command()
def schema() -> None:
    """Print the JSON Schema of the spec."""
    import json

    from runner.metrics import registry
    from runner.spec import json_schema

    text = json.dumps(json_schema(registry), indent=2, ensure_ascii=False)
    write(f"{text}\n", whole=True)


@commands.command()
@click.option(
    "--check",
    "examples",
    type=PATH,
    help="Hold the hand-worked examples in this file against the metrics.",
)
def metrics(examples: Path | None) -> int:
    """List what can be measured, or check your own hand-worked examples."""
    from runner import offline

    listed = offline.metric_lines(), True
    lines, agree = offline.check_examples(examples) if examples else listed
    tell("\n".join(lines))
    return 0 if agree else 1

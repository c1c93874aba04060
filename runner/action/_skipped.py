"""A spec whose secrets are withheld is skipped, which is told and never green."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from runner import __version__, files, settings
from runner.errors import InputError, MissingVariable, Place, RagEvalError
from runner.github.workflow import Annotation
from runner.publish.artifacts import ResultsFolder
from runner.redact import Redactor
from runner.report import Report, Totals
from runner.results import renderings
from runner.session import RunOptions, World, writable
from runner.settings import Settings

_FIXES = {
    True: "What a fork can be evaluated with:",
    False: "Add it to the secrets of Dependabot in the settings of the repository:",
}
"""What to do, by whether it is a fork."""


class Skip(NamedTuple):
    """Why a spec is skipped, and what can be done."""

    why: str
    fix: str
    place: Place | None
    """Of the first variable."""


def skip(error: RagEvalError, config: Settings) -> Skip | None:
    """Decide whether a spec is skipped; None where it has a mistake.

    It is skipped where all that is wrong are variables without a value, in a run that
    is given no secrets.
    """
    withheld = settings.withheld(config.change, config.run.actor)
    each = list(error) if isinstance(error, InputError) else [error]
    missing = [one for one in each if isinstance(one, MissingVariable)]
    if not withheld or len(missing) < len(each):
        return None
    names = dict.fromkeys(one.name for one in missing)
    verb = "is" if len(names) == 1 else "are"
    return Skip(
        f"{', '.join(names)} {verb} missing: {withheld}",
        f"{_FIXES[config.change.fork]} {config.run.docs}/forks.md",
        missing[0].where,
    )


def keep(skipped: Skip, spec: str, options: RunOptions, world: World) -> Report:
    """Write the results of a skipped spec; give its Report.

    Raises:
        InputError: The folder is not one to write to.
        Unavailable: It cannot be written.
    """
    named = files.read_document(options.spec, root=world.root).data.get("name")
    report = Report(
        name=named if isinstance(named, str) and named else options.spec.stem,
        verdict="skipped",
        reasons=(f"Nothing was evaluated. {skipped.why}.", skipped.fix),
        totals=Totals(cases=0),
        spec=spec,
        commit=options.commit,
        started=datetime.now(UTC).isoformat(),
        version=__version__,
    )
    root, redactor = writable(options.out, world), Redactor(())
    with ResultsFolder(options.out, root=root, redactor=redactor) as folder:
        made = renderings(world.templates, folder.path, options.links)
        return folder.finish(report, made)


def notice(skipped: Skip) -> Annotation:
    """Make the annotation that says what to do."""
    text = f"Nothing was evaluated. {skipped.why}. {skipped.fix}"
    return Annotation("notice", "RAG eval skipped", text, skipped.place)

"""Whether a calibration allows a judged metric to block a run, and if not, why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from runner.calibration._record import (
    Agreement,
    Calibration,
    Entry,
    Identity,
    TaskFingerprint,
)
from runner.text.shorten import cut
from runner.units import count, tell_apart

_WORD = 60  # characters of a name or value from a file
_COVERED = 0.95  # share of the items due on which the judge must have given a score


class Ruler(NamedTuple):
    """The measuring instrument: where any part of it differs, so do the numbers."""

    metric: str
    """Its label: the name, and options that show."""
    version: int
    options: Mapping[str, Any]
    judge: Identity
    tasks: Mapping[str, TaskFingerprint]


class Demand(NamedTuple):
    """What a calibration must show before a judge may block."""

    min_kappa: float = 0.6
    languages: Sequence[str] = ()
    """Those that the run asks in; each is looked at by itself."""
    mark: float | None = None
    """The score that the run calls good, where it does."""
    labels: int = 50
    """Scored items at least, in each language."""
    of_each: int = 10
    """Of them at least so many that people call good, and bad."""


class Standing(NamedTuple):
    """Whether a judge may block."""

    valid: bool
    reason: str
    """Why not; or on what the permission stands."""


def standing(calibration: Calibration | None, ruler: Ruler, demand: Demand) -> Standing:
    """Say whether a judged metric may block by what a calibration shows.

    It may where the file covers the very metric, judge and prompts, in each language
    of the run there are enough labels of both kinds and enough scores on them, kappa is
    at least what is demanded, and its interval lies above 0.
    """
    if calibration is None:
        return Standing(valid=False, reason="the judge is not calibrated")
    entry = calibration.metrics.get(ruler.metric)
    if entry is None:
        why = f"the judge is not calibrated on {ruler.metric}"
        return Standing(valid=False, reason=why)
    others = _otherwise(calibration, entry, ruler, demand)
    parts = _parts(entry, demand)
    weak = (next(_doubts(name, one, demand), "") for name, one in parts.items())
    if why := next(others, "") or "; ".join(filter(None, weak)):
        return Standing(valid=False, reason=why)
    held = "; ".join(_figures(name, found) for name, found in parts.items() if found)
    return Standing(valid=True, reason=f"{held}, of {calibration.made.isoformat()}")


def _otherwise(
    calibration: Calibration, entry: Entry, ruler: Ruler, demand: Demand
) -> Iterator[str]:
    """Give what is not the same as it was when the judge was calibrated."""
    for name in sorted({*calibration.judge, *ruler.judge}):
        then, now = calibration.judge.get(name), ruler.judge.get(name)
        if then != now:
            what = f"{_said(name)} {_said(then)}"
            yield f"calibrated with {what}, and it is {_said(now)} now"
    if entry.version != ruler.version:
        then, now = entry.version, ruler.version
        yield f"calibrated as version {then} of the metric, and it is {now} now"
    if entry.options != to_jsonable_python(dict(ruler.options)):
        yield "calibrated with other options of the metric"
    for name in sorted({*entry.tasks, *ruler.tasks}):
        if why := _reworded(name, entry.tasks.get(name), ruler.tasks.get(name), demand):
            yield why
    if demand.mark is not None and demand.mark != entry.mark:
        then, now = entry.mark, demand.mark
        yield f"calibrated with {then:g} as a good score, and that is {now:g} now"


def _said(value: Any) -> str:
    """Give a word of the file, or of the spec, as far as a sentence can hold it."""
    return "none" if value is None else cut(" ".join(str(value).split()), _WORD)


def _reworded(
    name: str, then: TaskFingerprint | None, now: TaskFingerprint | None, demand: Demand
) -> str:
    """Say how a task differs; nothing where the run's languages have it alike."""
    if then is None or now is None:
        which = "without" if then is None else "with"
        return f"calibrated {which} the task {_said(name)}"
    if then.version != now.version:
        return (
            f"calibrated with version {then.version} of the task {name}, "
            f"and it is {now.version} now"
        )
    used = demand.languages or sorted({*then.prompts, *now.prompts})
    other = [lang for lang in used if then.prompts.get(lang) != now.prompts.get(lang)]
    return f"calibrated with another prompt {name}.{other[0]}" if other else ""


def _parts(entry: Entry, demand: Demand) -> dict[str, Agreement | None]:
    """Give what must hold: each language of the run, else all labels together."""
    if not demand.languages:
        return {"": entry.whole}
    return {language: entry.languages.get(language) for language in demand.languages}


def _doubts(name: str, found: Agreement | None, demand: Demand) -> Iterator[str]:
    """Give why the labels of one language do not suffice."""
    within = f" in {name}" if name else ""
    if found is None:
        yield f"no labels{within}"
        return
    scored, due = found.table.total, found.table.total + found.failed
    if scored < demand.labels:
        yield f"{count(scored, 'scored label')}{within}, and {demand.labels} are needed"
    fewest = min(found.good, found.bad)
    if fewest < demand.of_each:
        kind = "good" if found.good < found.bad else "bad"
        yield (
            f"people call only {fewest} of {scored} items{within} {kind}, "
            f"and {demand.of_each} are needed"
        )
    if round(scored / due if due else 0, 9) < _COVERED:
        yield f"the judge gave no score on {found.failed} of {due} items{within}"
    yield from _too_low(within, found, demand)


def _too_low(within: str, found: Agreement, demand: Demand) -> Iterator[str]:
    if found.kappa is None or found.interval is None:
        yield f"kappa{within} is not defined, as all labels and scores are alike"
        return
    if round(found.kappa, 9) < round(demand.min_kappa, 9):
        shown, least = tell_apart(found.kappa, demand.min_kappa)
        yield f"kappa{within} {shown} is below {least}"
    if found.interval[0] <= 0:
        yield f"kappa{within} may be chance: {_figures('', found)}"


def _figures(name: str, found: Agreement) -> str:
    low, high = found.interval or (None, None)
    edges = "" if low is None else f" ({low:.2f} to {high:.2f})"
    labels = count(found.table.total, f"{name} label".strip())
    kappa = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
    return f"kappa {kappa}{edges} on {labels}"

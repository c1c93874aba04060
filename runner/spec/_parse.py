"""Parses a document into a Spec, and reports every mistake in it at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeVar

from pydantic import ValidationError

from runner.errors import Document, InputError, KeyPath, Problems, kind_of, masking
from runner.model import Metric
from runner.redact import Redactor
from runner.spec._addresses import no_addresses, secrets
from runner.spec._endpoint import EndpointSpec
from runner.spec._endpoint_keys import misfits, misfits_beside
from runner.spec._explain import Mistake, mistakes
from runner.spec._judge_needed import unjudged
from runner.spec._marks import marks
from runner.spec._measures import Measures
from runner.spec._resolved import (
    BaselineSource,
    CaseSource,
    Removed,
    Selector,
    Spec,
    Trials,
    fingerprint,
)
from runner.spec._thresholds import limits, relaxes_leakage
from runner.spec._variables import Variables, misplaced
from runner.spec._written import Baseline, SpecFile

Value = TypeVar("Value")
_STAND_IN: Mapping[str, Any] = {
    "endpoint": {"url": "http://localhost"},
    "cases": "cases.json",
}
"""In the place of what was wrong, so that the rest can still be looked at."""
_MISPLACED = "a variable is read in endpoint and judge only", "write the value itself"


def parse(
    document: Document,
    *,
    registry: Mapping[str, Metric],
    environ: Mapping[str, str],
    asking: bool = True,
) -> Spec:
    """Give the spec that a document holds, with everything in it resolved.

    Args:
        document: The parsed file.
        registry: The metrics that there are.
        environ: What ``${NAME}`` in endpoint and judge may be.
        asking: Whether anybody will be asked. Where nobody is, no variable has to be
            set, and what reads a missing one is as if it were left out.

    Raises:
        Problems: Every mistake, with file, line and key path.
    """
    if not isinstance(document.data, dict):
        what = f"a spec is a mapping of keys, and this is {kind_of(document.data)}"
        raise InputError(what, where=document.place())
    variables = Variables(environ, document.place, asking=asking)
    with masking(lambda text: Redactor(variables.secret).text(text)):
        return _parsed(document, registry, variables)


def _parsed(
    document: Document, registry: Mapping[str, Metric], variables: Variables
) -> Spec:
    data = dict(document.data)
    for block in ("endpoint", "judge"):
        if block in data:
            data[block] = variables.expand(data[block], block)
    held = data.get("baseline")
    if isinstance(held, dict) and "endpoint" in held:
        rival = variables.expand(held["endpoint"], "baseline", "endpoint")
        data["baseline"] = {**held, "endpoint": rival}
    reading = _Reading(document)
    reading.problems += variables.problems
    reading.report(Mistake(path, *_MISPLACED) for path in misplaced(data))
    file = reading.file(data, variables.unfilled)
    spec = reading.resolve(file, Measures(registry), variables)
    if reading.problems:
        raise Problems(sorted(reading.problems, key=_line))
    return spec


def _line(problem: InputError) -> int:
    return (problem.where and problem.where.line) or 0


class _Reading:
    """One spec that is being read, and everything that was wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[InputError] = []

    def report(self, found: Iterable[Mistake]) -> None:
        for path, what, hint in found:
            where = self.document.place(*path)
            self.problems.append(InputError(what, where=where, hint=hint))

    def file(self, data: dict[str, Any], unfilled: Collection[KeyPath]) -> SpecFile:
        """Give the file's parts; what is wrong is reported and left out.

        What lacks a variable is left out alone: that it is missing is told already.
        """
        try:
            return SpecFile.model_validate(data)
        except ValidationError as error:
            found = list(mistakes(error, SpecFile, data))
        self.report(mistake for mistake in found if mistake.path not in unfilled)
        return SpecFile.model_validate(_without(data, found))

    def resolve(self, file: SpecFile, measures: Measures, variables: Variables) -> Spec:
        """Give the spec, with what its parts mean for each other."""
        for index, entry in enumerate(file.metrics):
            path = ("metrics", index)
            self.report(Mistake(path, wrong) for wrong in measures.entry(entry))
        kept = tuple(self.sound(limits(file.thresholds, measures, self.document)))
        held = dict(self.sound(marks(file.marks, measures)))
        measures.add("leakage")  # the implicit red line holds without a mark
        endpoint = file.endpoint.with_method()
        self.report(misfits(endpoint))
        if not (variables.problems or variables.unfilled):
            self.report(no_addresses(file, variables.plain))
        if file.judge or "judge" not in self.document.data:
            self.report(unjudged(measures.found, file.judge, self.document.lines))
        for secret in secrets(file):
            variables.hide(secret)
        if endpoint.command or endpoint.python or endpoint.start:
            variables.hide_inherited()
        document = self.document
        trials = Trials(file.trials.times, file.trials.passes)
        return Spec(
            name=file.name or PurePosixPath(document.file).stem,
            file=document.file,
            endpoint=endpoint,
            cases=tuple(self.sources(file)),
            measures=tuple(measures.found.values()),
            marks=held,
            limits=kept,
            red_lines=tuple(self.selectors(file)),
            leakage_level="warn" if relaxes_leakage(file.thresholds) else "fail",
            diagnosis=file.diagnosis,
            **self.held_against(file.baseline, endpoint),
            variables=variables.values,
            secrets=tuple(variables.secret),
            trials=trials,
            judge=file.judge,
            fingerprint=fingerprint(endpoint, held, trials),
            numbers=fingerprint(endpoint, {}, trials),
        )

    def held_against(
        self, baseline: Baseline | None, endpoint: EndpointSpec
    ) -> dict[str, Any]:
        """Give the parts of ``baseline``; nothing where it is left out."""
        if not baseline:
            return {}
        rival = baseline.endpoint
        if rival:
            self.report(misfits_beside(endpoint, rival))
        line = self.document.lines.get(("baseline", "removed"))
        return {
            "baseline": BaselineSource(*baseline.source),
            "removed": Removed(baseline.removed, line),
            "rival": rival and endpoint.elsewhere(rival),
        }

    def sound(self, values: Iterator[Value | Mistake]) -> Iterator[Value]:
        """Give what is right, and report what is not."""
        for value in values:
            if isinstance(value, Mistake):
                self.report([value])
            else:
                yield value

    def sources(self, file: SpecFile) -> Iterator[CaseSource]:
        listed = isinstance(self.document.data.get("cases"), list)
        for index, source in enumerate(file.cases):
            path: KeyPath = ("cases", index) if listed else ("cases",)
            where = self.document.place(*path)
            yield CaseSource(source.path, source.fields, source.defaults, where)

    def selectors(self, file: SpecFile) -> Iterator[Selector]:
        for index, red_line in enumerate(file.red_lines):
            line = self.document.place("red_lines", index).line
            for key, value in red_line.model_dump(exclude_none=True).items():
                yield Selector(key, value, line)


def _without(data: Mapping[str, Any], found: list[Mistake]) -> dict[str, Any]:
    """Give the data without what was wrong; of thresholds only the wrong ones go."""
    kept = {**data, "thresholds": data.get("thresholds", {})}
    for path, *_ in found:
        top = str(path[0]) if path else ""
        inner = kept.get(top)
        if top == "thresholds" and len(path) > 1 and isinstance(inner, dict):
            kept[top] = {key: inner[key] for key in inner if key != path[1]}
        else:
            kept.pop(top, None)
    return {**_STAND_IN, **kept}

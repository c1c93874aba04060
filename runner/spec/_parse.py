"""The whole spec, from a document with lines to a Spec, with all mistakes at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from runner.errors import Document, InputError, KeyPath, Problems, kind_of, masking
from runner.model import Metric
from runner.redact import Redactor
from runner.spec._endpoint import EndpointSpec, Rival
from runner.spec._everywhere import addresses, secrets
from runner.spec._explain import Mistake, mistakes
from runner.spec._marks import marks
from runner.spec._measures import Measures
from runner.spec._nouns import (
    BaselineSource,
    CaseSource,
    Removed,
    Selector,
    Spec,
    Trials,
)
from runner.spec._thresholds import limits, relaxes_leakage
from runner.spec._unjudged import unjudged
from runner.spec._variables import Variables, is_template, misplaced
from runner.spec._whole import misfits
from runner.spec._written import SpecFile
from runner.units import listed

Value = TypeVar("Value")
_NAMES = re.compile(r"(?<!\$)\$\{(\w+)")
_HOST = re.compile(r"[\w.-]+(?::\d+)?(?:/|$)")
_STAND_IN: Mapping[str, Any] = {
    "endpoint": {"url": "http://localhost"},
    "cases": "cases.json",
}
"""In the place of what was wrong, so that the rest can still be looked at."""


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
    for path in misplaced(data):
        what = "a variable is read in endpoint and judge only"
        reading.add(Mistake(path, what, "write the value itself"))
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

    def add(self, mistake: Mistake) -> None:
        path, what, hint = mistake
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
        for mistake in found:
            if mistake.path not in unfilled:
                self.add(mistake)
        return SpecFile.model_validate(_without(data, found))

    def resolve(self, file: SpecFile, measures: Measures, variables: Variables) -> Spec:
        """Give the spec, with what its parts mean for each other."""
        for index, entry in enumerate(file.metrics):
            for wrong in measures.entry(entry):
                self.add(Mistake(("metrics", index), wrong))
        kept = list(self.sound(limits(file.thresholds, measures, self.document)))
        held = dict(self.sound(marks(file.marks, measures)))
        measures.add("leakage")  # the implicit red line holds without a mark
        endpoint = _with_method(file.endpoint)
        for mistake in misfits(endpoint):
            self.add(mistake)
        if not (variables.problems or variables.unfilled):
            self.addresses(file, variables)
        self.unjudged(measures, file)
        for secret in secrets(file):
            variables.hide(secret)
        document = self.document
        trials = Trials(file.trials.times, file.trials.passes)
        return Spec(
            name=file.name or PurePosixPath(document.file).stem,
            file=document.file,
            endpoint=endpoint,
            cases=tuple(self.sources(file)),
            measures=tuple(measures.found.values()),
            marks=held,
            limits=tuple(kept),
            red_lines=tuple(self.selectors(file)),
            leakage_level="warn" if relaxes_leakage(file.thresholds) else "fail",
            diagnosis=file.diagnosis,
            **self.held_against(file, endpoint),
            variables=variables.values,
            secrets=tuple(variables.secret),
            trials=trials,
            judge=file.judge,
            fingerprint=fingerprint(endpoint, held, trials),
            numbers=fingerprint(endpoint, {}, trials),
        )

    def held_against(self, file: SpecFile, endpoint: EndpointSpec) -> dict[str, Any]:
        """Give the parts of ``baseline``; nothing where it is left out."""
        if not file.baseline:
            return {}
        source = BaselineSource(*file.baseline.named[0])
        line = self.document.lines.get(("baseline", "removed"))
        rival = file.baseline.endpoint
        if rival and endpoint.url is None:
            what = "is as endpoint says but for its url, and that has none"
            self.add(Mistake(("baseline", "endpoint"), what, "leave it out"))
        elif rival:
            self.sound_beside(endpoint, rival)
        return {
            "baseline": source,
            "removed": Removed(file.baseline.removed, line),
            "rival": rival and _beside(endpoint, rival),
        }

    def sound_beside(self, endpoint: EndpointSpec, rival: Rival) -> None:
        """See that no secret of the endpoint goes to another address unasked."""
        if endpoint.auth and "auth" not in rival.model_fields_set:
            what = "is missing, and that of endpoint shows its own keys"
            hint = "say here what this address is to be shown; null is nothing"
            self.add(Mistake(("baseline", "endpoint", "auth"), what, hint))
        written = " ".join(endpoint.headers.values())
        names = [] if rival.headers is not None else _NAMES.findall(written)
        if names:
            what = f"is missing, and those of endpoint send {listed(names, 3)}"
            hint = "say here what this address is to be sent; {} is nothing"
            self.add(Mistake(("baseline", "endpoint", "headers"), what, hint))

    def sound(self, values: Iterator[Value | Mistake]) -> Iterator[Value]:
        """Give what is right, and report what is not."""
        for value in values:
            if isinstance(value, Mistake):
                self.add(value)
            else:
                yield value

    def unjudged(self, measures: Measures, file: SpecFile) -> None:
        """Report what needs a judge, or its embeddings, where the spec has none."""
        if file.judge is None and "judge" in self.document.data:
            return  # what is wrong with it is told already
        lacks = unjudged(measures.found, file.judge, self.document.lines)
        for mistake in lacks:
            self.add(mistake)

    def addresses(self, file: SpecFile, variables: Variables) -> None:
        """See that the addresses are some, once the environment is in them."""
        for path, url in addresses(file):
            begins = ("http://", "https://", *(("{{",) if is_template(path) else ()))
            if not variables.plain(url).startswith(begins):
                names = ", ".join(_NAMES.findall(url))
                hint = f"look at what {names} holds" if names else ""
                if bare := re.match(r"\$(\w+)", url):
                    hint = f"write ${{{bare[1]}}}"
                elif _HOST.match(url):
                    hint = f"write http://{url}"
                self.add(Mistake(path, "must begin with http:// or https://", hint))

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


def _beside(endpoint: EndpointSpec, rival: Rival) -> EndpointSpec:
    """Give the endpoint as it is elsewhere, where nothing is started or waited for."""
    headers = endpoint.headers if rival.headers is None else rival.headers
    elsewhere = {"url": rival.url, "headers": headers, "auth": rival.auth}
    nothing = {"start": None, "wait_for": None}
    return endpoint.model_copy(update={**elsewhere, **nothing})


def _with_method(endpoint: EndpointSpec) -> EndpointSpec:
    if endpoint.method is not None or endpoint.url is None:
        return endpoint
    method = "GET" if endpoint.body is None else "POST"
    return endpoint.model_copy(update={"method": method})


def fingerprint(
    endpoint: EndpointSpec, held: Mapping[str, float], trials: Trials
) -> str:
    """Give 12 hex digits of what makes two runs comparable.

    These are the response mapping, match, the pass marks, whether turns are played, and
    a rule for trials that is harder or softer than one trial. A key that a later
    version adds moves nothing while it has its default.
    """
    kept: list[Any] = [
        endpoint.response.model_dump(exclude_defaults=True),
        endpoint.match,
        sorted(held.items()),
    ]
    if trials.times > 1 and trials.passes != "majority":
        kept.append([trials.passes, trials.times])
    if endpoint.turns == "live":
        kept.append("live")
    return blake2b(to_json(kept), digest_size=6).hexdigest()

"""JUnit's XML for dashboards: a suite for each layer, one for the gates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from runner.advice import ADVICE
from runner.model import LAYERS, GateResult, Outcome, Record
from runner.render._cases import case_text
from runner.render._clean import clean, cleaned, inert_markup
from runner.render._gates import status
from runner.render._markdown import Environment
from runner.render._numbers import limit, number
from runner.report import FailedCase, Report

_TEXT = 2_000
_ELEMENTS: Mapping[Outcome, str] = {
    "failed": "failure",
    "error": "error",
    "undetermined": "skipped",
    "not_asked": "skipped",
    "quarantined": "skipped",
}


_SKIPPED = [outcome for outcome, name in _ELEMENTS.items() if name == "skipped"]


class Check(NamedTuple):
    """A gate or a case as JUnit sees it."""

    name: str
    outcome: Outcome
    message: str = ""
    type: str = ""
    text: str = ""
    file: str | None = None
    line: int | None = None

    @property
    def element(self) -> str:
        """The element that says that it did not pass."""
        return _ELEMENTS[self.outcome]


class Suite(NamedTuple):
    """Tests under one name."""

    name: str
    tests: Sequence[Check]

    @property
    def failures(self) -> int:
        """How many failed."""
        return self._count("failed")

    @property
    def errors(self) -> int:
        """How many had no usable reply."""
        return self._count("error")

    @property
    def skipped(self) -> int:
        """How many could not be judged."""
        return sum(test.outcome in _SKIPPED for test in self.tests)

    def _count(self, outcome: Outcome) -> int:
        return sum(test.outcome == outcome for test in self.tests)


def junit(
    report: Report, environment: Environment, records: Iterable[Record] = ()
) -> str:
    """Give the run as JUnit XML: each gate is a test, and each case.

    A failing case stands in the suite of the layer it is charged to. What only warns
    passes; an undetermined case is skipped, and so is one in quarantine.

    Args:
        report: What to show.
        environment: Over ``templates/``, with ``FILTERS``.
        records: Every case of the run. Without them only the failing cases whose texts
            the report keeps are tests.
    """
    report = cleaned(report)
    suites = [Suite(f"{report.name}: gates", [_gate(gate) for gate in report.gates])]
    suites += _suites(report.name, list(_cases(report, records)))
    if report.verdict == "skipped":
        why = "; ".join(report.reasons)
        suites.append(Suite(report.name, [Check("evaluation", "not_asked", why)]))
    suites = [suite for suite in suites if suite.tests]
    template = environment.get_template("junit.xml.j2")
    text: str = template.render(
        name=report.name,
        suites=suites,
        tests=sum(len(suite.tests) for suite in suites),
        failures=sum(suite.failures for suite in suites),
        errors=sum(suite.errors for suite in suites),
        skipped=sum(suite.skipped for suite in suites),
    )
    return inert_markup(text)


def _suites(name: str, tests: Sequence[Check]) -> Iterator[Suite]:
    groups: dict[str, list[Check]] = {layer: [] for layer in (*LAYERS, "cases")}
    for test in tests:
        layer = test.type.partition(".")[0]
        groups[layer if layer in LAYERS else "cases"].append(test)
    for group, members in groups.items():
        yield Suite(f"{name}: {group}", members)


def _gate(gate: GateResult) -> Check:
    part = f" ({gate.slice})" if gate.slice else ""
    asked = "" if gate.limit is None or gate.rule == "red_line" else limit(gate.limit)
    name = f"{gate.metric}{part} {gate.rule} {asked}".rstrip()
    if gate.outcome == "not_selected":
        return Check(name, "undetermined", gate.message, "gate")
    if not gate.blocks:
        return Check(name, "passed")
    value = "" if gate.value is None else f" at {number(gate.value, '', [gate.limit])}"
    message = gate.message or f"{status(gate)}{value}"
    return Check(name, "failed", message, "gate", ", ".join(gate.cases), line=gate.line)


def _cases(report: Report, records: Iterable[Record]) -> Iterator[Check]:
    known = {case.id: case for case in report.failures}
    named = False
    for record in records:
        named = True
        case = known.get(clean(record.id))
        if record.outcome in ("failed", "error") and case:
            yield _failed(case)
        elif record.outcome == "passed":
            yield Check(clean(record.id), "passed")
        else:
            cause = clean(record.cause or "")
            yield Check(clean(record.id), record.outcome, _unjudged(record), cause)
    if not named:
        yield from map(_failed, report.failures)


def _unjudged(record: Record) -> str:
    if record.outcome == "quarantined":
        return f"in quarantine: {record.would_be or 'undetermined'}"
    if record.outcome == "not_asked":
        return "was not asked"
    return _meaning(clean(record.cause or ""))


def _failed(case: FailedCase) -> Check:
    cause = case.cause or ""
    return Check(
        case.id,
        "error" if case.outcome == "error" else "failed",
        case.evidence or _meaning(cause),
        cause,
        case_text(case, _TEXT),
        case.file,
        case.line,
    )


def _meaning(cause: str) -> str:
    return ADVICE[cause].meaning if cause in ADVICE else "no metric could judge it"

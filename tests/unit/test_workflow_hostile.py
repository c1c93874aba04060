"""What others wrote says nothing to GitHub's runner: 20,000 seeded strings.

The runner is modelled as its source reads: it takes a line of the log for a command
where that begins with two colons, and reads outputs by their delimiters.
"""

from __future__ import annotations

import re
from itertools import islice

import pytest

from runner import render
from runner.errors import Place
from runner.github import workflow
from runner.github.workflow import MESSAGE, Annotation, Workflow
from runner.model import GateResult
from runner.redact import Redactor
from runner.report import FailedCase, Report, Totals
from runner.text.shorten import cut
from tests.hostile import NUMBER, SEED, obeyed, strings


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return list(islice(strings(SEED), NUMBER))


def undone(text: str) -> str:
    for code, sign in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n")):
        text = text.replace(code, sign)
    return text.replace("%25", "%")


def command(line: str) -> tuple[str, dict[str, str], str]:
    """Read a command as the runner does: its name, its properties, its data."""
    head, _, data = line.removeprefix("::").partition("::")
    name, _, listed = head.partition(" ")
    pairs = [pair.split("=", 1) for pair in listed.split(",") if pair]
    return name, {key: undone(value) for key, value in pairs}, undone(data)


def outputs(content: str) -> dict[str, str]:
    """Read a file of outputs as the runner does."""
    found, lines = {}, iter(content.split("\n"))
    for line in lines:
        if line:
            name, end = line.split("<<", 1)
            value = []
            for inner in lines:
                if inner == end:
                    break
                value.append(inner)
            found[name] = "\n".join(value)
    return found


def test_an_annotation_is_one_command_with_our_properties(texts: list[str]):
    wrong = []
    for text in texts:
        annotation = Annotation("warning", text, text, Place(text, 3))
        line = workflow.command(annotation)
        shown = render.clean(text)
        said = render.clean(cut(text, MESSAGE))
        expected = ("warning", {"file": shown, "line": "3", "title": shown}, said)
        if command(line) != expected or re.search(r"[\r\n]", line):
            wrong.append(text)

    assert wrong == []


def test_annotations_of_a_report_are_commands_of_ours_alone(texts: list[str]):
    source = iter(texts)
    report = Report(
        name=next(source),
        verdict="failed",
        totals=Totals(cases=3, failed=3),
        spec=next(source),
        gates=tuple(
            GateResult(metric=a, rule="min", outcome="failed", line=2, message=b)
            for a, b in zip(islice(source, 3000), islice(source, 3000), strict=True)
        ),
        failures=tuple(
            FailedCase(id=a, file=b, line=5, cause=c, evidence=d)
            for a, b, c, d in zip(*[source] * 4, strict=False)
        ),
    )
    lines = [
        workflow.command(annotation)
        for of in (workflow.of_report, workflow.of_cases)
        for annotation in of(report)
    ]

    assert len(lines) > 6000
    assert {command(line)[0] for line in lines} == {"error", "warning"}
    assert {frozenset(command(line)[1]) for line in lines} == {
        frozenset({"file", "line", "title"})
    }


def test_an_output_comes_back_as_it_was_and_sets_no_other(texts: list[str], tmp_path):
    path = tmp_path / "outputs"
    step = Workflow({"GITHUB_OUTPUT": str(path)}, print, Redactor([]))
    values = {f"o{number}": text for number, text in enumerate(texts)}

    step.outputs(values)

    with path.open(encoding="utf-8", newline="") as file:
        assert outputs(file.read()) == values


def test_no_line_of_the_log_is_a_command(texts: list[str]):
    log: list[str] = []
    step = Workflow({}, log.append, Redactor([]))
    for start in range(0, NUMBER, 100):
        step.log("\n".join(texts[start : start + 100]))

    stops = [line for line in obeyed("\n".join(log)) if "stop-commands" in line]
    ends = {f"::{line.removeprefix('::stop-commands::')}::" for line in stops}
    others = [line for line in obeyed("\n".join(log)) if line not in {*stops, *ends}]
    assert len(stops) == len(ends) == NUMBER // 100
    assert others == []

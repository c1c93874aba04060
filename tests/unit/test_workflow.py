import re

import pytest

from runner import render
from runner.errors import InputError, Place, Problems, Unavailable
from runner.github import workflow
from runner.github.workflow import Annotation, Workflow
from runner.model import Comparison, GateResult
from runner.redact import Redactor
from runner.report import CasePlace, FailedCase, Report, Totals
from tests.program import outputs

SECRET = "s3cr3t-token"  # noqa: S105  made up


class Step:
    """A step on this disk, whose log is a list."""

    def __init__(self, folder):
        self.summary, self.outputs = folder / "summary.md", folder / "outputs"
        self.log = []
        self.workflow = Workflow(
            {
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.outputs),
            },
            self.log.append,
            Redactor([SECRET]),
        )


@pytest.fixture
def step(tmp_path):
    return Step(tmp_path)


def obeyed(log):
    """Give the lines that the runner takes for commands, in a log."""
    end, found = None, []
    for line in "\n".join(log).replace("\r", "\n").split("\n"):
        if end is not None:
            end = None if line == f"::{end}::" else end
        elif stop := re.fullmatch("::stop-commands::(.+)", line):
            end = stop[1]
        elif re.match(r"\s*::|.*##\[", line):
            found.append(line)
    assert end is None
    return found


@pytest.mark.parametrize(
    "value",
    [
        "",
        "passed",
        "two\nlines",
        "EOF\nverdict<<EOF\npassed\nEOF",
        "a<<b",
        "a=b",
        "é中",
    ],
)
def test_an_output_comes_back_as_it_was(step, value):
    step.workflow.outputs({"verdict": "failed", "results": value})

    assert outputs(step.outputs.read_text("utf-8")) == {
        "verdict": "failed",
        "results": value,
    }


def test_a_later_output_replaces_an_earlier_one(step):
    step.workflow.outputs({"verdict": "error"})
    step.workflow.outputs({"verdict": "passed"})

    assert outputs(step.outputs.read_text("utf-8")) == {"verdict": "passed"}


def test_nothing_leaves_with_a_secret(step):
    step.workflow.outputs({"results": f"a {SECRET}"})
    step.workflow.summary(f"b {SECRET}")
    step.workflow.log(f"c {SECRET}")
    step.workflow.annotate([Annotation("error", SECRET, SECRET, Place(SECRET))])

    written = [step.outputs.read_text(), step.summary.read_text(), *step.log]
    assert SECRET not in "".join(written)


@pytest.mark.parametrize(
    "text",
    [
        "::error::made up",
        "  ::set-env name=PATH::x",
        "\r::error::x",
        "x ##[error]y",
        "::stop-commands::x",
        "a\n::x::\n::error::b",
    ],
)
def test_no_text_in_the_log_is_a_command(step, text):
    step.workflow.log(text)

    assert obeyed(step.log) == []


@pytest.mark.parametrize(
    "text",
    [
        "a\n::error::b",
        "a\r::error::b",
        "100%",
        "%0A::error::b",
        "a:b,c",
        "\x1b[31m\u202e\u2028x",
    ],
)
def test_an_annotation_is_one_command_whatever_it_says(step, text):
    step.workflow.annotate([Annotation("error", text, text, Place(text, 3))])

    [command] = obeyed(step.log)
    properties, said = command.removeprefix("::error ").split("::", 1)
    values = dict(pair.split("=", 1) for pair in properties.split(","))
    plain = [undone(value) for value in (values["file"], values["title"], said)]
    assert (plain, values["line"]) == ([render.clean(text)] * 3, "3")


def undone(text):
    for code, sign in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r")):
        text = text.replace(code, sign)
    return text.replace("%25", "%")


def test_a_level_has_at_most_ten_annotations(step):
    found = [Annotation("error", "t", str(number)) for number in range(25)]
    found += [Annotation("warning", "t", str(number)) for number in range(10)]

    step.workflow.annotate(found)

    assert len(step.log) == 20
    assert step.log[9] == "::error::and 16 more; see the summary"
    assert step.log[19] == "::warning title=t::9"


def test_the_summary_grows_and_keeps_within_its_limit(step):
    step.summary.write_text("before\n")

    step.workflow.summary("x" * (workflow.SUMMARY_LIMIT - 7), "short")
    step.workflow.summary("é" * (workflow.SUMMARY_LIMIT // 2), "more")

    assert step.summary.read_text() == "before\nshort\nmore\n"


def test_a_full_summary_stays_as_it_is(step):
    step.workflow.summary("x" * (workflow.SUMMARY_LIMIT - 1))

    step.workflow.summary("y")

    assert step.summary.stat().st_size == workflow.SUMMARY_LIMIT


def test_outside_of_a_workflow_outputs_are_logged():
    log = []
    alone = Workflow({}, log.append, Redactor([]))

    alone.summary("text")
    alone.outputs({"verdict": "passed"})

    assert "verdict=passed" in "".join(log)


def gate(metric, outcome, level="fail", line=5):
    return GateResult(
        metric=metric,
        rule="min",
        level=level,
        line=line,
        outcome=outcome,
        message=f"{metric} is low",
    )


def test_a_gate_that_failed_is_shown_on_its_line_of_the_spec():
    report = Report(
        name="bot",
        verdict="failed",
        totals=Totals(cases=1),
        spec="evals/rag.yaml",
        gates=(
            gate("mrr", "passed"),
            gate("recall@5", "failed", line=12),
            gate("refusal", "unmeasured", line=13),
            gate("key_points", "failed", level="warn", line=14),
            gate("accuracy", "no_baseline"),
        ),
    )

    shown = [
        (each.level, each.title, each.place) for each in workflow.of_report(report)
    ]

    assert shown == [
        ("error", "bot: recall@5 failed", Place("evals/rag.yaml", 12)),
        ("error", "bot: refusal unmeasured", Place("evals/rag.yaml", 13)),
        ("warning", "bot: key_points failed", Place("evals/rag.yaml", 14)),
    ]


def failed(name, line, **fields):
    return FailedCase(id=name, file="evals/cases.csv", line=line, **fields)


def test_a_failing_case_is_a_warning_on_its_line_and_the_regressed_come_first():
    report = Report(
        name="bot",
        verdict="failed",
        totals=Totals(cases=9, failed=5),
        failures=(
            failed("old", 2, layer="answer", cause="answer.omission", evidence="no x"),
            failed("down", 3, outcome="error", cause="service.timeout"),
            failed("red", 4, evidence="7", cause="service.timeout"),
            FailedCase(id="nowhere"),
            failed("odd", 5),
        ),
        comparison=Comparison(pairs=9, regressed=("red", "far")),
        places={"far": CasePlace(file="evals/more.csv", line=400)},
    )

    found = list(workflow.of_cases(report))
    shown = {each.title.removeprefix("bot: "): each.message for each in found}

    assert {each.level for each in found} == {"warning"}
    assert [str(each.place) for each in found] == [
        *("evals/cases.csv:4", "evals/more.csv:400"),
        *("evals/cases.csv:2", "evals/cases.csv:5"),
    ]
    assert shown == {
        "red regressed": "no whole reply in time; 7 (service.timeout)",
        "far regressed": "it passed in the baseline",
        "old fails": "a key point is missing; no x (answer.omission)",
        "odd fails": "no test names the layer",
    }


def test_mistakes_are_shown_where_they_stand():
    here = Place("evals/rag.yaml", 3, "metrics")
    found = Problems([InputError("one", where=here), InputError("two")])

    shown = [
        (each.title, each.message, each.place)
        for each in workflow.of_error(found, "a.yaml")
    ]

    assert shown == [
        ("Mistake", "evals/rag.yaml:3 metrics: one", here),
        ("Mistake", "two", Place("a.yaml")),
    ]


def test_a_silent_endpoint_is_no_mistake_of_the_spec():
    [shown] = workflow.of_error(Unavailable("nobody answers"), "a.yaml")

    assert (shown.level, shown.title) == ("error", "Not evaluated")


def test_what_rules_a_terminal_only_shows_in_the_log(step):
    step.workflow.log("\x1b]0;title\x07red\u202e")

    assert "␛]0;title␇red\ufffd" in step.log[0]


def test_a_summary_that_cannot_be_written_is_told_and_changes_no_verdict(tmp_path):
    log = []
    step = Workflow({"GITHUB_STEP_SUMMARY": str(tmp_path)}, log.append, Redactor([]))

    step.summary("text")

    assert "GITHUB_STEP_SUMMARY: cannot be written: Is a directory" in log[0]


def test_outputs_that_cannot_be_written_are_not_lost_in_silence(tmp_path):
    step = Workflow({"GITHUB_OUTPUT": str(tmp_path)}, [].append, Redactor([]))

    with pytest.raises(Unavailable, match="GITHUB_OUTPUT: cannot be written: Is a dir"):
        step.outputs({"verdict": "passed"})


def test_an_empty_variable_names_no_file():
    log = []
    environ = {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}
    step = Workflow(environ, log.append, Redactor([]))

    step.summary("text")
    step.outputs({"verdict": "passed"})

    assert "verdict=passed" in log[0]

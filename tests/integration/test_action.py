"""The step of a workflow as a process, outside of its container."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from runner import action
from tests.program import outputs

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = "specs/quickstart.yaml"
HEAD = "a" * 40
DOWN = "http://127.0.0.1:9"  # nobody listens on the port of discard


class SpecResult(NamedTuple):
    exit: int
    log: str
    outputs: dict
    summary: str


class Team:
    """A repository with the quick start in it, and a workflow that runs it."""

    def __init__(self, folder, url):
        self.root, self.files, self.url = folder / "work", folder / "files", url
        shutil.copytree(ROOT / "specs", self.root / "specs")
        self.files.mkdir()
        event = {
            "number": 7,
            "pull_request": {
                "number": 7,
                "head": {"sha": HEAD, "repo": {"full_name": "org/bot"}},
                "base": {"ref": "main", "repo": {"full_name": "org/bot"}},
            },
        }
        self.event = event
        self.environ = {}
        self.send(event)

    def send(self, event):
        (self.files / "event.json").write_text(json.dumps(event))

    def fork(self, event="pull_request"):
        """Make the event one of a pull request from a fork."""
        pull = self.event["pull_request"]
        pull["head"]["repo"]["full_name"] = "someone/bot"
        self.send(self.event)
        self.environ["GITHUB_EVENT_NAME"] = event

    def checked_out(self, commit):
        (self.root / ".git").mkdir(exist_ok=True)
        (self.root / ".git/HEAD").write_text(commit)

    def changed(self, old, new, name=SPEC):
        text = (self.root / SPEC).read_text("utf-8")
        assert old in text
        (self.root / name).write_text(text.replace(old, new, 1), "utf-8")

    def action(self, *words, url=None, **inputs):
        files = {name: self.files / name for name in ("outputs", "summary")}
        for path in files.values():
            path.write_text("")
        given = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
        done = subprocess.run(
            [sys.executable, "-m", "runner", "action", *words],
            cwd=self.root,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "GITHUB_WORKSPACE": str(self.root),
                "GITHUB_EVENT_NAME": "pull_request",
                "GITHUB_EVENT_PATH": str(self.files / "event.json"),
                "GITHUB_OUTPUT": str(files["outputs"]),
                "GITHUB_STEP_SUMMARY": str(files["summary"]),
                "RAG_URL": url or self.url,
                "INPUT_HOST-GATEWAY": "off",  # this machine may be a container itself
                **self.environ,
                **given,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        handed = outputs(files["outputs"].read_text("utf-8"))
        return SpecResult(
            done.returncode, done.stdout, handed, files["summary"].read_text("utf-8")
        )


@pytest.fixture
def team(tmp_path, service):
    return Team(tmp_path, service)


def test_a_passing_run_is_told_in_full(team):
    ended = team.action(spec=SPEC)

    assert ended.exit == 0
    assert json.loads(ended.outputs.pop("score-json"))["recall@5"] > 0.9
    nothing = {
        name: value for name, value in action.NOTHING.items() if "score" not in name
    }
    assert ended.outputs == {
        **nothing,
        "verdict": "passed",
        "passed": "true",
        "exit-code": "0",
        "results": "rag-eval-results",
        "first-failing-layer": "retrieval",
        "cases-total": "59",
        "cases-passed": "54",
        "cases-failed": "5",
        "results-json": "rag-eval-results/results.json",
        "report-html": "rag-eval-results/report.html",
        "junit-xml": "rag-eval-results/junit.xml",
    }
    written = (team.root / "rag-eval-results/summary.md").read_text("utf-8")
    assert ended.summary == written + "\n"
    assert "pull_request #7 into main at aaaaaaa" in ended.log
    assert "::error" not in ended.log


def test_the_results_name_the_head_of_the_pull_request(team):
    team.action(spec=SPEC, out="there")

    found = json.loads((team.root / "there/results.json").read_text("utf-8"))
    assert found["commit"] == HEAD


def test_a_failed_gate_is_an_annotation_on_its_line(team):
    team.changed("recall@5: {min: 0.85}", "recall@5: {min: 0.99}")
    lines = (team.root / SPEC).read_text("utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "recall@5: {min" in text)

    ended = team.action(spec=SPEC)

    assert ended.exit == 1
    assert (ended.outputs["verdict"], ended.outputs["gates-failed"]) == ("failed", "1")
    assert f"::error file={SPEC},line={line},title=helpdesk%3A recall@5" in ended.log


@pytest.mark.parametrize(
    ("loosened", "status"), [("fail", 1), ("warn", 0), ("ignore", 0)]
)
def test_a_change_that_lowers_its_own_bar_does_what_is_asked(team, loosened, status):
    shutil.copytree(team.root / "specs", team.root / ".base/specs")
    team.changed("recall@5: {min: ", "recall@5: {min: 0.1 } # ")

    ended = team.action(spec=SPEC, args="--before .base", loosened=loosened)

    assert (ended.exit, ended.outputs["verdict"]) == (
        status,
        "failed" if status else "passed",
    )
    assert ("loosens what judges it" in ended.log) == (loosened != "ignore")


@pytest.mark.parametrize("fail_on", ["never", "error"])
def test_a_verdict_that_does_not_gate_is_still_told(team, fail_on):
    team.changed("recall@5: {min: 0.85}", "recall@5: {min: 0.99}")

    ended = team.action(spec=SPEC, **{"fail-on": fail_on})

    assert (ended.exit, ended.outputs["verdict"]) == (0, "failed")


def test_an_endpoint_that_is_down_is_no_verdict(team):
    team.changed("timeout: 30s", "timeout: 1s")

    ended = team.action(spec=SPEC, url=DOWN)

    names = ("verdict", "exit-code", "cases-errors", "cases-not-asked")
    told = [ended.outputs[name] for name in names]
    assert (ended.exit, told) == (3, ["error", "3", "0", "59"])
    assert "not evaluated" in ended.summary


def test_a_mistake_in_the_spec_is_shown_on_its_line(team):
    team.changed("thresholds:\n", "thresholds:\n  recal@5: {min: 0.5}\n")

    ended = team.action(spec=SPEC)

    assert (ended.exit, ended.outputs) == (2, {**action.NOTHING, "exit-code": "2"})
    assert f"::error file={SPEC},line=" in ended.log
    assert "not evaluated" in ended.summary


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "input spec: it is needed"),
        ({"spec": "nothing/*.yaml"}, "input spec: nothing/*.yaml matches no file"),
        ({"spec": "/Specs/*.yaml"}, "input spec: /Specs/*.yaml is no path within"),
        ({"spec": "specs/quickstar.yaml"}, "specs/quickstar.yaml: is not there"),
        ({"spec": "../x.yaml"}, "leads out of the workspace"),
        ({"spec": SPEC, "out": "../there"}, "inside the workspace"),
        ({"spec": SPEC, "out": "/no/such/there"}, "inside the workspace"),
        ({"spec": SPEC, "args": "--help"}, "input args: help is no run"),
        ({"spec": SPEC, "args": "--lmit 3"}, "input args: No such option '--lmit'"),
        ({"spec": SPEC, "args": "more.yaml"}, "unexpected extra argument (more.yaml)"),
        ({"spec": SPEC, "args": "--limit"}, "'--limit' requires an argument"),
        ({"spec": SPEC, "baseline": "nowhere"}, "nowhere/results.json: no results"),
    ],
)
def test_a_wrong_input_is_never_green(team, inputs, said):
    ended = team.action(**inputs)

    assert (ended.exit, ended.outputs["verdict"]) == (2, "error")
    assert said in ended.log


def test_arguments_reach_the_run_and_are_not_read_twice(team):
    twice = f"{SPEC}\n./{SPEC}"
    ended = team.action("--limit", "3", spec=twice, args="--limit 3 --quiet")

    assert (ended.exit, ended.outputs["cases-total"]) == (1, "3")
    assert "asked 3 of 3" not in ended.log


def test_of_several_specs_each_is_run_and_the_worst_decides(team):
    team.changed("recall@5: {min: 0.85}", "recall@5: {min: 0.99}", "specs/strict.yaml")
    (team.root / "specs/wrong.yaml").write_text("name: x\n")

    ended = team.action(spec="specs/wrong.yaml\nspecs/[qs]*.yaml", out="out")

    counts = [ended.outputs[name] for name in ("cases-total", "gates-failed")]
    assert (ended.exit, counts) == (2, ["118", "1"])
    assert ended.summary.count("RAG eval") >= 3
    assert sorted(
        path.parent.relative_to(team.root).as_posix()
        for path in team.root.glob("out/**/results.json")
    ) == ["out/specs/quickstart", "out/specs/strict"]


def test_a_host_that_is_not_allowed_is_refused_on_its_line(team):
    ended = team.action(spec=SPEC, **{"allowed-hosts": "rag.example\n*.example:443"})

    assert (ended.exit, ended.outputs["verdict"]) == (2, "error")
    assert re.search(
        rf"::error file={SPEC},line=\d+,title=Mistake::.*endpoint\.url: "
        r"127\.0\.0\.1:\d+ is not among the allowed hosts",
        ended.log,
    )


def test_a_host_of_the_baseline_that_is_not_allowed_is_refused_on_its_line(team):
    text = (team.root / SPEC).read_text("utf-8")
    live = 'baseline: {endpoint: {url: "http://live.example/rag"}}\n'
    (team.root / SPEC).write_text(f"{text}\n{live}", "utf-8")

    allowed = team.url.rpartition("/")[2]
    ended = team.action(spec=SPEC, **{"allowed-hosts": allowed})

    assert (ended.exit, ended.outputs["verdict"]) == (2, "error")
    assert re.search(
        rf"::error file={SPEC},line=\d+,title=Mistake::.*baseline\.endpoint\.url: "
        r"live\.example:80 is not among the allowed hosts",
        ended.log,
    )


def test_an_allowed_host_is_asked(team):
    ended = team.action(spec=SPEC, **{"allowed-hosts": team.url.rpartition("/")[2]})

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")


def test_a_service_that_is_elsewhere_is_named_in_log_and_report(team):
    port = team.url.rpartition(":")[2]
    # Nothing listens at this address of loopback, and the service does at another.
    there = f"http://127.0.0.9:{port}"

    ended = team.action(spec=SPEC, url=there, **{"host-gateway": "127.0.0.1"})

    told = (
        f"127.0.0.9:{port} is not inside of the action's container; the service was "
        f"reached at 127.0.0.1:{port}"
    )
    written = json.loads((team.root / "rag-eval-results/results.json").read_text())
    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert told in written["notices"]
    assert told in " ".join(ended.log.split())
    assert f"reached at `127.0.0.1:{port}`" in ended.summary


def test_where_nothing_answers_the_log_says_what_to_change(team):
    team.changed("timeout: 30s", "timeout: 1s")

    ended = team.action(spec=SPEC, url=DOWN, **{"host-gateway": "127.0.0.9"})

    said = " ".join(ended.log.split())
    assert (ended.exit, ended.outputs["verdict"]) == (3, "error")
    assert "port 9 was tried at 127.0.0.1 (refused), 127.0.0.9 (refused)" in said
    assert "let the service listen on 0.0.0.0" in said


def test_nothing_is_started_in_the_container(team):
    team.changed("endpoint:\n", "endpoint:\n  start: {command: python server.py}\n")

    ended = team.action(spec=SPEC)

    assert ended.exit == 2
    assert "start it in a step before, `run: python server.py &`" in ended.log


def test_a_baseline_is_compared_with(team):
    team.action(spec=SPEC, out="then")
    team.changed("url: ${RAG_URL:-http://127.0.0.1:9000}/rag", "url: ${RAG_URL}/rag")

    ended = team.action(spec=SPEC, baseline="then")

    now = json.loads((team.root / "rag-eval-results/results.json").read_text("utf-8"))
    assert (ended.exit, now["comparison"]["pairs"]) == (0, 59)


# Whose spec it is, and without secrets.

BEARER = "headers: {Authorization: 'Bearer ${RAG_TOKEN}'}"


def needing_a_secret(team):
    team.changed("endpoint:\n", f"endpoint:\n  {BEARER}\n")


def test_a_fork_without_secrets_is_skipped_and_never_green(team):
    needing_a_secret(team)
    team.fork()
    team.environ |= {"GITHUB_ACTION_REPOSITORY": "org/eval", "GITHUB_ACTION_REF": "v1"}

    ended = team.action(spec=SPEC)

    told = [ended.outputs[name] for name in ("verdict", "passed", "exit-code")]
    folder = team.root / "rag-eval-results"
    written = json.loads((folder / "results.json").read_text("utf-8"))
    notices = re.findall(r"^::notice .*$", ended.log, re.MULTILINE)
    page = "https://github.com/org/eval/blob/v1/docs/forks.md"
    assert (ended.exit, told) == (0, ["skipped", "false", "0"])
    assert (ended.outputs["cases-total"], ended.outputs["cases-passed"]) == ("0", "0")
    assert (written["verdict"], written["commit"]) == ("skipped", HEAD)
    assert "## ➖ RAG eval helpdesk: skipped" in ended.summary
    assert "`RAG_TOKEN` is missing: a pull request from a fork" in ended.summary
    assert len(notices) == 1
    assert re.match(
        rf"::notice file={SPEC},line=\d+,title=RAG eval skipped::", *notices
    )
    assert notices[0].endswith(f"What a fork can be evaluated with: {page}")
    assert "::error" not in ended.log
    assert "<skipped" in (folder / "junit.xml").read_text("utf-8")
    texts = [path.read_text("utf-8") for path in folder.iterdir() if path.is_file()]
    assert not any("passed" in text and "✅" in text for text in texts)


def test_dependabot_without_secrets_is_skipped(team):
    needing_a_secret(team)
    team.environ["GITHUB_ACTOR"] = "dependabot[bot]"

    ended = team.action(spec=SPEC)

    assert (ended.exit, ended.outputs["verdict"]) == (0, "skipped")
    assert "to the secrets of Dependabot" in ended.log


def test_a_missing_variable_is_a_mistake_anywhere_else(team):
    needing_a_secret(team)

    ended = team.action(spec=SPEC)

    assert (ended.exit, ended.outputs["verdict"]) == (2, "error")
    assert "RAG_TOKEN is missing or empty" in ended.log


def test_a_mistake_beside_what_is_missing_is_one_for_a_fork_too(team):
    needing_a_secret(team)
    team.changed("thresholds:\n", "thresholds:\n  recal@5: {min: 0.5}\n")
    team.fork()

    ended = team.action(spec=SPEC)

    assert (ended.exit, ended.outputs["verdict"]) == (2, "error")


def test_a_fork_is_evaluated_where_nothing_is_missing(team):
    team.fork()

    ended = team.action(spec=SPEC)

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")


def test_one_spec_that_was_skipped_makes_no_other_pass(team):
    team.changed("endpoint:\n", f"endpoint:\n  {BEARER}\n", "specs/secret.yaml")
    team.fork()

    ended = team.action(spec=f"{SPEC}\nspecs/secret.yaml")

    assert (ended.exit, ended.outputs["verdict"]) == (0, "skipped")
    assert ended.outputs["cases-passed"] == "54"


@pytest.mark.parametrize(
    ("checked_out", "trusting", "status"),
    [
        (HEAD, "false", 2),
        (None, "false", 2),
        ("c" * 40, "false", 0),
        (HEAD, "true", 0),
    ],
)
def test_a_fork_s_spec_is_given_no_secrets(team, checked_out, trusting, status):
    team.fork("pull_request_target")
    team.environ |= {"GITHUB_SHA": "c" * 40, "GITHUB_TOKEN": ""}
    if checked_out:
        team.checked_out(checked_out)

    ended = team.action(spec=SPEC, **{"allow-untrusted-spec": trusting})

    assert ended.exit == status
    assert ("hands this repository's secrets to a spec" in ended.log) == (status == 2)
    assert (team.root / "rag-eval-results").exists() == (status == 0)


@pytest.mark.parametrize("way", ["command: touch started", "python: 'started:answer'"])
def test_no_program_and_no_function_is_run_in_the_container(team, way):
    (team.root / "specs/started.py").write_text("open('started', 'w')")
    spec = f"endpoint: {{{way}}}\ncases: cases/helpdesk.yaml\n"
    (team.root / SPEC).write_text(spec, "utf-8")

    ended = team.action(spec=SPEC)

    assert ended.exit == 2
    assert "is not run inside of the action's container" in ended.log
    assert "or serve it over HTTP and write url" in ended.log
    assert not list(team.root.rglob("started"))


def test_nothing_is_started_for_a_fork_whatever_is_allowed(team):
    team.changed("endpoint:\n", "endpoint:\n  start: {command: touch started}\n")
    team.fork("pull_request_target")
    team.checked_out(HEAD)

    ended = team.action(spec=SPEC, **{"allow-untrusted-spec": "true"})

    assert ended.exit == 2
    assert "nothing is started inside of the action's container" in ended.log
    assert not (team.root / "started").exists()

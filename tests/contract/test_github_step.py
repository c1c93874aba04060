"""A step of a workflow and its comment: told last, and never more than told."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from runner import action, progress
from runner.github.comment import Marker
from runner.session import RunOptions, World
from runner.settings import REMEDIES
from tests.contract._github.clients import TOKEN
from tests.contract._github.contract import payload
from tests.contract._github.server import BASE, HEAD, Token, a_pull
from tests.program import outputs

ROOT = Path(__file__).parents[2]
SPEC, OTHER = "evals/a.yaml", "evals/b.yaml"
MERGE = "c" * 40
LIST = "GET /repos/org/bot/issues/7/comments"
POST = "POST /repos/org/bot/issues/7/comments"
CASES = """\
- {id: trial, question: "How long is the trial?", must_include: ["14 days"]}
- {id: seats, question: "How many seats are there?", must_include: ["25 seats"]}
"""
TEXT = """\
name: NAME
endpoint:
  url: http://localhost:9/rag
  body: {query: "{{ question }}"}
  response: {contexts: null, citations: null}
cases: cases.yaml
thresholds: {accuracy: {min: 0.9}}
"""
RIGHT = {"trial": "It lasts 14 days.", "seats": "It has 25 seats."}


class SpecResult(NamedTuple):
    exit: int
    log: str
    outputs: dict
    summary: str
    annotations: list


class Team:
    """A repository with two specs, whose replies are recorded, and its workflow."""

    def __init__(self, folder, github):
        self.root, self.files, self.github = folder / "work", folder / "files", github
        (self.root / "evals").mkdir(parents=True)
        self.files.mkdir()
        (self.root / "evals/cases.yaml").write_text(CASES)
        for spec in (SPEC, OTHER):
            text = TEXT.replace("NAME", Path(spec).stem)
            (self.root / spec).write_text(text)
        self.event = payload("pull_request")
        pull = self.event["pull_request"]
        pull["number"] = self.event["number"] = 7
        pull["head"] |= {"sha": HEAD, "ref": "topic"}
        for side in ("head", "base"):
            pull[side]["repo"]["full_name"] = "org/bot"
        del pull["base"]["sha"]  # nothing is held against what was before
        self.environ = {}

    def reply(self, **answers):
        lines = [
            {
                "case_id": case,
                "response": {"answer": answer, "contexts": None, "citations": None},
                "latency_s": 0.1,
            }
            for case, answer in {**RIGHT, **answers}.items()
        ]
        text = "\n".join(map(json.dumps, lines))
        (self.root / "replies.jsonl").write_text(text)

    def parse(self, words):
        spec = Path(words[-1])
        return RunOptions(spec=spec, out=spec, replay=self.root / "replies.jsonl")

    def given(self, *, run=1, specs=(SPEC,), token=TOKEN, **inputs):
        """Give the environment of a step; its files are empty."""
        event, outputs, summary = (
            self.files / name for name in ("event.json", "outputs", "summary")
        )
        event.write_text(json.dumps(self.event))
        for file in (outputs, summary):
            file.write_text("")
        return {
            "GITHUB_API_URL": self.github.url,
            "GITHUB_GRAPHQL_URL": f"{self.github.url}/graphql",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "org/bot",
            "GITHUB_WORKFLOW_REF": "org/bot/.github/workflows/e.yml@refs/pull/7/merge",
            "GITHUB_JOB": "evaluate",
            "GITHUB_RUN_ID": f"9{run}",
            "GITHUB_RUN_NUMBER": str(run),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_SHA": MERGE,
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(summary),
            "INPUT_SPEC": "\n".join(specs),
            "INPUT_TOKEN": token,
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
            **self.environ,
        }

    def step(self, **given):
        if not (self.root / "replies.jsonl").exists():
            self.reply()
        environ = self.given(**given)
        world = World(
            self.root, self.root, ROOT / "templates", environ, progress.silent
        )
        log = []
        status = action.run(environ, world, self.parse, log.append)
        told = [
            line for line in log if line.startswith("::") and "stop-com" not in line
        ]
        return SpecResult(
            status,
            "\n".join(log),
            outputs((self.files / "outputs").read_text("utf-8")),
            (self.files / "summary").read_text("utf-8"),
            told,
        )


@pytest.fixture
def team(tmp_path, github):
    return Team(tmp_path, github)


def about_the_comment(ended):
    return {name: value for name, value in ended.outputs.items() if "comment" in name}


def test_the_first_push_makes_the_comment_and_the_second_renews_it(github, team):
    first = team.step()

    [made] = github.bodies
    marker, text = made.split("\n", 1)
    written = (team.root / "rag-eval-results/comment.md").read_text("utf-8")
    assert Marker.read(marker)[1:] == (1, 1, HEAD, ())
    assert text == written
    assert about_the_comment(first) == {
        "comment-id": "101",
        "comment-url": "https://github.com/org/bot/pull/7#issuecomment-101",
        "comment-written": "true",
    }

    team.reply(trial="I do not know.")
    second = team.step(run=2)

    assert (first.exit, second.exit) == (0, 1)
    assert len(github.bodies) == 1
    assert Marker.read(github.bodies[0])[1:] == (2, 1, HEAD, ())
    assert "❌ RAG eval a: 1 of" in github.bodies[0]
    assert about_the_comment(second) == about_the_comment(first)
    assert len(github.calls) <= 12


def test_everything_else_is_told_before_the_comment(github, team):
    seen = {}

    def look():
        seen["outputs"] = outputs((team.files / "outputs").read_text("utf-8"))
        seen["summary"] = (team.files / "summary").read_text("utf-8")
        seen["results"] = (team.root / "rag-eval-results/results.json").is_file()

    github.expect("POST /graphql", before=look)
    team.reply(trial="I do not know.")

    ended = team.step()

    assert seen["outputs"]["verdict"] == "failed"
    assert seen["summary"] == ended.summary
    assert seen["results"]


def test_a_mistake_in_the_spec_replaces_what_was_green(github, team):
    team.step()
    with (team.root / SPEC).open("a") as file:
        file.write("thresholds: {recal@5: {min: 0.9}}\n")

    ended = team.step(run=2)

    assert ended.exit == 2
    assert "🚫 RAG eval `evals/a.yaml`: not evaluated" in github.bodies[0]
    assert "evals/a.yaml:8" in github.bodies[0]


def test_each_spec_has_a_comment_of_its_own(github, team):
    team.reply(seats="It has none.")

    first = team.step(specs=(SPEC, OTHER))
    second = team.step(specs=(OTHER, SPEC), run=2)

    assert [each.split("\n")[1] for each in github.bodies] == [
        "## ❌ RAG eval a: 1 of 2 gates failed",
        "## ❌ RAG eval b: 1 of 2 gates failed",
    ]
    assert first.outputs["comment-id"] == "101\n102"
    assert second.outputs["comment-id"] == "102\n101"
    assert first.outputs["results-json"] == (
        "rag-eval-results/evals/a/results.json\nrag-eval-results/evals/b/results.json"
    )
    assert set(json.loads(first.outputs["score-json"])) == {SPEC, OTHER}


def test_what_was_measured_is_an_output(team):
    ended = team.step()

    assert json.loads(ended.outputs["score-json"])["accuracy"] == 1.0
    assert ended.outputs["passed"] == "true"
    assert ended.outputs["report-html"] == "rag-eval-results/report.html"
    assert ended.outputs["junit-xml"] == "rag-eval-results/junit.xml"
    assert ended.outputs["baseline-found"] == "false"


def test_a_key_tells_the_legs_of_a_matrix_apart(github, team):
    for leg in ("[1, a]", "[1, b]"):
        team.step(**{"comment-key": leg})

    assert len(github.bodies) == 2
    assert github.bodies[0].split("\n")[0] != github.bodies[1].split("\n")[0]


def test_legs_of_a_matrix_without_a_key_are_told_of_it(github, team):
    team.step()
    team.reply(trial="I do not know.")

    ended = team.step()

    assert len(github.bodies) == 1
    assert ended.annotations[-1] == (
        "::notice title=The comment in the pull request::another step or job of this "
        "run had written it (tell them apart by the input comment-key)"
    )


@pytest.mark.parametrize("answer", ["It lasts 14 days.", "I do not know."])
def test_a_token_that_may_only_read_leaves_all_but_the_comment(github, team, answer):
    team.reply(trial=answer)
    written = team.step()
    github.comments.clear()
    github.tokens[TOKEN] = Token(may_write=False)

    ended = team.step()

    assert (ended.exit, ended.outputs["verdict"]) == (
        written.exit,
        written.outputs["verdict"],
    )
    assert ended.summary.split("<sub>")[0] == written.summary.split("<sub>")[0]
    assert github.bodies == []
    assert ended.annotations[-1] == (
        "::warning title=No comment in the pull request::the token may not write (403: "
        f"Resource not accessible by integration) ({REMEDIES['ours']})"
    )


@pytest.mark.parametrize("head", ["someone/bot", None])
def test_a_fork_costs_no_call_and_gets_one_notice(github, team, head):
    repository = team.event["pull_request"]["head"]["repo"]
    team.event["pull_request"]["head"]["repo"] = (
        None if head is None else {**repository, "full_name": head}
    )

    ended = team.step()

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert "✅ RAG eval a" in ended.summary
    assert github.calls == []
    assert about_the_comment(ended) == {
        "comment-id": "",
        "comment-url": "",
        "comment-written": "false",
    }
    [notice] = ended.annotations
    assert notice == (
        "::notice title=No comment in the pull request::the pull request is from a "
        f"fork ({REMEDIES['fork']})"
    )


@pytest.mark.parametrize("may_write", [False, True])
def test_a_fork_of_a_private_repository_may_have_been_let_write(
    github, team, may_write
):
    pull = team.event["pull_request"]
    pull["head"]["repo"] = None
    pull["base"]["repo"]["private"] = True
    github.tokens[TOKEN] = Token(may_write=may_write)

    ended = team.step()

    assert (ended.exit, len(github.bodies)) == (0, may_write)
    told = "".join(ended.annotations)
    assert (REMEDIES["fork"] in told) != may_write


@pytest.mark.parametrize("may_write", [False, True])
def test_dependabot_may_have_been_let_write(github, team, may_write):
    team.environ["GITHUB_ACTOR"] = "dependabot[bot]"
    github.tokens[TOKEN] = Token(may_write=may_write)

    ended = team.step()

    assert (ended.exit, len(github.bodies)) == (0, may_write)
    told = "".join(ended.annotations)
    assert ("::notice title=No comment in the pull request" in told) != may_write
    assert (REMEDIES["dependabot"] in told) != may_write


def test_without_a_token_all_but_the_comment_is_there(github, team):
    ended = team.step(token="")

    assert (ended.exit, github.calls) == (0, [])
    assert "✅ RAG eval a" in ended.summary
    assert "there is no token" in ended.annotations[0]


@pytest.mark.parametrize(
    ("comment", "answer", "made"),
    [
        ("always", RIGHT["trial"], True),
        ("failure", RIGHT["trial"], False),
        ("failure", "I do not know.", True),
        ("change", RIGHT["trial"], True),  # without a baseline nobody knows
        ("change", "I do not know.", True),
        ("never", "I do not know.", False),
    ],
)
def test_a_comment_is_made_when_it_is_asked_for(github, team, comment, answer, made):
    team.reply(trial=answer)

    ended = team.step(comment=comment)

    assert len(github.bodies) == made
    assert ended.annotations == [] or "No comment" not in ended.annotations[-1]


def test_a_comment_on_failure_turns_green_when_it_is_mended(github, team):
    team.reply(trial="I do not know.")
    team.step(comment="failure")
    team.reply()

    team.step(comment="failure", run=2)

    assert "✅ RAG eval a" in github.bodies[0]


@pytest.mark.parametrize(
    ("answer", "made"), [(RIGHT["trial"], False), ("I do not know.", True)]
)
def test_a_comment_on_change_is_held_against_the_baseline(github, team, answer, made):
    (team.root / SPEC).write_text(TEXT.replace("0.9", "0.1"))
    team.step(comment="never", out="then")
    team.reply(trial=answer)

    ended = team.step(comment="change", baseline="then")

    assert (ended.exit, len(github.bodies)) == (0, made)
    assert ended.outputs["baseline-found"] == "true"


def test_a_token_that_github_does_not_know_changes_no_verdict(team):
    ended = team.step(token="ghs_notthisone0123456789")  # noqa: S106 - made up

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert "GitHub does not know the token" in ended.annotations[-1]
    assert "notthisone" not in ended.log + ended.summary


def test_a_pull_request_that_was_merged_meanwhile_gets_none(github, team):
    github.pulls[7] = a_pull(7, state="closed")

    ended = team.step()

    assert (ended.exit, github.bodies, ended.annotations) == (0, [], [])
    assert "no comment: pull request #7 is closed" in ended.log


def test_no_secret_of_the_step_is_in_the_comment(github, team):
    team.environ["SOME_API_KEY"] = "hunter2-hunter2"
    team.reply(trial="The key is hunter2-hunter2.")

    team.step()

    assert "The key is ***." in github.bodies[0]
    assert TOKEN not in github.bodies[0]


def test_a_secret_never_breaks_the_line_by_which_the_comment_is_found(github, team):
    team.environ["SOME_API_KEY"] = "rag-eval-action"

    team.step()
    team.step(run=2)

    assert len(github.bodies) == 1


@pytest.mark.parametrize("right", [True, False])
def test_results_of_an_older_commit_say_so(github, team, right):
    github.pulls[7] = a_pull(7, "d" * 40)
    if not right:
        (team.root / SPEC).write_text("name: a\n")

    team.step()

    [body] = github.bodies
    assert Marker.read(body).head == HEAD
    assert "These results are of [`aaaaaaa`](" in body
    assert "; the pull request is now at [`ddddddd`](" in body


def test_a_token_that_cannot_be_one_changes_no_verdict(team):
    ended = team.step(token="“token”")  # noqa: S106 - made up

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert "the token has characters that no token has" in ended.annotations[-1]


def test_outputs_that_cannot_be_written_at_last_change_no_verdict(github, team):
    file = team.files / "outputs"

    def replace():
        file.unlink()
        file.mkdir()

    github.expect(POST, before=replace)

    environ = team.given()
    team.reply()
    world = World(team.root, team.root, ROOT / "templates", environ, progress.silent)
    log = []
    status = action.run(environ, world, team.parse, log.append)

    assert (status, len(github.bodies)) == (0, 1)
    assert "GITHUB_OUTPUT: cannot be written: Is a directory" in "\n".join(log)


def test_a_push_comments_in_the_pull_request_that_is_at_it(github, team):
    team.environ["GITHUB_EVENT_NAME"] = "push"
    team.event = {**payload("push"), "after": BASE}
    github.pulls[9] = a_pull(9, BASE)

    ended = team.step()

    assert ended.outputs["comment-url"].endswith("/pull/9#issuecomment-101")
    assert len(github.calls) <= 6


def test_a_push_without_a_pull_request_is_no_matter(github, team):
    team.environ["GITHUB_EVENT_NAME"] = "push"
    team.event = {**payload("push"), "after": "d" * 40}

    ended = team.step()

    assert (ended.exit, ended.annotations, github.bodies) == (0, [], [])


@pytest.mark.e2e
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_step_says_so_above_what_each_spec_had(github, team, number):
    team.step(specs=(SPEC, OTHER))
    before = github.bodies
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for spec in (SPEC, OTHER):
            path = team.root / spec
            path.write_text(path.read_text().replace("http://localhost:9", url))
        process = subprocess.Popen(
            [sys.executable, "-m", "runner", "action"],
            cwd=team.root,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "GITHUB_WORKSPACE": str(team.root),
                **team.given(specs=(SPEC, OTHER), run=2),
            },
        )
        silent.settimeout(60)
        asking, _ = silent.accept()
        with asking:
            process.send_signal(number)
            status = process.wait(30)

    banner = "> ⏹️ Run 2 was cancelled; the results below are of run 1.\n\n"
    assert status == 130
    assert github.bodies == [
        "\n".join([marker, banner + text])
        for marker, text in (body.split("\n", 1) for body in before)
    ]
    assert outputs((team.files / "outputs").read_text("utf-8"))["exit-code"] == "130"

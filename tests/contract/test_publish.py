"""Two workflows for forks: docs/workflows, both steps run as GitHub would run them.

The steps take their inputs from those very files; only what GitHub does between them,
the artifact, is a copy of a folder here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from runner import files
from runner.github._marker import Marker, after
from tests.contract._github.clients import TOKEN
from tests.contract._github.contract import event_faults, payload
from tests.contract._github.server import HEAD, Token, a_pull
from tests.program import outputs
from tests.unit.test_render_hostile import (
    BECOMES_SOMETHING,
    harmless,
    markdown,
    report_of,
    shape,
    strings,
)

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
OWN = "org/rag-eval-action@"
NEXT = "c" * 40
RUN = 4711  # the id of the run that evaluates


def steps(name):
    """Give the steps of a documented workflow, by what they use."""
    workflow = files.read_document(ROOT / "docs/workflows" / name, root=ROOT).data
    [job] = workflow["jobs"].values()
    return {step["uses"].partition("@")[0]: step for step in job["steps"]}


def own(name):
    return steps(name)[OWN.rstrip("@")]


class SpecResult(NamedTuple):
    exit: int
    log: str
    outputs: dict
    summary: str


def run(root, event, inputs, **environ):
    """Run the step of the action in a workspace."""
    there = root.parent / f"{root.name}-files"
    there.mkdir(exist_ok=True)
    paths = {name: there / name for name in ("event", "output", "step_summary")}
    for path in paths.values():
        path.write_text("")
    paths["event"].write_text(json.dumps(event))
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GITHUB_", "INPUT_", "CI"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "runner", "action"],
        cwd=root,
        env={
            **kept,
            "PYTHONPATH": str(ROOT),
            "GITHUB_WORKSPACE": str(root),
            "GITHUB_REPOSITORY": "org/bot",
            "GITHUB_JOB": "publish",
            "GITHUB_EVENT_PATH": str(paths["event"]),
            "GITHUB_OUTPUT": str(paths["output"]),
            "GITHUB_STEP_SUMMARY": str(paths["step_summary"]),
            **{f"INPUT_{name.upper()}": str(value) for name, value in inputs.items()},
            **environ,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return SpecResult(
        done.returncode,
        done.stdout,
        outputs(paths["output"].read_text("utf-8")),
        paths["step_summary"].read_text("utf-8"),
    )


def opened():
    """Give the event of a pull request from a fork."""
    event = payload("pull_request")
    event["action"] = "synchronize"
    event |= {"before": "0" * 40, "after": HEAD, "number": 7}
    event["pull_request"]["number"] = 7
    event["pull_request"]["head"]["sha"] = HEAD
    event["pull_request"]["head"]["repo"]["full_name"] = "someone/bot"
    return event


def completed(head=HEAD):
    """Give the event of the run that evaluated it."""
    event = payload("workflow_run")
    triggered = event["workflow_run"]
    triggered |= {"id": RUN, "event": "pull_request", "pull_requests": []}
    triggered |= {"head_sha": head, "head_branch": "topic"}
    triggered["head_repository"]["full_name"] = "someone/bot"
    triggered["head_repository"]["owner"]["login"] = "someone"
    event["repository"]["full_name"] = "org/bot"
    event["repository"]["private"] = False
    return event


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory, service):
    """The artifact that the first workflow uploads, and how its step ended."""
    root = tmp_path_factory.mktemp("evaluate") / "work"
    shutil.copytree(ROOT / "specs", root / "evals")
    step = own("evaluate.yml")
    (root / "evals/quickstart.yaml").rename(root / step["with"]["spec"])
    ended = run(
        root,
        opened(),
        {"token": "no-token-of-a-fork-writes", **step["with"]},
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_API_URL="http://127.0.0.1:9",
        **dict.fromkeys(step["env"], service),
    )
    upload = steps("evaluate.yml")["actions/upload-artifact"]["with"]
    return root / upload["path"], ended


@pytest.fixture
def publish(github, evaluated, tmp_path):
    """Run the second workflow's step on an artifact, which a test may change."""
    number = 0

    def start(head=HEAD, change=None):
        nonlocal number
        number += 1
        root = tmp_path / f"work-{number}"
        download = steps("publish.yml")["actions/download-artifact"]["with"]
        shutil.copytree(evaluated[0], root / download["path"])
        path = root / download["path"] / "results.json"
        results = json.loads(path.read_text("utf-8")) | {"commit": head}
        path.write_text(json.dumps(change(results) if change else results), "utf-8")
        return run(
            root,
            completed(head),
            {"token": TOKEN, **own("publish.yml")["with"]},
            GITHUB_EVENT_NAME="workflow_run",
            GITHUB_SHA="d" * 40,
            GITHUB_API_URL=github.url,
            GITHUB_GRAPHQL_URL=f"{github.url}/graphql",
            GITHUB_SERVER_URL="https://github.com",
            GITHUB_RUN_NUMBER=str(number),
            GITHUB_RUN_ID="99",
        )

    github.pulls[7] = a_pull(7, label="someone:topic")
    return start


def test_the_events_are_such_as_github_sends():
    assert event_faults("pull_request$synchronize", opened()) == []
    assert event_faults("workflow_run$completed", completed()) == []


def test_the_workflows_hand_on_one_artifact():
    upload = steps("evaluate.yml")["actions/upload-artifact"]["with"]
    download = steps("publish.yml")["actions/download-artifact"]["with"]

    assert upload["name"] == download["name"]
    assert download["path"] == own("publish.yml")["with"]["publish"]


def test_the_second_workflow_waits_for_the_first():
    first, second = (
        files.read_document(ROOT / "docs/workflows" / name, root=ROOT).data
        for name in ("evaluate.yml", "publish.yml")
    )

    assert second["on"]["workflow_run"]["workflows"] == [first["name"]]
    assert not any("checkout" in used for used in steps("publish.yml"))


def test_the_first_comments_nowhere_and_has_the_verdict(evaluated):
    folder, ended = evaluated

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert (folder / "results.json").is_file()
    assert ended.outputs["comment-written"] == "false"
    assert "no comment: the input comment is never" in ended.log


def test_a_fork_gets_its_comment_and_the_next_push_renews_it(github, publish):
    first = publish()
    [comment] = github.bodies
    github.pulls[7]["head"]["sha"] = NEXT
    second = publish(NEXT)

    [renewed] = github.bodies
    assert (first.exit, second.exit) == (0, 0)
    assert Marker.read(comment).head == HEAD
    assert Marker.read(renewed).head == NEXT
    # The first workflow found no API here, so it could not read the base commit.
    assert after(comment).startswith("## ⚠️ RAG eval helpdesk: passed with 1 warning")
    assert f"/org/bot/actions/runs/{RUN}" in comment
    assert "nobody else has checked what it says" in comment
    assert first.outputs["verdict"] == "passed"
    assert first.outputs["comment-written"] == "true"
    assert "RAG eval helpdesk" in first.summary


def test_a_failed_run_is_told_and_does_not_fail_the_second_workflow(github, publish):
    ended = publish(change=lambda results: {**results, "verdict": "failed"})

    assert (ended.exit, ended.outputs["verdict"]) == (0, "failed")
    assert after(github.bodies[0]).startswith("## ❌ RAG eval helpdesk")
    assert "::error" not in ended.log


def test_results_of_others_call_nobody(github, publish):
    def calling(results):
        gate = {"metric": "accuracy", "rule": "min", "outcome": "failed"}
        gate |= {"owner": "@mallory", "message": "low (@mallory)"}
        more = {"verdict": "failed", "owners": ["@mallory"], "gates": [gate]}
        return {**results, **more}

    publish(change=calling)

    [comment] = github.bodies
    assert "mallory" in comment
    assert Marker.read(comment).owners == ()
    assert not re.search("(?<![`\\w])@[A-Za-z]", shape(markdown(comment)).text)


def test_a_branch_of_the_same_name_elsewhere_is_another(github, publish):
    github.pulls = {
        6: a_pull(6, label="org:topic"),
        **github.pulls,
        8: a_pull(8, label="another:topic"),
    }

    publish()

    assert [each["~number"] for each in github.comments] == [7]


@pytest.mark.parametrize("state", ["moved on", "closed", "gone"])
def test_where_the_pull_request_is_elsewhere_by_now_nothing_is_said(
    github, publish, state
):
    if state == "moved on":
        github.pulls[7]["head"]["sha"] = NEXT
    elif state == "closed":
        github.pulls[7]["state"] = "closed"
    else:
        github.pulls = {}

    ended = publish()

    assert (ended.exit, github.bodies) == (0, [])
    assert "no open pull request is at the commit" in ended.log


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        ({"commit": "e" * 40}, "the results are of commit eeeeeee, and the run of"),
        ({"number": 1}, "number: Extra inputs are not permitted"),
    ],
)
def test_what_is_not_the_results_of_this_run_is_not_published(
    github, publish, forged, said
):
    ended = publish(change=lambda results: {**results, **forged})

    assert (ended.exit, github.calls) == (2, [])
    assert said in ended.log


def test_a_token_that_may_not_comment_is_told_with_the_remedy(github, publish):
    github.tokens[TOKEN] = Token(may_write=False)

    ended = publish()

    assert (ended.exit, github.bodies) == (3, [])
    assert "pull-requests: write" in ended.log
    assert ended.outputs["verdict"] == "passed"


def test_the_texts_of_a_stranger_make_no_structure(github, publish):
    def forged(texts):
        report = report_of(texts).model_copy(update={"commit": HEAD})
        publish(change=lambda _: json.loads(report.model_dump_json()))
        return shape(markdown(after(github.comments.pop()["body"])))

    def frame(shape):
        # A path that leads out of the repository gets no link.
        kept = [tag.partition(" ")[0].rstrip(">") for tag in shape.frame]
        return [name for name in kept if name not in ("<a", "</a")]

    expected = forged(harmless())
    for seed in (1, 2, 3):
        found = forged(strings(seed))
        assert frame(found) == frame(expected)
        assert not BECOMES_SOMETHING.search(found.text)
        links = [tag for tag in found.tags if tag.startswith("<a ")]
        assert all("('href', 'https://github.com/org/bot/" in link for link in links)
        assert links

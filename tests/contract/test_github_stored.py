"""Steps whose baseline is kept on GitHub: by whom it is written, and who reads it."""

import json
import os
import subprocess
import sys

import pytest

from runner import files
from tests.contract._github.clients import TOKEN
from tests.contract._github.contract import payload
from tests.contract._github.server import BASE, Token, refused
from tests.contract.test_github_base import Based
from tests.contract.test_github_step import OTHER, ROOT, SPEC, TEXT

BRANCH = "rag-eval-data"
DROP = "{min: 0.1, max_drop: 0.1}"
RED = {"trial": "I do not know."}
MAIN = "d" * 40
KEPT = [f"{SPEC}/{name}" for name in ("cases.jsonl", "history.jsonl", "results.json")]


class Stored(Based):
    """A team whose specs name a branch of data."""

    source = f"branch: {BRANCH}"

    def __init__(self, folder, github):
        super().__init__(folder, github)
        self.pull = self.event
        for spec in (SPEC, OTHER):
            text = TEXT.replace("NAME", spec).replace("{min: 0.9}", DROP)
            (self.root / spec).write_text(f"{text}baseline: {{{self.source}}}\n")
        self.commit()
        github.tokens[TOKEN] = Token(may_push=True)

    def on_main(self, event="push", commit=MAIN, reference="refs/heads/main", **given):
        """Let the workflow run on the default branch."""
        self.environ = {
            "GITHUB_EVENT_NAME": event,
            "GITHUB_REF": reference,
            "GITHUB_SHA": commit,
        }
        told = payload("push") | {"after": commit}
        told["repository"]["default_branch"] = "main"
        self.event = told if event == "push" else {"repository": told["repository"]}
        return self.step(**given)

    def on_pull(self, **given):
        """Let it run for a pull request."""
        self.environ, self.event = {}, self.pull
        return self.step(**given)


@pytest.fixture
def team(tmp_path, github):
    return Stored(tmp_path, github)


def history(github, spec=SPEC):
    lines = github.on(BRANCH)[f"{spec}/history.jsonl"].splitlines()
    return [json.loads(line) for line in lines]


def test_the_first_run_has_none_yet_and_says_what_makes_one(github, team):
    ended = team.on_pull()

    assert (ended.exit, ended.outputs["baseline-found"]) == (0, "false")
    assert "no baseline yet" in github.bodies[0]
    assert "The action makes one in the branch `rag-eval-data`" in github.bodies[0]
    assert BRANCH not in github.branches


def test_a_run_on_the_default_branch_keeps_what_later_ones_are_held_against(
    github, team
):
    first = team.on_main()
    made = github.commits[github.branches[BRANCH]]
    team.reply(**RED)
    github.calls.clear()
    second = team.on_pull()

    assert (first.exit, first.annotations) == (0, [])
    assert (made["message"], made["parents"]) == (
        "Baseline of evals/a.yaml at ddddddd",
        (),
    )
    assert sorted(github.on(BRANCH)) == KEPT
    assert (second.exit, second.outputs["regressions"]) == (1, "1")
    assert "1 regressed since `ddddddd`" in github.bodies[0]
    assert second.outputs["baseline-sha"] == MAIN
    assert second.outputs["baseline-found"] == "true"
    # the base, the branch with its three files, and the comment
    assert len(github.calls) <= 2 + 5 + 6


def test_nothing_of_what_was_asked_and_answered_is_kept(github, team):
    team.on_main()

    text = "".join(github.on(BRANCH).values())
    assert "How long is the trial?" not in text
    assert "14 days" not in text


def test_every_run_there_is_a_line_of_the_history(github, team):
    for number in range(3):
        team.on_main(commit=str(number) * 40)
    github.calls.clear()

    team.on_pull()

    assert [each["commit"][0] for each in history(github)] == ["0", "1", "2"]
    assert team.read().trend["accuracy"] == (1.0,) * 4
    parents = github.commits[github.branches[BRANCH]]["parents"]
    assert len(github.commits[parents[0]]["parents"]) == 1


def test_two_specs_are_kept_in_one_commit(github, team):
    team.on_main(specs=(SPEC, OTHER))

    made = github.commits[github.branches[BRANCH]]
    assert made["message"] == "Baselines of 2 specs at ddddddd"
    assert sorted(github.on(BRANCH)) == [
        *KEPT,
        *(path.replace(SPEC, OTHER) for path in KEPT),
    ]


def test_the_legs_of_a_matrix_are_kept_apart(github, team):
    for leg in ("[1, a]", "[1, b]"):
        team.on_main(**{"comment-key": leg})

    folders = {path.rpartition("/")[0] for path in github.on(BRANCH)}
    assert len(folders) == 2
    assert team.on_pull(**{"comment-key": "[1, a]"}).outputs["baseline-found"] == "true"
    assert team.on_pull(**{"comment-key": "[1, c]"}).outputs["baseline-found"] != "true"


def test_a_failed_run_is_kept_and_one_without_replies_is_not(github, team):
    team.reply(**RED)
    failed = team.on_main(**{"fail-on": "gate"})
    kept = github.branches[BRANCH]
    (team.root / "replies.jsonl").write_text(
        '{"case_id": "trial", "failure": {"cause": "service.timeout", "message": "x"}}'
    )
    broken = team.on_main()

    assert (failed.exit, failed.outputs["verdict"]) == (0, "passed")
    assert (broken.exit, broken.outputs["verdict"]) == (3, "error")
    assert github.branches[BRANCH] == kept


def test_a_part_of_the_cases_is_no_baseline(github, team):
    plain = team.parse
    team.parse = lambda words: plain(words)._replace(
        filters=plain(words).filters._replace(limit=1)
    )

    team.on_main()

    assert BRANCH not in github.branches


@pytest.mark.parametrize(
    ("event", "reference", "writes"),
    [
        ("push", "refs/heads/main", True),
        ("schedule", "refs/heads/main", True),
        ("workflow_dispatch", "refs/heads/main", True),
        ("push", "refs/heads/topic", False),
        ("push", "refs/tags/main", False),
        ("workflow_dispatch", "refs/heads/topic", False),
        ("pull_request_target", "refs/heads/main", False),
        ("workflow_run", "refs/heads/main", False),
        ("issue_comment", "refs/heads/main", False),
    ],
)
def test_only_a_run_on_the_default_branch_writes(
    github, team, event, reference, writes
):
    team.on_main(event, reference=reference)

    assert (BRANCH in github.branches) == writes


def test_another_commit_that_was_checked_out_is_not_kept(github, team):
    (team.root / ".git").mkdir()
    (team.root / ".git/HEAD").write_text("e" * 40)

    ended = team.on_main()

    assert BRANCH not in github.branches
    assert "eeeeeee is checked out, which is not the default branch" in ended.log


def test_a_token_that_may_only_read_is_told_on_the_default_branch(github, team):
    github.tokens[TOKEN] = Token()

    ended = team.on_main()

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    [warning] = ended.annotations
    assert warning.startswith(
        "::warning title=The baseline was not kept::the token may"
    )
    assert "permissions: {contents: write}" in warning


def test_an_older_run_that_ends_later_leaves_the_newer_alone(github, team):
    team.on_main(commit="1" * 40)
    path = f"{SPEC}/results.json"
    kept = {
        name: text.replace('"started": "20', '"started": "29')
        for name, text in github.on(BRANCH).items()
    }
    github.branches[BRANCH] = newer = github.commit(kept)

    team.on_main(commit="2" * 40)

    assert json.loads(github.on(BRANCH)[path])["commit"] == "1" * 40
    assert github.branches[BRANCH] == newer


def test_what_cannot_be_read_lets_no_drop_pass(github, team):
    team.on_main()
    for _ in range(4):
        github.expect("git/ref/heads", instead=refused(403, "Resource not accessible"))

    ended = team.on_pull()

    assert (ended.exit, ended.outputs["verdict"]) == (1, "failed")
    assert "The baseline could not be read" in github.bodies[0]
    assert "the token may not read (403: Resource not accessible" in github.bodies[0]
    assert "no baseline yet" not in github.bodies[0]


def test_without_a_token_nobody_knows_whether_there_is_one(github, team):
    ended = team.on_pull(token="")

    assert ended.exit == 1
    assert "of the branch rag-eval-data, there is no token" in ended.summary
    assert github.calls == []


def test_where_people_work_is_no_place_for_data(github, team):
    for spec in (SPEC, OTHER):
        path = team.root / spec
        path.write_text(path.read_text().replace(BRANCH, "main"))
    github.branches["main"] = before = github.commit({"src.py": "x"})
    team.commit(BASE)

    ended = team.on_main()

    assert github.branches["main"] == before
    assert "main is where pull requests go" in ended.annotations[-1]


def test_a_change_is_held_against_the_branch_that_the_base_names(team):
    team.on_main()
    path = team.root / SPEC
    path.write_text(path.read_text().replace(BRANCH, "mine"))
    team.reply(**RED)

    ended = team.on_pull()

    assert ended.outputs["regressions"] == "1"
    [change] = team.read().yardstick
    assert (change.before, change.after) == ("branch rag-eval-data", "branch mine")


def test_a_damaged_baseline_is_a_mistake(github, team):
    github.branches[BRANCH] = github.commit({f"{SPEC}/results.json": "{"})

    ended = team.on_pull()

    assert ended.exit == 2
    assert "branch rag-eval-data/results.json: is no JSON" in ended.log


def test_a_fork_reads_and_never_writes(github, team):
    team.on_main()
    team.pull["pull_request"]["head"]["repo"]["full_name"] = "someone/bot"
    kept = github.branches[BRANCH]
    github.tokens[TOKEN] = Token(may_write=False)

    assert team.on_pull().outputs["baseline-found"] == "true"
    assert github.branches[BRANCH] == kept


def test_the_documented_workflow_keeps_it(github, team):
    path = ROOT / "docs/workflows/baseline.yml"
    workflow = files.read_document(path, root=ROOT).data
    [job] = workflow["jobs"].values()
    own = next(step for step in job["steps"] if "rag-eval-action" in step["uses"])
    (team.root / own["with"]["spec"]).write_text((team.root / SPEC).read_text())

    ended = team.on_main(specs=(own["with"]["spec"],), comment=own["with"]["comment"])

    assert workflow["on"] == {"push": {"branches": ["main"]}}
    assert job["permissions"] == {"contents": "write"}
    assert ended.annotations == []
    assert f"{own['with']['spec']}/history.jsonl" in github.on(BRANCH)


@pytest.mark.e2e
@pytest.mark.parametrize("has_token", [True, False])
def test_the_command_line_reads_it_where_it_is_told_the_repository(
    github, team, has_token
):
    team.on_main()
    kept = github.branches[BRANCH]
    team.reply(**RED)
    environ = {
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": "org/bot",
        "GITHUB_TOKEN": TOKEN if has_token else "",
        "GH_TOKEN": "",
        "GITHUB_WORKSPACE": str(team.root),
        "PYTHONPATH": str(ROOT),
    }
    words = ("run", SPEC, "--replay", "replies.jsonl", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "runner", *words],
        cwd=team.root,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert ("1 case regressed" in done.stdout) == has_token
    assert ("GITHUB_REPOSITORY and GITHUB_TOKEN" in done.stdout) != has_token
    assert TOKEN not in done.stdout + done.stderr
    assert github.branches[BRANCH] == kept

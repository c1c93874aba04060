"""The comment of real workflows, and of the action's image when a job is cancelled."""

import json
import shutil
import socket
from pathlib import Path
from threading import Thread

import pytest

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server
from runner.github._marker import Marker
from runner.settings import REMEDIES
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import BASE, HEAD, Token
from tests.e2e.test_workflow import EVENT, Done

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = "specs/quickstart.yaml"
NEXT = "c" * 40
WORKFLOW = """\
on: pull_request
permissions: {contents: read, pull-requests: write}
jobs:
  evaluate:
    strategy: {fail-fast: false, matrix: {spec: [SPECS]}}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: org/rag-eval-action@v1
        env: {RAG_URL: "http://there"}
        with: {spec: "${{ matrix.spec }}", args: --quiet}
"""


class Team:
    """A repository with a workflow, on a GitHub that is here."""

    def __init__(self, engine, github, folder, url):
        self.engine, self.github, self.url = engine, github, url
        self.folder, self.root = folder, folder / "team"
        shutil.copytree(ROOT / "specs", self.root / "specs")
        specs = (path for path in self.root.rglob("*") if path.is_file())
        files = {
            path.relative_to(self.root).as_posix(): path.read_bytes() for path in specs
        }
        github.commit(files, sha=BASE)
        (self.root / ".github/workflows").mkdir(parents=True)
        self.must("git", "init", "-q")

    def must(self, *words):
        self.engine.must(*words, cwd=self.root)

    def append(self, text, spec=SPEC, to=SPEC):
        written = (self.root / spec).read_text("utf-8")
        (self.root / to).write_text(written + text, "utf-8")

    def push(self, *specs, run=1, head=HEAD, repository="org/bot"):
        """Let the workflow run for a pull request at a commit."""
        text = WORKFLOW.replace("SPECS", ", ".join(specs or (SPEC,)))
        path = self.root / ".github/workflows/evaluate.yml"
        path.write_text(text.replace("http://there", self.url))
        event = json.loads(json.dumps(EVENT))
        event["pull_request"]["head"] |= {
            "sha": head,
            "repo": {"full_name": repository},
        }
        event["pull_request"]["base"]["sha"] = BASE
        self.github.pulls[7]["head"]["sha"] = head
        (self.folder / "event.json").write_text(json.dumps(event))
        self.must("git", "add", "-A")
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        self.must("git", *who, "commit", "-qm", "Go on", "--allow-empty")
        environ = {
            "GITHUB_REPOSITORY": "org/bot",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_GRAPHQL_URL": f"{self.github.url}/graphql",
            "GITHUB_RUN_NUMBER": str(run),
        }
        done = self.engine.run(
            *("act", "pull_request", "--rm", "-e", self.folder / "event.json"),
            *("-P", "ubuntu-latest=python:3.13-slim", "--pull=false"),
            *("--network", "host", "-s", f"GITHUB_TOKEN={TOKEN}"),
            *(word for pair in environ.items() for word in ("--env", "=".join(pair))),
            *("--local-repository", f"org/rag-eval-action@v1={self.engine.action}"),
            cwd=self.root,
        )
        return Done(done.returncode, done.stdout)


@pytest.fixture
def team(engine, github, service, tmp_path):
    return Team(engine, github, tmp_path, service)


def markers(github):
    return [Marker.read(body) for body in github.bodies]


def test_a_matrix_of_two_specs_has_two_comments_that_the_next_push_renews(github, team):
    team.append("", to="specs/other.yaml")
    first = team.push(SPEC, "specs/other.yaml")
    assert len(github.bodies) == 2, first.log
    begun = {marker.key for marker in markers(github)}
    github.calls.clear()

    second = team.push(SPEC, "specs/other.yaml", run=2, head=NEXT)

    assert (first.exit, second.exit) == (0, 0), second.log
    assert {marker.key for marker in markers(github)} == begun
    assert {marker[1:] for marker in markers(github)} == {(2, 1, NEXT, ())}
    assert not [call for call in github.calls if call.startswith("POST /repos")]
    assert len([call for call in github.calls if "/git/" not in call]) <= 12


def test_a_fork_is_told_once_why_there_is_no_comment(github, team):
    github.tokens[TOKEN] = Token(may_write=False)

    done = team.push(repository="someone/bot")

    assert done.exit == 0, done.log
    assert all("/git/" in call for call in github.calls)
    assert done.log.count(REMEDIES["fork"]) == 1
    assert done.outputs["comment-written"] == "false"
    assert "Summary - ## ✅ RAG eval helpdesk" in done.log


def test_a_token_that_may_only_read_is_told_what_the_job_must_say(github, team):
    github.tokens[TOKEN] = Token(may_write=False)

    done = team.push()

    assert done.exit == 0, done.log
    assert github.bodies == []
    assert REMEDIES["ours"] in done.log
    assert done.outputs["verdict"] == "passed"
    assert TOKEN not in done.log


def test_a_broken_red_line_is_the_headline(github, team):
    desk = Desk(Pipeline(Index(load())), "leak", 0)
    with Server("127.0.0.1", 0, desk) as leaking:
        Thread(target=leaking.serve_forever, args=(0.02,), daemon=True).start()
        team.url = leaking.url
        done = team.push()
        leaking.shutdown()

    assert (done.exit != 0, done.status) == (True, 1), done.log
    assert "❌ RAG eval helpdesk" in github.bodies[0]
    assert "**Isolation broke first.**" in github.bodies[0]


def test_a_change_that_lowers_its_own_bar_is_told(github, team):
    text = (team.root / SPEC).read_text("utf-8")
    (team.root / SPEC).write_text(text.replace("{min: 0.85}", "{min: 0.5}", 1), "utf-8")

    done = team.push()

    assert done.exit == 0, done.log
    assert "### What this change does to its yardstick" in github.bodies[0]
    assert f"base [`{BASE[:7]}`]" in github.bodies[0]


def test_a_run_without_a_baseline_yet_says_how_to_make_one(github, team):
    team.append("\nbaseline: {path: .rag-eval/baseline}\n")

    done = team.push()

    assert done.exit == 0, done.log
    assert "no baseline yet" in github.bodies[0]
    assert "rag-eval baseline save" in github.bodies[0]


def test_a_cancelled_job_says_so_above_the_last_results(engine, github, team, tmp_path):
    team.push()
    [before] = github.bodies
    engine.must("podman", "build", "-q", "-t", "rag-eval", engine.action)
    environ = {
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "GITHUB_REPOSITORY": "org/bot",
        "GITHUB_API_URL": github.url,
        "GITHUB_GRAPHQL_URL": f"{github.url}/graphql",
        "GITHUB_RUN_NUMBER": "2",
        # as the executor of workflows has them
        "GITHUB_WORKFLOW": "evaluate.yml",
        "GITHUB_JOB": "evaluate",
        "INPUT_SPEC": SPEC,
        "INPUT_TOKEN": TOKEN,
    }
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environ["RAG_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (tmp_path / "env").write_text("\n".join(map("=".join, environ.items())))
        engine.must(
            *("podman", "run", "-d", "--name", "cancelled", "--network", "host"),
            *("-v", f"{team.root}:/github/workspace", "-w", "/github/workspace"),
            *("-v", f"{tmp_path}:/github/workflow:ro"),
            *("--env-file", tmp_path / "env", "rag-eval"),
        )
        silent.settimeout(60)
        asking, _ = silent.accept()
        with asking:
            engine.must("podman", "kill", "--signal", "TERM", "cancelled")
            status = engine.must("podman", "wait", "cancelled").strip()
    log = engine.run("podman", "logs", "cancelled").stdout
    engine.must("podman", "rm", "-f", "cancelled")

    marker, text = before.split("\n", 1)
    banner = "> ⏹️ Run 2 was cancelled; the results below are of run 1."
    assert status == "130", log
    assert github.bodies == [f"{marker}\n{banner}\n\n{text}"], log

"""Real workflows that use the action: its own action.yml, its own image, a real job."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from runner.action import NOTHING

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = "specs/quickstart.yaml"
EVENT = {
    "number": 7,
    "pull_request": {
        "number": 7,
        "head": {"sha": "a" * 40, "ref": "topic", "repo": {"full_name": "org/bot"}},
        # Without its commit, since no API is there to tell what it holds.
        "base": {"ref": "main", "repo": {"full_name": "org/bot"}},
    },
}
WORKFLOW = """\
on: pull_request
permissions: {contents: read}
jobs:
  evaluate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: org/rag-eval-action@v1
        id: evaluation
        env: {RAG_URL: "http://there"}
        with: {spec: specs/quickstart.yaml, args: --quiet}
      - if: always()
        env:
          VERDICT: ${{ steps.evaluation.outputs.verdict }}
          LAYER: ${{ steps.evaluation.outputs.first-failing-layer }}
          TOTAL: ${{ steps.evaluation.outputs.cases-total }}
        run: echo "given on $VERDICT/$LAYER/$TOTAL"
"""


class Done(NamedTuple):
    exit: int
    log: str

    @property
    def status(self):
        """The exit status of the action's container."""
        found = re.findall(r"exit with `FAILURE`: (\d+)", self.log)
        return int(found[0]) if found else 0

    @property
    def outputs(self):
        return dict(re.findall(r"::set-output:: ([\w-]+)=(.*)", self.log))

    @property
    def handed_on(self):
        """The outputs as a later step gets them."""
        [line] = re.findall(r"\| given on (.*)", self.log)
        return line


@pytest.fixture
def workflow(engine, service, tmp_path):
    """Run the workflow of a team whose spec has one thing changed."""
    team = tmp_path / "team"
    shutil.copytree(ROOT / "specs", team / "specs")
    (team / ".github/workflows").mkdir(parents=True)

    def run(old="", new="", url=service):
        spec = team / SPEC
        text = spec.read_text("utf-8")
        assert old in text
        spec.write_text(text.replace(old, new, 1), "utf-8")
        written = WORKFLOW.replace("http://there", url)
        (team / ".github/workflows/evaluate.yml").write_text(written)
        (tmp_path / "event.json").write_text(json.dumps(EVENT))
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        engine.must("git", "init", "-q", cwd=team)
        engine.must("git", "add", "-A", cwd=team)
        engine.must("git", *who, "commit", "-qm", "Begin", cwd=team)
        done = engine.run(
            *("act", "pull_request", "--rm", "-e", tmp_path / "event.json"),
            *("-P", "ubuntu-latest=python:3.13-slim", "--pull=false"),
            *("--network", "host", "--env", "GITHUB_REPOSITORY=org/bot"),
            *("--local-repository", f"org/rag-eval-action@v1={engine.action}"),
            cwd=team,
        )
        return Done(done.returncode, done.stdout)

    return run


def test_a_run_that_passes_is_green_and_hands_its_outputs_on(workflow):
    done = workflow()

    assert done.exit == 0, done.log
    assert set(done.outputs) == set(NOTHING)
    assert done.outputs["results-json"] == "rag-eval-results/results.json"
    assert done.handed_on == "passed/retrieval/59"
    assert "Summary - ## ✅ RAG eval helpdesk" in done.log
    assert "pull_request #7 into main at aaaaaaa" in done.log


def test_a_limit_that_is_not_met_is_red_and_shown_on_its_line(workflow):
    done = workflow("recall@5: {min: 0.85}", "recall@5: {min: 0.99}")

    assert (done.exit != 0, done.status) == (True, 1), done.log
    assert (done.outputs["verdict"], done.outputs["gates-failed"]) == ("failed", "1")
    assert re.search(rf"::error file={SPEC},line=\d+,title=.*recall@5", done.log)
    assert "Summary - ## ❌ RAG eval helpdesk" in done.log


def test_an_endpoint_that_is_down_is_told_as_such(workflow):
    done = workflow("timeout: 30s", "timeout: 1s", url="http://127.0.0.1:9")

    assert (done.exit != 0, done.status) == (True, 3), done.log
    assert done.handed_on == "error/service/59"
    assert "Summary - ## 🚫 RAG eval helpdesk: not evaluated" in done.log


def test_a_mistake_in_the_spec_is_told_with_its_line(workflow):
    done = workflow("thresholds:\n", "thresholds:\n  recal@5: {min: 0.5}\n")

    assert (done.exit != 0, done.status) == (True, 2), done.log
    assert done.handed_on == "error//0"
    assert re.search(rf"::error file={SPEC},line=\d+,title=Mistake", done.log)


def test_what_is_written_belongs_to_the_owner_of_the_workspace(
    engine, service, tmp_path
):
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    os.chown(tmp_path, 1001, 1002)
    engine.must("podman", "build", "-q", "-t", "rag-eval", engine.action)

    engine.must(
        *("podman", "run", "--rm", "--network", "host", "-w", "/github/workspace"),
        *("-v", f"{tmp_path}:/github/workspace", "-e", f"INPUT_SPEC={SPEC}"),
        *("-e", "GITHUB_WORKSPACE=/github/workspace", "-e", "INPUT_OUT=a/b"),
        *("-e", f"RAG_URL={service}", "rag-eval"),
    )

    written = [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in written}
    assert (len(written), owners) == (9, {(1001, 1002)})

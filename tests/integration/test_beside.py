"""A run beside a second live endpoint, which is its baseline."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server
from tests.program import rag_eval

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = "specs/quickstart.yaml"


@contextmanager
def faulty(fault):
    with Server("127.0.0.1", 0, Desk(Pipeline(Index(load())), fault)) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server.url
        server.shutdown()


@pytest.fixture
def run(tmp_path):
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    path = tmp_path / SPEC
    text = path.read_text("utf-8").replace(
        "accuracy: {min: 0.80}", "accuracy: {min: 0.1, max_drop: 0.05}"
    )
    path.write_text(
        f'{text}\nbaseline:\n  endpoint: {{url: "${{LIVE_URL}}/rag"}}\n', "utf-8"
    )

    def ran(here, live, *words):
        done = subprocess.run(
            [sys.executable, "-m", "runner", "run", SPEC, "--quiet", *words],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "GITHUB_WORKSPACE": str(tmp_path),
                "RAG_URL": here,
                "LIVE_URL": live,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        results = tmp_path / "rag-eval-results/results.json"
        return done, json.loads(results.read_text("utf-8"))

    return ran


def gate(results):
    [found] = [each for each in results["gates"] if each["rule"] == "max_drop"]
    return found


def test_the_same_service_twice_shows_no_change(run, service, tmp_path):
    done, results = run(service, service)

    compared = results["comparison"]
    assert done.returncode == 0, done.stdout
    assert (compared["pairs"], compared["regressed"], compared["fixed"]) == (59, [], [])
    assert gate(results)["outcome"] == "passed"
    assert results["baseline"] == "${LIVE_URL}/rag"
    comment = (tmp_path / "rag-eval-results/comment.md").read_text("utf-8")
    assert "baseline ` ${LIVE_URL}/rag ` asked in turn" in comment


def test_what_a_change_breaks_is_seen_beside_what_is_live(run, service):
    with faulty("drop-gold") as broken:
        done, results = run(broken, service)

    assert done.returncode == 1
    assert len(results["comparison"]["regressed"]) > 10
    assert any(shift["ranks"] for shift in results["comparison"]["shifts"])
    assert gate(results)["outcome"] == "failed"
    assert (
        results["comparison"]["layers"].get("retrieval", 0)
        < (results["layers"]["retrieval"]["first"])
    )


def test_what_is_live_and_does_not_answer_is_told(run, service):
    done, results = run(service, "http://127.0.0.1:9")

    assert done.returncode == 1
    assert "The baseline could not be read" in done.stdout
    assert "got no usable reply" in results["baseline_unread"]
    assert results["totals"]["errors"] == 0
    assert gate(results)["outcome"] == "unmeasured"


def test_a_replay_asks_nobody(run, service):
    run(service, service)
    done, results = run(
        service, service, "--replay", "rag-eval-results/responses.jsonl"
    )

    assert done.returncode == 1
    assert results["baseline_unread"] == "a replay asks nobody"


def test_results_given_by_hand_take_its_place(run, service, tmp_path):
    run(service, service)
    shutil.copytree(tmp_path / "rag-eval-results", tmp_path / "then")

    done, results = run(service, "http://127.0.0.1:9", "--baseline", "then")

    assert done.returncode == 0, done.stdout
    assert results["comparison"]["pairs"] == 59


def test_several_trials_of_a_part_are_asked_of_both(run, service):
    done, results = run(service, service, "--trials", "3", "--limit", "10")

    compared = results["comparison"]
    assert done.returncode in (0, 1), done.stderr
    assert (compared["pairs"], compared["regressed"]) == (10, [])
    assert (compared["new"], compared["removed"]) == ([], [])
    assert results["trials"]["times"] == 3


def test_what_a_run_costs_is_told_before(tmp_path):
    (tmp_path / "cases.json").write_text('[{"id": "a", "question": "?"}]', "utf-8")
    spec = "endpoint: {url: 'http://x/{{ question }}'}\ncases: cases.json\n"
    live = "baseline: {endpoint: {url: 'http://y/{{ question }}'}}\ntrials: 3\n"
    for name, text in (("one.yaml", spec), ("six.yaml", spec + live)):
        (tmp_path / name).write_text(text, "utf-8")

    one, six = (
        rag_eval("validate", name, cwd=tmp_path).out
        for name in ("one.yaml", "six.yaml")
    )

    assert "a run makes" not in one
    assert (
        "a run makes 6 calls: 1 case, 3 trials of each, asked of two endpoints" in six
    )


def test_a_mistake_in_the_address_of_the_baseline_is_told_before(tmp_path):
    (tmp_path / "cases.json").write_text('[{"id": "a", "question": "?"}]', "utf-8")
    (tmp_path / "rag.yaml").write_text(
        "endpoint: {url: 'http://x/{{ question }}'}\ncases: cases.json\n"
        "baseline: {endpoint: {url: 'http://169.254.169.254/{{ question }}'}}\n",
        "utf-8",
    )

    ended = rag_eval("validate", "rag.yaml", cwd=tmp_path)

    assert ended.exit == 2
    assert "rag.yaml:3 baseline.endpoint.url: " in ended.err
    assert "link-local or metadata address" in ended.err

"""Each fault of the demo is found, and charged to the layer that it broke."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from demo.faults import NAMES, QUALITY, SERVICE
from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server
from runner.errors import Place
from runner.report import broken_layer, read

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "runner", "run", "specs/quickstart.yaml", "--quiet")

CAUSES = {
    "drop-gold": {
        "retrieval.missed",
        "retrieval.sibling",
        "retrieval.partial",
        "retrieval.empty",
    },
    "bury": {"context.buried"},
    "noise": {"context.noisy"},
    "wrong-number": {"grounding.number_conflict"},
    "omit": {"answer.omission"},
    "over-refuse": {"refusal.over"},
    "never-refuse": {"refusal.missed"},
    "leak": {
        "isolation.leak_context",
        "isolation.leak_answer",
        "isolation.leak_citation",
    },
    "fake-citation": {"grounding.citation_fabricated"},
}
ERRORS = {
    "slow": "service.timeout",
    "http-500": "service.http_error",
    "garbage": "service.malformed",
}
HONEST_FAILURES = {
    "trial-length-and-size": "answer.omission",
    "frozen-login": "retrieval.missed",
    "non-profit-rebate": "retrieval.sibling",
    "contractors": "refusal.missed",
    "zh-fapiao-colloquial": "refusal.over",
}


class Run(NamedTuple):
    """What the results folder says, and the exit status."""

    exit: int
    cases: dict
    report: dict
    folder: Path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the quick start against the demo, once per fault."""
    pipeline, runs = Pipeline(Index(load())), {}

    def judged(fault=None):
        if fault not in runs:
            folder = tmp_path_factory.mktemp(fault or "healthy")
            runs[fault] = evaluate(Desk(pipeline, fault), folder)
        return runs[fault]

    return judged


def evaluate(desk, folder):
    with Server("127.0.0.1", 0, desk) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        ended = subprocess.run(
            [*COMMAND, "--out", str(folder)],
            cwd=ROOT,
            env={**os.environ, "RAG_URL": server.url},
            capture_output=True,
            text=True,
            check=False,
        )
        server.shutdown()
    assert ended.returncode in (0, 1, 3), ended.stderr
    lines = (folder / "cases.jsonl").read_text("utf-8").splitlines()
    cases = {case["id"]: case for case in map(json.loads, lines)}
    report = json.loads((folder / "results.json").read_text("utf-8"))
    return Run(ended.returncode, cases, report, folder)


def test_the_healthy_demo_passes_with_few_honest_failures(run):
    healthy = run()
    failed = {
        name: case["cause"]
        for name, case in healthy.cases.items()
        if case["outcome"] != "passed"
    }

    assert (healthy.exit, healthy.report["verdict"]) == (0, "passed")
    assert failed == HONEST_FAILURES


def test_every_gate_of_the_healthy_demo_has_a_margin(run):
    gates = run().report["gates"]
    limits = {"min": 1, "max": -1}
    tight = [
        gate["metric"]
        for gate in gates
        if gate["rule"] in limits
        and gate["limit"] not in (0, 1)
        and (gate["value"] - gate["limit"]) * limits[gate["rule"]] < 0.01
    ]

    assert gates
    assert tight == []


@pytest.mark.parametrize("fault", QUALITY)
def test_a_fault_of_quality_is_charged_to_what_it_broke(run, fault):
    healthy, broken = run(), run(fault)
    causes = [
        case["cause"]
        for name, case in broken.cases.items()
        if case["outcome"] == "failed" and healthy.cases[name]["outcome"] == "passed"
    ]
    right = sum(cause in CAUSES[fault] for cause in causes)

    assert len(causes) >= 10
    assert right >= 0.95 * len(causes)


@pytest.mark.parametrize("fault", QUALITY)
def test_a_fault_of_quality_turns_the_run_red(run, fault):
    broken = run(fault)

    assert (broken.exit, broken.report["verdict"]) == (1, "failed")


@pytest.mark.parametrize("fault", NAMES)
def test_the_report_names_first_the_layer_that_a_fault_broke(run, fault):
    report = read(json.dumps(run(fault).report), Place("results.json"))
    expected = {*CAUSES.get(fault, ()), ERRORS.get(fault)} - {None}

    assert {broken_layer(report)} == {cause.partition(".")[0] for cause in expected}


@pytest.mark.parametrize("fault", SERVICE)
def test_a_fault_of_the_service_makes_errors_alone(run, fault):
    healthy, broken = run(), run(fault)
    errors = [case for case in broken.cases.values() if case["outcome"] == "error"]
    answered = [case for case in broken.cases.values() if case["outcome"] != "error"]

    assert (broken.exit, broken.report["verdict"]) == (3, "error")
    assert {case["cause"] for case in errors} == {ERRORS[fault]}
    assert len(errors) + len(answered) == len(healthy.cases)
    assert len(answered) > len(errors)


@pytest.mark.parametrize("fault", SERVICE)
def test_a_fault_of_the_service_moves_no_score(run, fault):
    healthy, broken = run(), run(fault)
    answered = [
        name for name, case in broken.cases.items() if case["outcome"] != "error"
    ]
    before = {name: without_latency(healthy.cases[name]) for name in answered}
    after = {name: without_latency(broken.cases[name]) for name in answered}

    assert after == before


def without_latency(case):
    scores = {label: s for label, s in case["scores"].items() if label != "latency"}
    return {**case, "scores": scores}


@pytest.mark.parametrize("fault", SERVICE)
def test_a_fault_of_the_service_is_in_no_mean(run, fault):
    broken = run(fault)
    answered = sum(case["outcome"] != "error" for case in broken.cases.values())
    recall = broken.report["summaries"]["recall@5"]
    scored = [
        case["scores"]["recall@5"]
        for case in broken.cases.values()
        if case["scores"].get("recall@5") is not None
    ]

    assert recall["scored"] == len(scored) <= answered
    assert recall["mean"] == pytest.approx(sum(scored) / len(scored), abs=1e-6)


SHORT = """
name: short
endpoint: {url: "http://localhost:9", shared_tenants: [public]}
cases:
  - cases/helpdesk.yaml
  - path: cases/helpdesk-zh.csv
    fields: {expected_doc_ids: sources}
"""


@pytest.mark.parametrize("fault", ["noise", "wrong-number"])
def test_a_spec_that_lists_no_metric_finds_the_same_causes(run, fault, tmp_path):
    broken = run(fault)
    shutil.copytree(ROOT / "specs/cases", tmp_path / "cases")
    (tmp_path / "short.yaml").write_text(SHORT)
    replay = ("--replay", broken.folder / "responses.jsonl", "--out", "out", "--quiet")

    subprocess.run(
        [sys.executable, "-m", "runner", "run", "short.yaml", *map(str, replay)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GITHUB_WORKSPACE": ""},
        capture_output=True,
        check=False,
    )

    lines = (tmp_path / "out/cases.jsonl").read_text("utf-8").splitlines()
    found = {case["id"]: case["cause"] for case in map(json.loads, lines)}
    assert found == {name: case["cause"] for name, case in broken.cases.items()}
    layers = json.loads((tmp_path / "out/results.json").read_text("utf-8"))["layers"]
    blind = {layer for layer, count in layers.items() if count["undetermined"]}
    assert blind <= {"grounding"}  # where every reply declines


def test_every_fault_is_listed_here():
    assert {*CAUSES, *ERRORS} == set(NAMES)

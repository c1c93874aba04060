"""A judge is measured by the program, beside what needs none."""

import os
import subprocess
import sys

import pytest

from tests.chatting import Server


@pytest.fixture
def bench(pytestconfig):
    """Runs the bench on the rows that come along, and gives its lines."""

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, pytestconfig.rootpath / "bench/judging.py", *arguments],
            cwd=pytestconfig.rootpath,
            env={**os.environ, "RAG_EVAL_SHARED": "/nowhere"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip().split("\n")

    return run


def test_a_recorded_judge_is_measured_without_a_model(bench):
    said, _, _, *lines, _, took = bench()

    assert said == "The judge is a recording made by rule, and no model."
    assert [line.split()[:5] for line in lines] == [
        ["ours_en", "12", "of", "12", "0.750"],
        ["ours_zh", "12", "of", "12", "0.750"],
        ["all", "24", "of", "24", "0.750"],
    ]
    assert "0 requests, 48 replies, 48 of them stored" in took


def test_a_configured_judge_is_measured_with_what_it_costs(bench, tmp_path):
    with Server() as server:
        judge = tmp_path / "judge.yaml"
        judge.write_text(
            f"judge: {{url: {server.url}, model: m, cache: replies.jsonl, "
            "price: {input: 10, output: 10}}"
        )
        first, again = (bench(judge, "--limit", "2") for _ in range(2))

    assert first[:-1] == again[:-1]
    assert first[-1].startswith("m: 8 requests, 8 replies, 0 of them stored")
    assert "800 + 160 tokens, 0.0096 USD, 0 failed" in first[-1]
    assert again[-1].startswith("m: 0 requests, 8 replies, 8 of them stored")

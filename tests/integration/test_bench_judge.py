"""A judge is measured from its recording, by the program, beside what needs none."""

import os
import subprocess
import sys


def test_a_recorded_judge_is_measured_without_a_model(pytestconfig):
    done = subprocess.run(
        [sys.executable, "bench/judging.py"],
        cwd=pytestconfig.rootpath,
        env={**os.environ, "RAG_EVAL_SHARED": "/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )

    said, _, _, *lines = done.stdout.split("\n")
    assert said == "The judge is a recording made by rule, and no model."
    assert [line.split()[:5] for line in lines[:3]] == [
        ["ours_en", "12", "of", "12", "0.750"],
        ["ours_zh", "12", "of", "12", "0.750"],
        ["all", "24", "of", "24", "0.750"],
    ]
    assert "0 requests, 48 replies, 48 of them stored" in done.stdout

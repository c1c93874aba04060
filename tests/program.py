"""The program as a process, the outputs of a step, and git, for tests of any folder."""

import json
import os
import shutil
import subprocess
import sys
import time
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class Ended(NamedTuple):
    exit: int
    out: str
    err: str
    results: dict
    """Of ``results.json`` where it is by default; empty where there is none."""


def rag_eval(*arguments, cwd, **environ):
    """Run ``rag-eval`` in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "runner", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found = Path(cwd) / "rag-eval-results/results.json"
    results = json.loads(found.read_text("utf-8")) if found.is_file() else {}
    return Ended(done.returncode, done.stdout, done.stderr, results)


def alive(pid):
    """Whether a process runs; one that was killed gets a moment to be gone."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text("utf-8")
        except OSError:
            return False
        if state.rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.02)
    return True


def outputs(text):
    """Read a file of outputs by the rules of GitHub's runner: a later value wins."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        if line:
            name, end = line.split("<<")
            found[name] = "\n".join(takewhile(end.__ne__, lines))
    return found


def git(*words, cwd):
    """Run git in a folder, and give what it said; where there is none, skip the test.

    In CI it is always there, and without it the test fails.
    """
    program = shutil.which("git")
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("git is not installed")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = subprocess.run(
        [program, *who, *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()

"""Every folder beside this file is one evaluation with the exit status it must have.

``passing``, ``failing`` and ``error`` hold ``<name>/{spec.yaml, cases.*,
responses.jsonl, expect.yaml}``; with ``before.jsonl`` (and ``before.yaml`` where the
spec was another) an earlier run is made first and given as the baseline. The comment
that opens ``expect.yaml`` says which false green the folder rules out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import yaml

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
STATUSES = {"passing": {0}, "failing": {1}, "error": {2, 3}}
VERDICTS = {0: "passed", 1: "failed", 3: "error"}


class Expected(NamedTuple):
    exit: int
    options: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    gates: Mapping[str, str] = MappingProxyType({})
    causes: Mapping[str, str] = MappingProxyType({})


class Ran(NamedTuple):
    exit: int
    said: str


FOLDERS = sorted(path.parent for path in HERE.glob("*/*/spec.yaml"))


@pytest.fixture(params=FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def folder(request, tmp_path):
    """Give a copy of a folder: a workspace of its own."""
    return Path(shutil.copytree(request.param, tmp_path / request.param.name))


def rag_eval(workspace: Path, *arguments: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "runner", *arguments],
        cwd=workspace,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "GITHUB_WORKSPACE": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout + done.stderr)


def baseline(folder: Path) -> list[str]:
    """Make the earlier run, if there is one, and give the option that names it."""
    if not (folder / "before.jsonl").exists():
        return []
    spec = "before.yaml" if (folder / "before.yaml").exists() else "spec.yaml"
    before = ["--replay", "before.jsonl", "--out", "before", "--quiet"]
    ran = rag_eval(folder, "run", spec, *before)
    assert ran.exit == 0, ran.said
    saved = rag_eval(folder, "baseline", "save", "before", "--to", "baseline")
    assert saved.exit == 0, saved.said
    return ["--baseline", "baseline"]


def test_an_evaluation_ends_as_it_must(folder):
    expected = Expected(**yaml.safe_load((folder / "expect.yaml").read_text("utf-8")))
    arguments = ["--replay", "responses.jsonl", "--out", "out", "--quiet"]

    ran = rag_eval(
        folder, "run", "spec.yaml", *arguments, *baseline(folder), *expected.options
    )

    assert ran.exit == expected.exit, ran.said
    said = " ".join(ran.said.split())  # lines break where a terminal ends
    assert [word for word in expected.says if word not in said] == [], ran.said
    assert "Traceback" not in ran.said
    report = read(folder / "out" / "results.json")
    assert_results(report, expected)


def read(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def assert_results(report: dict[str, Any] | None, expected: Expected) -> None:
    """See that the Report tells the same as the exit status, or that there is none."""
    if expected.exit == 2:
        assert report is None
        return
    assert report is not None
    if not expected.options:
        assert report["verdict"] == VERDICTS[expected.exit]
    assert bool(report["reasons"]) == (report["verdict"] != "passed")
    outcomes = {gate_name(gate): gate["outcome"] for gate in report["gates"]}
    assert {name: outcomes.get(name) for name in expected.gates} == expected.gates
    causes = {case["id"]: case["cause"] for case in report["failures"]}
    assert {name: causes.get(name) for name in expected.causes} == expected.causes


def gate_name(gate: dict[str, Any]) -> str:
    """Give a gate as ``expect.yaml`` names it: metric, rule, and slice if any."""
    parts = (gate["metric"], gate["rule"], gate["slice"])
    return " ".join(part for part in parts if part)


def test_a_folder_stands_where_its_exit_status_belongs():
    for path in FOLDERS:
        expected = yaml.safe_load((path / "expect.yaml").read_text("utf-8"))

        assert expected["exit"] in STATUSES[path.parent.name], path


def test_every_folder_says_what_it_is_for():
    for path in FOLDERS:
        first = (path / "expect.yaml").read_text("utf-8").partition("\n")[0]

        assert first.startswith("# "), path


def test_every_kind_is_there():
    assert {path.parent.name for path in FOLDERS} == set(STATUSES)

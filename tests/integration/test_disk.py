"""What the disk refuses, in every command: one line, an exit status, no traceback."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = """\
endpoint: {url: "http://localhost:9000", body: {q: "{{ question }}"}}
cases: cases.yaml
thresholds: {accuracy: {min: 0.5}}
"""
REPLY = {"answer": "Bob.", "contexts": [{"id": "d", "text": "Bob."}]}
LONG = "x" * 300


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A workspace with a run, a file, and a link that leads to itself."""
    team = tmp_path_factory.mktemp("team")
    (team / "spec.yaml").write_text(SPEC, "utf-8")
    case = "- {id: a, question: Who?, must_include: [Bob]}"
    (team / "cases.yaml").write_text(case, "utf-8")
    record = {"case_id": "a", "response": REPLY}
    (team / "replies.jsonl").write_text(json.dumps(record), "utf-8")
    (team / "file").touch()
    (team / "loop").symlink_to("loop")
    assert rag_eval(team, *RUN).returncode == 0
    return team


@pytest.fixture
def team(ran, tmp_path):
    """A copy of it, to spoil."""
    return Path(shutil.copytree(ran, tmp_path / "team", symlinks=True))


def rag_eval(team, *arguments, stdout=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-m", "runner", *arguments],
        cwd=team,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GITHUB_WORKSPACE": ""},
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


RUN = ("run", "spec.yaml", "--quiet", "--replay", "replies.jsonl")
RESULTS = "rag-eval-results"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("init", "file"), "file/.github/workflows/rag-eval.yml: cannot be written"),
        (("init", "loop"), "cannot be written: Too many levels of symbolic links"),
        (("init", LONG), "cannot be written: File name too long"),
        ((*RUN, "--out", "file"), "file: this is a file, not a folder"),
        ((*RUN, "--out", "loop"), "loop: cannot be written to"),
        ((*RUN, "--out", "loop/x"), "loop/x: cannot be written to"),
        ((*RUN, "--out", LONG), "cannot be written to: File name too long"),
        ((*RUN, "--baseline", "file"), "no results are there"),
        ((*RUN, "--replay", "loop"), "loop: cannot be read"),
        (("run", "loop"), "loop: cannot be read: Too many levels of symbolic links"),
        (
            ("run", "."),
            "is a folder (name a file in it, such as cases.yaml, file, rep",
        ),
        (("validate", "loop/x.yaml"), "cannot be read"),
        (("validate", LONG), "cannot be read: File name too long"),
        (("baseline", "save", RESULTS, "--to", "file"), "this is a file"),
        (("baseline", "save", RESULTS, "--to", "loop"), "loop: cannot be written to"),
        (("baseline", "save", "loop", "--to", "b"), "no results are there"),
        (("compare", "loop", RESULTS), "no results are there"),
        (("render", "file"), "no results are there"),
        (("metrics", "--check", "loop"), "loop: cannot be read"),
        (("metrics", "--check", "."), "is a folder"),
    ],
    ids=lambda value: (
        " ".join(value).replace(LONG, "LONG") if isinstance(value, tuple) else ""
    ),
)
def test_what_the_disk_refuses_is_one_line_and_exit_2(team, arguments, told):
    ended = rag_eval(team, *arguments)

    said = [line for line in ended.stderr.splitlines() if "earlier results" not in line]
    assert ended.returncode == 2
    assert told in ended.stderr
    assert len(said) == 1


@pytest.mark.parametrize("name", ["results.json", "cases.jsonl"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("render", RESULTS, "--to", "junit"),
        ("compare", RESULTS, RESULTS),
        ("baseline", "save", RESULTS, "--to", "b"),
        RUN,
    ],
    ids=" ".join,
)
def test_results_that_may_not_be_read_are_told(team, name, arguments):
    (team / RESULTS / name).chmod(0)
    if os.access(team / RESULTS / name, os.R_OK):
        pytest.skip("this user may read everything")

    ended = rag_eval(team, *arguments)

    assert ended.returncode == 2
    assert "Permission denied" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_folder_is_a_folder_also_by_its_results_json(team):
    by_folder, by_file = (
        rag_eval(team, "render", name).stdout
        for name in (RESULTS, f"{RESULTS}/results.json")
    )

    assert by_folder == by_file != ""
    for arguments in (
        ("compare", f"{RESULTS}/results.json", f"{RESULTS}/results.json"),
        ("baseline", "save", f"{RESULTS}/results.json", "--to", "kept"),
        (*RUN, "--baseline", "kept/results.json"),
    ):
        assert rag_eval(team, *arguments).returncode == 0


@pytest.mark.parametrize(
    ("folder", "written", "place"),
    [(".", "kept", "kept"), ("evals", "../kept", "../kept"), ("evals", "/k", "../k")],
)
def test_the_command_that_a_run_shows_makes_the_baseline_where_it_is_read(
    team, folder, written, place
):
    (team / ".git").mkdir()
    here = team / folder
    here.mkdir(exist_ok=True)
    spec = (
        SPEC.replace("cases.yaml", "/cases.yaml") + f"baseline: {{path: {written}}}\n"
    )
    (here / "own.yaml").write_text(spec, "utf-8")
    arguments = ("run", "own.yaml", "--quiet", "--replay", str(team / "replies.jsonl"))

    first = rag_eval(here, *arguments, "--out", "my results")
    command = re.search(r"(?m)^  (rag-eval baseline save .+)$", first.stdout)
    shown = command[1]
    saved = rag_eval(here, *shlex.split(shown)[1:])
    again = rag_eval(here, *arguments)

    assert shown == f"rag-eval baseline save 'my results' --to {place}"
    assert f"baseline: {{path: /{place.removeprefix('../')}}}" in saved.stdout
    assert "No baseline yet" in first.stdout
    assert "Baseline and Δ are over the 1 case that" in again.stdout
    assert "baseline save" not in again.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("schema",), 3),
        (("render", RESULTS), 3),
        (("compare", RESULTS, RESULTS), 3),
        (RUN, 0),
    ],
)
def test_a_text_that_is_lost_is_told_where_it_is_all_there_is(team, arguments, status):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = rag_eval(team, *arguments, stdout=full)

    assert ended.returncode == status
    told = "rag-eval: standard output cannot be written: No space left on device\n"
    assert ended.stderr == told * (status == 3)

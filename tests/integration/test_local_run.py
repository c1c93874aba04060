"""A program and a function as the endpoint, from the spec to the verdict."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

from tests.program import ROOT, alive, rag_eval

CASES = [
    {
        "id": "days",
        "question": "退货期限是多少天？",
        "expected_doc_ids": ["r#3"],
        "must_include": ["30 天"],
    },
    {"id": "off", "question": "Will people be laid off?", "expect_refusal": True},
]
RAG = """
import json
def answer(question, case=None):
    if "退货" not in question:
        return {"answer": "I do not know.", "contexts": []}
    text = "签收后 30 天内可以退货。"
    return {"answer": text, "contexts": [{"id": "r#3", "text": text}]}
async def later(question):
    return answer(question)
def fails(question):
    raise RuntimeError("no index at s3cr3t-key")
if __name__ == "__main__":
    import os
    if os.environ.get("RAG_FAILS"):
        raise RuntimeError("no index at s3cr3t-key")
    print(json.dumps(answer(json.loads(input())["question"])))
"""
WAYS = {
    "command": {"command": f"{sys.executable} rag.py"},
    "python": {"python": "rag:answer"},
    "coroutine": {"python": "rag:later"},
}


@pytest.fixture
def team(tmp_path):
    """A repository with a RAG system that is a file beside the spec."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/rag.py").write_text(RAG, "utf-8")
    (tmp_path / "evals/cases.json").write_text(json.dumps(CASES), "utf-8")

    def written(**endpoint):
        spec = {"endpoint": endpoint, "cases": "cases.json"}
        spec["thresholds"] = {"recall@5": {"min": 1}, "accuracy": {"min": 1}}
        (tmp_path / "evals/rag.yaml").write_text(yaml.safe_dump(spec))
        return tmp_path

    return written


@pytest.mark.parametrize("way", WAYS)
def test_a_run_ends_with_its_verdict(team, way):
    ended = rag_eval("run", "evals/rag.yaml", "--quiet", cwd=team(**WAYS[way]))

    assert (ended.exit, ended.results["verdict"]) == (0, "passed"), ended.err
    assert ended.results["totals"]["passed"] == 2


@pytest.mark.parametrize("way", WAYS)
def test_a_probe_shows_what_was_given_and_what_came(team, way):
    ended = rag_eval("probe", "evals/rag.yaml", cwd=team(**WAYS[way]))

    assert ended.exit == 0, ended.out
    asked = {
        "command": f"asked     $ {sys.executable} rag.py",
        "python": "asked     rag:answer(question, case)",
        "coroutine": "asked     rag:later(question)",
    }
    assert asked[way] in ended.out
    assert '"question": "退货期限是多少天？"' in ended.out
    assert "came      in 0." in ended.out
    assert '  | {"answer"' in ended.out


@pytest.mark.parametrize("way", WAYS)
def test_validate_runs_nothing(team, way):
    root = team(**WAYS[way])
    (root / "evals/rag.py").write_text("open('ran', 'w')")

    ended = rag_eval("validate", "evals/rag.yaml", cwd=root)

    assert ended.exit == 0, ended.err
    assert not list(root.rglob("ran"))


@pytest.mark.parametrize(
    ("endpoint", "environ"),
    [(WAYS["command"], {"RAG_FAILS": "1"}), ({"python": "rag:fails"}, {})],
    ids=["command", "python"],
)
def test_one_that_fails_is_charged_to_the_service_in_its_own_words(
    team, endpoint, environ
):
    ended = rag_eval(
        "run",
        "evals/rag.yaml",
        cwd=team(**endpoint),
        MY_KEY="s3cr3t-key",
        **environ,
    )

    assert ended.exit == 3
    [first, *_] = ended.results["failures"]
    assert (first["layer"], first["cause"]) == ("service", "service.crashed")
    assert "RuntimeError: no index at ***" in first["evidence"]
    assert "s3cr3t" not in ended.out + ended.err


def test_a_module_in_the_workspace_is_found_from_a_spec_below_it(team):
    root = team(python="app.rag_in_app:answer")
    (root / "app").mkdir()
    (root / "app/rag_in_app.py").write_text(RAG, "utf-8")

    assert rag_eval("run", "evals/rag.yaml", "--quiet", cwd=root).exit == 0


def test_a_folder_to_run_in_is_named_and_stays_in_the_workspace(team):
    found = rag_eval(
        "run",
        "evals/rag.yaml",
        "--quiet",
        cwd=team(command=f"{sys.executable} evals/rag.py", cwd="/"),
    )
    missing = rag_eval("run", "evals/rag.yaml", cwd=team(command="x", cwd="/app"))
    outside = rag_eval("run", "evals/rag.yaml", cwd=team(command="x", cwd="../.."))

    assert found.exit == 0
    assert "endpoint.cwd: /app is no folder" in missing.err
    assert "leads out of the workspace" in outside.err
    assert (missing.exit, outside.exit) == (2, 2)


def test_what_cannot_be_imported_ends_before_anything_is_asked(team):
    root = team(python="rag:anwser")
    ended = rag_eval("run", "evals/rag.yaml", cwd=root)

    assert ended.exit == 2
    assert "evals/rag.yaml:3 endpoint.python: rag has no anwser" in ended.err
    assert "did you mean answer?" in ended.err
    assert not (root / "rag-eval-results").exists()


SLOW = """
import os, time, pathlib
def answer(question):
    pathlib.Path(f"asked-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(60)
if __name__ == "__main__":
    answer("")
"""


@pytest.mark.parametrize("way", ["command", "python"])
@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_run_that_is_stopped_ends_at_once_with_all_that_it_runs(
    team, way, concurrency
):
    endpoint = {**WAYS[way], "concurrency": concurrency, "timeout": "60s"}
    root = team(**endpoint)
    (root / "evals/rag.py").write_text(SLOW)
    running = subprocess.Popen(
        [sys.executable, "-m", "runner", "run", "evals/rag.yaml"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 30
    while len(asked := [*root.rglob("asked-*")]) < concurrency:
        assert time.monotonic() < end
        time.sleep(0.05)

    running.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    _, told = running.communicate(timeout=30)

    assert (running.returncode, time.monotonic() - stopped < 5) == (130, True), told
    assert "Traceback" not in told
    for path in asked:
        assert not alive(int(path.name.split("-")[1]))

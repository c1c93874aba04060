"""The command line as a user runs it: a real process, a real service, real files."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from threading import Thread

import pytest
import yaml

from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server
from tests.program import ROOT, rag_eval

pytestmark = pytest.mark.e2e


@pytest.fixture
def team(tmp_path):
    """A repository with the quick start in it."""
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    (tmp_path / ".git").mkdir()
    return tmp_path


def changed(team, old, new):
    spec = team / "specs/quickstart.yaml"
    text = spec.read_text("utf-8")
    assert old in text
    spec.write_text(text.replace(old, new, 1), "utf-8")
    return spec.relative_to(team)


def results(team, folder="rag-eval-results"):
    return json.loads((team / folder / "results.json").read_text("utf-8"))


SPEC = "specs/quickstart.yaml"
WORKFLOW = ".github/workflows/rag-eval.yml"


def test_a_run_ends_with_its_verdict_and_all_its_files(team, service):
    ended = rag_eval("run", SPEC, cwd=team, RAG_URL=service)

    assert (ended.exit, results(team)["verdict"]) == (0, "passed")
    assert "15 of 15 gates passed" in ended.out
    assert "asked 59 of 59 cases: 54 passed, 5 failed" in ended.err
    assert sorted(path.name for path in (team / "rag-eval-results").iterdir()) == [
        "cases.jsonl",
        "comment.md",
        "junit.xml",
        "report.html",
        "responses.jsonl",
        "results.json",
        "summary.md",
    ]


def test_a_failed_gate_is_exit_1_and_points_at_its_line(team, service):
    spec = changed(team, "recall@5: {min: 0.85}", "recall@5: {min: 0.99}")

    ended = rag_eval("run", spec, "--quiet", cwd=team, RAG_URL=service)

    [gate] = [g for g in results(team)["gates"] if g["outcome"] == "failed"]
    line = team.joinpath(spec).read_text("utf-8").splitlines()[gate["line"] - 1]
    assert ended.exit == 1
    assert "recall@5" in line
    assert ended.err == ""


@pytest.mark.parametrize(
    ("fail_on", "expected"), [("gate", 1), ("error", 0), ("never", 0)]
)
def test_what_makes_the_status_other_than_0_is_chosen(team, service, fail_on, expected):
    spec = changed(team, "recall@5: {min: 0.85}", "recall@5: {min: 0.99}")

    ended = rag_eval("run", spec, "--fail-on", fail_on, cwd=team, RAG_URL=service)

    assert ended.exit == expected
    assert results(team)["verdict"] == "failed"


def test_a_replay_gives_what_the_live_run_gave(team, service):
    rag_eval("run", SPEC, "--out", "live", cwd=team, RAG_URL=service)
    log = team / "live/responses.jsonl"

    ended = rag_eval("run", SPEC, "--replay", log, "--out", "again", cwd=team)

    live, again = results(team, "live"), results(team, "again")
    assert ended.exit == 0
    assert again["summaries"] == live["summaries"]
    assert again["failures"] == live["failures"]
    assert again["fingerprints"] == live["fingerprints"]
    assert "replayed 59 of 59 cases: 54 passed, 5 failed" in ended.err


def test_a_baseline_shows_what_got_worse(team, service):
    rag_eval("run", SPEC, cwd=team, RAG_URL=service)
    saved = rag_eval("baseline", "save", "rag-eval-results", cwd=team)
    told = saved.out.splitlines()[-1].strip()
    changed(team, "thresholds:", f"{told}\nthresholds:")
    changed(team, "recall@5: {min: 0.85}", "recall@5: {max_drop: 0.02}")
    log = team / "rag-eval-results/responses.jsonl"
    lines = log.read_text("utf-8").splitlines()
    worse = team / "worse.jsonl"
    worse.write_text("\n".join(emptied(line) for line in lines[:10]) + "\n", "utf-8")
    with worse.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines[10:]) + "\n")

    ended = rag_eval("run", SPEC, "--replay", worse, "--out", "new", cwd=team)

    comparison = results(team, "new")["comparison"]
    texts = (team / ".rag-eval/baseline/results.json").read_text("utf-8")
    assert "59 cases kept" in saved.out
    assert told == "baseline: {path: /.rag-eval/baseline}"
    assert json.loads(texts)["failures"] == []
    assert ended.exit == 1
    assert len(comparison["regressed"]) >= 5
    assert comparison["deltas"]["recall@5"]["delta"] < -0.02


def emptied(line):
    """A recorded reply that found nothing and says so."""
    record = json.loads(line)
    record["response"] |= {"contexts": [], "citations": [], "answer": "I do not know."}
    return json.dumps(record)


def test_compare_and_render_work_from_a_results_folder(team, service):
    rag_eval("run", SPEC, cwd=team, RAG_URL=service)
    folder = team / "rag-eval-results"

    compared = rag_eval("compare", folder, folder, cwd=team)
    rendered = {
        name: rag_eval("render", folder, "--to", name, cwd=team).out
        for name in ("comment", "summary", "html", "junit")
    }

    assert (compared.exit, "no regressions" in compared.out) == (0, True)
    for name, file in (
        ("comment", "comment.md"),
        ("summary", "summary.md"),
        ("html", "report.html"),
        ("junit", "junit.xml"),
    ):
        assert rendered[name] == (folder / file).read_text("utf-8")


def test_compare_shows_slices_and_whom_it_left_out_and_no_gate_without_baseline(
    team, service
):
    changed(
        team,
        "  mrr: {min: 0.80}",
        "  mrr: {max_drop: 0.1, slices: {tag=cross-tenant: {min: 0.5}}}",
    )
    part = ("--tag", "cross-tenant")
    rag_eval("run", SPEC, "--out", "part", *part, cwd=team, RAG_URL=service)
    rag_eval("run", SPEC, "--out", "all", cwd=team, RAG_URL=service)

    grown = rag_eval("compare", "part", "all", cwd=team).out
    shrunk = rag_eval("compare", "all", "part", cwd=team).out

    (row,) = [line for line in grown.splitlines() if "mrr · tag=cross-tenant" in line]
    assert row.split("cross-tenant")[1].split()[:3] == ["1.00", "1.00", "±0"]
    assert "part covers only --tag cross-tenant" in grown
    assert "evaluated: --tag cross-tenant" in shrunk
    for shown in (grown, shrunk):
        assert "(no baseline)" not in shown
        assert "1 new" not in shown
        assert "removed" not in shown
        assert "Not comparable" not in shown


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["--tag", "cross-tenant"], 12),
        (["--type", "refusal", "--limit", "3"], 3),
        (["--case", "frozen-login"], 1),
    ],
)
def test_filters_choose_cases_and_the_report_says_so(team, service, options, cases):
    rag_eval("run", SPEC, *options, cwd=team, RAG_URL=service)

    assert results(team)["totals"]["cases"] == cases
    assert results(team)["filters"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("recall@5: {min", "recal@5: {min", ["recal@5", "did you mean recall", ":"]),
        ("min: 0.85}", "minimum: 0.85}", ["minimum", "did you mean"]),
        ("min: 0.85}", "min: 85}", ["85%", "0.85"]),
        ("timeout: 2s", "timeout: soon", ["timeout", "30s"]),
        ("timeout: 2s", "time_out: 2s", ["time_out", "did you mean timeout"]),
        ("cases/helpdesk.yaml", "cases/none.yaml", ["cases/none.yaml"]),
        ("tag: cross-tenant", "tag: cross-tenent", ["matches no case", "did you mean"]),
        ("{{ question }}", "{{ qestion }}", ["qestion", "question"]),
        ("{{ question }}", "{{ question", ["endpoint.body.query"]),
        ("timeout: 2s", "timeout: 2s\n  response: {answer: 'a['}", ["response.answer"]),
    ],
)
def test_a_mistake_in_the_spec_is_exit_2_with_place_and_remedy(team, old, new, words):
    spec = changed(team, old, new)

    validated = rag_eval("validate", spec, cwd=team)
    ran = rag_eval("run", spec, cwd=team)

    assert (validated.exit, ran.exit) == (2, 2)
    for word in words:
        assert word in validated.err
        assert word in ran.err
    assert "specs/quickstart.yaml:" in validated.err
    assert "Traceback" not in ran.err


def test_a_wrong_mapping_shows_the_keys_that_were_there(team, service):
    spec = changed(team, "timeout: 2s", "timeout: 2s\n  response: {answer: reply.text}")

    ended = rag_eval("run", spec, cwd=team, RAG_URL=service)

    assert ended.exit == 2
    assert "endpoint.response.answer" in ended.err
    assert "`reply.text` found nothing in" in ended.err
    assert "has the keys answer, contexts, contexts[0].id" in ended.err


def test_contexts_that_never_come_stop_the_run_with_help(team, service):
    spec = changed(team, "timeout: 2s", "timeout: 2s\n  response: {contexts: passages}")

    ended = rag_eval("run", spec, cwd=team, RAG_URL=service)

    assert ended.exit == 2
    assert "passages" in ended.err
    assert "contexts" in ended.err


def test_an_endpoint_that_is_down_is_exit_3_and_says_what_to_do(team):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        spec = changed(team, "timeout: 30s", "timeout: 300ms")

        ended = rag_eval("run", spec, cwd=team, RAG_URL=url)

    assert ended.exit == 3
    assert url.removeprefix("http://") in ended.err
    assert results(team)["verdict"] == "error"
    assert results(team)["totals"] == {
        "cases": 59,
        "passed": 0,
        "failed": 0,
        "undetermined": 0,
        "errors": 0,
        "not_asked": 59,
        "quarantined": 0,
    }


def test_the_spec_can_start_its_own_service(team):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spec = changed(
        team,
        "timeout: 2s",
        f"timeout: 2s\n  start: {{command: '{sys.executable} -m demo --port {port}'}}",
    )

    ended = rag_eval("run", spec, cwd=team, RAG_URL=f"http://127.0.0.1:{port}")

    assert (ended.exit, results(team)["verdict"]) == (0, "passed")
    with socket.socket() as gone:
        assert gone.connect_ex(("127.0.0.1", port)) != 0


def test_a_run_that_could_not_begin_leaves_no_earlier_verdict_as_its_own(team, service):
    rag_eval("run", SPEC, "--quiet", cwd=team, RAG_URL=service)
    folder = team / "rag-eval-results"
    log = (folder / "responses.jsonl").read_bytes()
    (folder / "notes.md").write_text("mine")
    shutil.copytree(folder, team / "kept")
    changed(team, "thresholds:", "treshholds:")

    ended = rag_eval("run", SPEC, "--quiet", cwd=team)
    beside = rag_eval(
        "run", SPEC, "--quiet", "--out", "kept", "--baseline", "kept", cwd=team
    )

    assert (ended.exit, beside.exit) == (2, 2)
    assert "the earlier results in rag-eval-results/ are not of this run" in ended.err
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["cases.jsonl", "notes.md", "responses.jsonl"]
    assert (folder / "responses.jsonl").read_bytes() == log
    assert results(team, "kept")["verdict"] == "passed"


@pytest.mark.parametrize(
    "numbers",
    [
        [signal.SIGINT],
        [signal.SIGTERM],
        [signal.SIGHUP],
        [signal.SIGINT, signal.SIGTERM, signal.SIGINT],  # as wrappers pass it on
    ],
)
def test_a_stopped_run_keeps_what_was_finished(team, numbers):
    desk = Desk(Pipeline(Index(load())), "slow", 0)
    with Server("127.0.0.1", 0, desk) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        changed(team, "timeout: 2s", "timeout: 30s\n  concurrency: 2")
        running = subprocess.Popen(
            [sys.executable, "-m", "runner", "run", SPEC],
            cwd=team,
            env={**os.environ, "PYTHONPATH": str(ROOT), "RAG_URL": server.url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        log = team / "rag-eval-results/responses.jsonl"
        until = time.monotonic() + 20
        while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
            time.sleep(0.05)
        for number in numbers:
            running.send_signal(number)
        out, err = running.communicate(timeout=20)
        server.shutdown()

    answered = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    found = results(team)
    assert running.returncode == 130
    assert answered
    assert found["verdict"] == "error"
    assert found["totals"]["not_asked"] == 59 - len(answered)
    assert found["totals"]["errors"] == 0
    assert "cancelled" in err
    assert "Traceback" not in err
    assert "cancelled" in out


LASTING = """
import signal, sys
from threading import Thread
from demo.pipeline import Pipeline
from demo.search import Index, load
from demo.server import Desk, Server

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with Server("127.0.0.1", int(sys.argv[1]), Desk(Pipeline(Index(load())), None, 0)) as s:
    s.serve_forever(0.02)
"""


def a_free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_results_are_written_before_what_was_started_is_ended(team):
    port = a_free_port()
    (team / "specs/lasting.py").write_text(LASTING)
    command = f"{sys.executable} lasting.py {port}"
    changed(team, "timeout: 2s", f"rate_limit: 5/s\n  start: {{command: '{command}'}}")
    running = subprocess.Popen(
        [sys.executable, "-m", "runner", "run", SPEC],
        cwd=team,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "RAG_URL": f"http://127.0.0.1:{port}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    folder = team / "rag-eval-results"
    log, report = folder / "responses.jsonl", folder / "results.json"
    try:
        until(lambda: log.exists() and log.stat().st_size)
        running.send_signal(signal.SIGINT)
        until(report.exists)
        time.sleep(0.6)  # sooner it would be a wrapper's copy of the first
        waits = running.poll() is None  # for the service, which heeds no such request
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=4)
    finally:
        running.kill()
        running.communicate()

    assert (running.returncode, waits) == (130, True)
    assert results(team)["totals"]["not_asked"] > 0
    assert "Traceback" not in err
    with socket.socket() as gone:
        assert gone.connect_ex(("127.0.0.1", port)) != 0


def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)


def test_init_writes_what_validate_accepts(team):
    fresh = team / "fresh"
    fresh.mkdir()

    made = rag_eval("init", cwd=fresh)
    again = rag_eval("init", cwd=fresh)
    spec = next(fresh.rglob("*.yaml"))

    assert made.exit == 0
    assert "  set RAG_URL, RAG_TOKEN, or write the values into the spec\n" in made.out
    assert "  rag-eval probe evals/rag.yaml  # " in made.out
    assert again.exit == 2
    assert "there already" in again.err
    assert spec.exists()


def test_init_below_the_top_of_a_repository_puts_the_workflow_where_it_is_read(team):
    (team / "mono/.git").mkdir(parents=True)
    bots = [team / "mono/bots" / name for name in ("a", "b")]

    first, second = (
        rag_eval("init", bot.relative_to(team / "mono"), cwd=team / "mono")
        for bot in bots
    )

    workflow = yaml.safe_load((team / "mono" / WORKFLOW).read_text())
    step = workflow["jobs"]["evaluate"]["steps"][-1]
    assert (first.exit, second.exit) == (0, 0)
    assert step["with"]["spec"] == "bots/a/evals/rag.yaml"
    assert not any((bot / ".github").exists() for bot in bots)
    assert f"  add bots/b/evals/rag.yaml to the specs of {WORKFLOW}" in second.out
    assert (bots[1] / "evals/rag.yaml").exists()


def test_an_address_without_its_scheme_is_no_missing_file(team):
    ended = rag_eval("probe", "localhost:9000/chat", cwd=team)

    assert (ended.exit, ended.out) == (2, "")
    assert "(for a server, write http://localhost:9000/chat)" in ended.err


def test_the_schema_and_the_metrics_are_printed(team):
    schema = rag_eval("schema", cwd=team)
    listed = rag_eval("metrics", cwd=team)
    checked = rag_eval(
        "metrics", "--check", ROOT / "specs/worked-examples.yaml", cwd=team
    )

    assert "thresholds" in json.loads(schema.out)["properties"]
    names = {line.split()[1] for line in listed.out.splitlines()}
    assert {"recall", "accuracy", "error_rate", "coverage", "latency_p95"} <= names
    assert listed.out.count("By a judge.") == 8
    assert checked.exit == 0


def test_a_worked_example_that_differs_is_exit_1(team):
    examples = team / "mine.yaml"
    examples.write_text(
        "- {metric: recall@5, expected_doc_ids: [a, b], retrieved: [a], value: 1}\n"
    )

    ended = rag_eval("metrics", "--check", examples, cwd=team)

    assert ended.exit == 1
    assert "0.5" in ended.out


@pytest.mark.parametrize(
    "arguments", [[], ["run"], ["run", "none.yaml"], ["run", SPEC, "--limit", "0"]]
)
def test_a_wrong_call_is_exit_2_without_a_traceback(team, arguments):
    ended = rag_eval(*arguments, cwd=team)

    assert ended.exit == (2 if arguments else 0) or "Usage" in ended.err + ended.out
    assert "Traceback" not in ended.err


def test_a_mistake_in_a_case_file_is_no_command_to_a_workflow(team):
    hostile = json.dumps([{"id": "a\n::error::b\x1b[2J", "question": "q"}] * 2)
    team.joinpath("specs/quickstart.json").write_text(hostile, "utf-8")
    spec = team / "specs/quickstart.yaml"
    spec.write_text("endpoint: {url: 'http://127.0.0.1:9'}\ncases: quickstart.json\n")

    for command in ("run", "validate"):
        ended = rag_eval(command, "specs/quickstart.yaml", cwd=team)

        assert (ended.exit, "stands twice" in ended.err) == (2, True)
        assert not [line for line in ended.err.splitlines() if line.startswith("::")]
        assert "\x1b" not in ended.err


def test_a_reader_who_left_changes_no_verdict(team, service):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "runner", "run", SPEC],
        cwd=team,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAG_URL": service},
        stdout=writing,
        stderr=writing,
        timeout=60,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, results(team)["verdict"]) == (0, "passed")


def test_a_terminal_without_unicode_gets_the_table_all_the_same(team, service):
    ended = rag_eval(
        "run", SPEC, cwd=team, RAG_URL=service, PYTHONIOENCODING="ascii:strict"
    )

    assert (ended.exit, "15 of 15 gates passed" in ended.out) == (0, True)


def test_no_link_leads_results_out_of_the_workspace(team, service, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (team / "rag-eval-results").symlink_to(outside)

    ended = rag_eval("run", SPEC, "--quiet", cwd=team, RAG_URL=service)

    assert (ended.exit, list(outside.iterdir())) == (2, [])
    assert "a folder of their own inside the workspace" in ended.err


def test_a_service_that_runs_already_is_not_taken_for_the_one_to_start(team, service):
    start = "endpoint:\n  start: {command: python -c pass}\n"
    changed(team, "endpoint:\n", start)

    ended = rag_eval("run", SPEC, "--quiet", cwd=team, RAG_URL=service)

    assert (ended.exit, results(team)["verdict"]) == (3, "error")
    assert "something answers there already, before endpoint.start" in ended.err


WAITS = '  wait_for: {url: "${RAG_URL:-http://127.0.0.1:9000}/health", timeout: 30s}\n'


def test_nor_where_the_spec_waits_for_nothing(team, service):
    changed(team, WAITS, "  start: {command: sleep 60}\n")

    ended = rag_eval("run", SPEC, "--quiet", cwd=team, RAG_URL=service)

    assert (ended.exit, results(team)["totals"]["not_asked"]) == (3, 59)
    assert "endpoint.url: something answers there already" in ended.err


def test_what_is_started_is_waited_for_until_it_accepts_connections(team):
    port = a_free_port()
    command = f"{sys.executable} -m demo --port {port}"
    changed(team, WAITS, f"  start: {{command: '{command}'}}\n")
    changed(team, "retries: 1", "retries: 0")

    ended = rag_eval(
        "run", SPEC, "--quiet", cwd=team, RAG_URL=f"http://127.0.0.1:{port}"
    )

    assert (ended.exit, results(team)["totals"]["errors"]) == (0, 0)

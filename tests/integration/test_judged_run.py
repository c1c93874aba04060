"""A whole run with a judge: what it may decide, what it costs, and what stops it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from datetime import date

import pytest
import yaml

from runner.calibration import Agreement, Calibration, Entry, Labels
from runner.judges.fingerprints import fingerprints
from runner.metrics import registry
from runner.spec import JudgeSpec
from tests.chatting import Server, failing, said, saying
from tests.program import ROOT, rag_eval

KEY = "sk-canary-0123456789"
CANARY = "the-passage-canary"
GOOD, BAD = "Refunds take 30 days.", "Refunds take 30 days. Pigs fly."
CASES = 12
FLOOR = {"faithfulness": {"min": 0.99}}


@pytest.fixture
def team(tmp_path):
    """A workspace whose replies are recorded: each second one makes a claim up."""
    cases, lines = [], []
    for number in range(CASES):
        name = f"qa-{number}"
        question = f"How long do refunds of kind {number} take?"
        cases.append({"id": name, "question": question, "must_include": ["30 days"]})
        passage = {"id": "d#1", "text": f"Refunds take 30 days. {CANARY}-{number}"}
        answer = GOOD if number % 2 else BAD
        reply = {"answer": answer, "contexts": [passage]}
        lines.append(json.dumps({"case_id": name, "response": reply}))
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.fixture
def run(team):
    """Runs a spec with a judge at a server; further keys of the spec are given."""

    def make(server, judge=None, *words, replay="replies.jsonl", **more):
        block = {"url": server.url, "model": "m", "api_key": "${KEY}", "drift": 0}
        spec = {
            "endpoint": {"url": "http://localhost:9/"},
            "cases": "cases.json",
            "metrics": ["faithfulness"],
            "judge": {**block, **(judge or {})},
            **more,
        }
        (team / "spec.yaml").write_text(yaml.safe_dump(spec))
        given = ["--replay", replay] if replay else []
        return rag_eval("run", "spec.yaml", *given, *words, cwd=team, KEY=KEY)

    return make


@pytest.fixture
def calibrated(team):
    """Writes a calibration of the judge with so many labels on which it was wrong."""

    def write(wrong=0, **other):
        judge = JudgeSpec.model_validate({"url": "http://x", "model": "m", **other})
        rated = [(1.0, True, True)] * (40 - wrong) + [(0.0, False, False)] * 40
        found = Agreement.of(rated + [(1.0, True, False)] * wrong)
        metric = registry["faithfulness"]
        entry = Entry(
            version=metric.version,
            tasks=dict(fingerprints(metric.tasks, ROOT / "templates")),
            mark=0.99,
            mark_from="pass",
            whole=found,
            languages={"en": found},
        )
        kept = Calibration(
            made=date(2026, 11, 1),
            judge=judge.identity,
            labels=Labels(file="labels.csv", sha256="0" * 64),
            metrics={"faithfulness": entry},
        )
        (team / "calibration.json").write_text(kept.model_dump_json())
        return {"calibration": "calibration.json"}

    return write


def test_a_judge_that_nobody_calibrated_turns_no_run_red(run):
    with Server() as server:
        ended = run(server, thresholds=FLOOR)

    gate = next(g for g in ended.results["gates"] if g["metric"] == "faithfulness")
    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    assert (gate["outcome"], gate["level"]) == ("failed", "warn")
    assert "(only a warning: the judge is not calibrated)" in gate["message"]
    assert any(
        note.startswith("faithfulness only advises: it turns nothing red or green")
        for note in ended.results["notices"]
    )


def test_nor_does_its_pass_mark_decide_what_passes(run, team):
    cases = json.loads((team / "cases.json").read_text())
    for case in cases:
        del case["must_include"]
    (team / "cases.json").write_text(json.dumps(cases))
    marks = {"answer_correctness": 0.5, "faithfulness": 0.99}
    with Server() as server:
        ended = run(server, **{"pass": marks})

    totals = ended.results["totals"]
    assert (totals["passed"], totals["failed"]) == (0, 0)
    assert totals["undetermined"] == CASES


def test_a_calibrated_one_decides(run, calibrated):
    with Server() as server:
        ended = run(server, calibrated(), thresholds=FLOOR, **{"pass": FLOOR_MARK})

    weight = ended.results["judge"]["weights"]["faithfulness"]
    assert (ended.exit, ended.results["verdict"]) == (1, "failed")
    assert ended.results["totals"]["failed"] == CASES / 2
    assert (weight["decides"], weight["calibrated"]) == (True, True)
    assert weight["why"].startswith("kappa 1.00")
    assert ended.results["failures"][0]["layer"] == "grounding"


FLOOR_MARK = {"faithfulness": 0.99}


@pytest.mark.parametrize(
    ("wrong", "calibrated_as", "block", "why"),
    [
        (18, {}, {}, "is below 0.6"),
        (0, {}, {"min_kappa": 1, "temperature": 0.5}, "with temperature 0.0"),
        (0, {"model": "other"}, {}, "calibrated with model other, and it is m now"),
    ],
)
def test_one_that_was_calibrated_otherwise_does_not(
    run, calibrated, wrong, calibrated_as, block, why
):
    block = {**calibrated(wrong, **calibrated_as), **block}
    with Server() as server:
        ended = run(server, block, thresholds=FLOOR)

    assert ended.exit == 0
    assert why in ended.results["judge"]["weights"]["faithfulness"]["why"]


def test_block_overrides_that_where_everybody_sees_it(run, team):
    with Server() as server:
        ended = run(server, {"uncalibrated": "block"}, thresholds=FLOOR)

    comment = (team / "rag-eval-results/comment.md").read_text("utf-8")
    assert ended.exit == 1
    assert "UNCALIBRATED, AND IT BLOCKS: faithfulness" in comment


def test_a_calibration_that_is_not_there_is_an_error(run):
    with Server() as server:
        ended = run(server, {"calibration": "calibration.json"})

    assert ended.exit == 2
    assert "spec.yaml" in ended.err
    assert "calibration.json cannot be read" in ended.err


def test_what_is_wrong_with_a_calibration_is_told_at_its_own_file(run, team):
    (team / "calibration.json").write_text("{", "utf-8")
    with Server() as server:
        ended = run(server, {"calibration": "calibration.json"})

    assert ended.exit == 2
    assert "rag-eval: calibration.json: is no JSON" in ended.err


@pytest.mark.parametrize(
    "fault",
    [
        failing(429),
        failing(500),
        saying("<html>"),
        saying('{"choices": [{"message": {"con'),
        saying(said('{"claims": ')),
        saying(said('{"verdicts": []}')),
        saying(said("", "length")),
        saying(said(None, refusal="no")),
        lambda *_: bool(time.sleep(0.4)) or True,
    ],
)
def test_a_judge_that_is_down_turns_nothing_red_and_is_told(run, fault):
    with Server(fault) as server:
        block = {"retries": 0, "timeout": "200ms", "stop_after": 3}
        ended = run(server, block, thresholds={**FLOOR, "coverage": {"min": 1}})

    found = ended.results["summaries"]["faithfulness"]
    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    assert (found["scored"], found["failed"]) == (0, CASES)
    assert ended.results["judge"]["failed"] >= 3
    assert len(server.asked) <= 2 * (8 + 3)  # those under way, each twice
    assert any(
        "THE JUDGE GAVE NO SCORE: faithfulness in 12 of 12" in note
        for note in ended.results["notices"]
    )


def test_a_calibrated_judge_that_is_down_leaves_its_gate_unmeasured(run, calibrated):
    with Server(failing(500)) as server:
        block = {**calibrated(), "retries": 0, "concurrency": 1}
        ended = run(server, block, thresholds=FLOOR)

    gate = next(g for g in ended.results["gates"] if g["metric"] == "faithfulness")
    assert (ended.exit, gate["outcome"]) == (1, "unmeasured")
    assert "HTTP 500" in gate["message"]
    assert len(server.asked) == 10


def test_a_budget_that_is_used_up_is_the_reason_of_what_is_not_rated(run):
    with Server() as server:
        ended = run(server, {"budget": {"max_calls": 6}, "concurrency": 1})

    found = ended.results["summaries"]["faithfulness"]
    assert len(server.asked) == 6
    assert found["failed"] == CASES - found["scored"]
    assert "budget: max_calls 6 is used up" in found["reasons"]


def test_a_judge_is_asked_only_where_the_layers_above_have_held(run, team):
    lines = (team / "replies.jsonl").read_text().replace("Refunds take 30 days. P", "P")
    (team / "replies.jsonl").write_text(lines)
    metrics = ["faithfulness", "answer_correctness"]
    cases = json.loads((team / "cases.json").read_text())
    for case in cases:
        case["reference"] = GOOD
    (team / "cases.json").write_text(json.dumps(cases))
    with Server() as server:
        cheap = run(server, metrics=metrics)
        few = len(server.asked)
        always = run(server, {"when": "always"}, metrics=metrics)

    found = cheap.results["summaries"]["answer_correctness"]
    assert (found["scored"], found["unscored"]) == (CASES / 2, CASES / 2)
    assert "not judged, as grounding failed before it" in found["reasons"]
    assert cheap.results["summaries"]["faithfulness"]["scored"] == CASES
    assert always.results["summaries"]["answer_correctness"]["scored"] == CASES
    assert few < len(server.asked) - few


def test_a_second_run_makes_no_call_and_finds_the_same(run):
    with Server() as server:
        first = run(server, {"cache": "judge.jsonl"})
        asked = len(server.asked)
        second = run(server, {"cache": "judge.jsonl"})

    assert len(server.asked) == asked
    assert second.results["summaries"] == first.results["summaries"]
    assert (second.results["judge"]["calls"], second.results["judge"]["failed"]) == (
        0,
        0,
    )


def test_a_recorded_judge_needs_nobody(run):
    with Server() as server:
        first = run(server, {"cache": "judge.jsonl"})
    again = run(server, {"recorded": "judge.jsonl"})

    assert again.exit == 0
    assert again.results["summaries"] == first.results["summaries"]
    assert again.results["judge"]["host"] == ""


def test_cases_stay_in_the_order_in_which_they_came(run, team):
    def uneven(_handler, body):
        time.sleep(0.15 if "kind 1 " in body["messages"][1]["content"] else 0)
        return False

    with Server(uneven) as server:
        run(server, {"concurrency": 4})

    lines = (team / "rag-eval-results/cases.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [
        f"qa-{number}" for number in range(CASES)
    ]


def test_scores_that_come_out_otherwise_are_told(run):
    seen = set()

    def moody(handler, body):
        prompt = body["messages"][1]["content"]
        if '"verdicts"' not in body["messages"][0]["content"]:
            return False
        if prompt in seen:
            numbers = range(1, 1 + prompt.count("\n1. ") + prompt.count("\n2. "))
            none = [
                {"number": n, "reason": "", "supported": False, "passages": []}
                for n in numbers
            ]
            return handler.send(200, said(json.dumps({"verdicts": none})))
        seen.add(prompt)
        return False

    with Server(moody) as server:
        ended = run(server, {"drift": "100%"})

    drift = ended.results["judge"]["drift"]
    assert (drift["items"], drift["flips"]) == (CASES, CASES)
    assert any("THE JUDGE IS NOT STEADY" in note for note in ended.results["notices"])


def test_the_same_share_is_asked_again_past_the_cache_in_every_run(run):
    with Server() as server:
        run(server, {"cache": "judge.jsonl", "drift": "50%"})
        first = len(server.asked)
        second = run(server, {"cache": "judge.jsonl", "drift": "50%"})

    again = second.results["judge"]
    assert again["calls"] == len(server.asked) - first
    assert again["drift"] == {"items": again["calls"] / 2, "flips": 0}
    assert 0 < again["drift"]["items"] < CASES


def test_three_trials_are_three_answers(run, team):
    lines = (team / "replies.jsonl").read_text().splitlines()
    tried = [
        json.dumps({**json.loads(line), "trial": trial})
        for line in lines
        for trial in (1, 2, 3)
    ]
    (team / "replies.jsonl").write_text("\n".join(tried))
    with Server() as server:
        run(server, trials=3)

    assert len(server.asked) == 2 * 3 * CASES


def test_nothing_secret_leaves(run, team):
    def telling(handler, body):
        told = body["messages"][1]["content"]
        return handler.send(422, {"error": {"message": f"{KEY} {told}"}, "all": told})

    with Server(telling) as server:
        ended = run(server, {"retries": 0}, thresholds=FLOOR)

    folder = team / "rag-eval-results"
    written = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    told = {"out": ended.out, "err": ended.err, **written}
    assert [name for name, text in told.items() if KEY in text] == []
    assert [name for name, text in told.items() if CANARY in text] == []
    assert all(KEY not in json.dumps(body) for body in server.asked)


def test_a_spec_without_its_key_is_skipped_where_no_secrets_are(run, team):
    with Server() as server:
        run(server)
    ended = rag_eval("run", "spec.yaml", "--replay", "replies.jsonl", cwd=team)

    assert ended.exit == 2
    assert "KEY is missing or empty" in ended.err


@pytest.fixture
def validated(run, team):
    """Gives what ``validate`` says of a spec with a judge."""

    def make(judge=None, **more):
        with Server() as server:
            run(server, judge, replay=None, **more)  # writes the spec
            ended = rag_eval("validate", "spec.yaml", cwd=team, KEY=KEY)
        assert server.asked == []
        return ended

    return make


def test_what_judging_will_take_is_told_before_the_first_request(validated):
    price = {"input": 0.15, "output": 0.6}
    ended = validated({"price": price, "budget": {"max_calls": 20}})

    assert ended.exit == 0
    line = next(line for line in ended.out.splitlines() if "judge m at 127" in line)
    assert "at most about 24 requests" in line
    assert "USD" in line
    assert "judge.budget.max_calls is 20, which may not suffice" in ended.out
    assert "faithfulness only advises" not in ended.out


def test_a_limit_that_cannot_block_is_told_before_the_first_request(validated):
    ended = validated(thresholds=FLOOR)

    assert "faithfulness only advises: it turns nothing red or green" in ended.out


def test_a_judge_that_nothing_asks_is_told(validated):
    ended = validated(metrics=["key_points"])

    assert "judge: nothing that is measured asks it" in ended.out


def test_a_judge_at_an_address_that_is_never_asked_is_an_error(validated):
    ended = validated({"url": "http://169.254.169.254/v1"})

    assert ended.exit == 2
    assert "judge.url: 169.254.169.254 is a link-local" in ended.err


def started(run, team, url):
    """Give a run that is under way, of a spec whose judge is at a URL."""
    with Server() as server:
        run(server, {"recorded": "none.jsonl"})  # which is not there: writes the spec
    spec = yaml.safe_load((team / "spec.yaml").read_text())
    del spec["judge"]["recorded"]
    spec["judge"]["url"] = url
    (team / "spec.yaml").write_text(yaml.safe_dump(spec))
    words = ("run", "spec.yaml", "--replay", "replies.jsonl")
    return subprocess.Popen(
        [sys.executable, "-m", "runner", *words],
        cwd=team,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_does_not_wait_for_a_judge(run, team, number):
    def slow(_handler, _body):
        time.sleep(20)
        return True

    with Server(slow) as server:
        running = started(run, team, server.url)
        until = time.monotonic() + 20
        while not server.asked and time.monotonic() < until:
            time.sleep(0.05)
        began = time.monotonic()
        running.send_signal(number)
        _, err = running.communicate(timeout=15)

    found = json.loads((team / "rag-eval-results/results.json").read_text())
    assert running.returncode == 130
    assert time.monotonic() - began < 5
    assert "Traceback" not in err
    assert found["summaries"]["faithfulness"]["scored"] == 0
    assert "cancelled; what was finished is kept" in found["reasons"][0]


def test_a_stop_does_not_wait_for_a_connection_either(run, team):
    with ExitStack() as open_:
        full = open_.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):  # what is not accepted fills the line, and the next waits
            waiting = open_.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        running = open_.enter_context(started(run, team, url))
        time.sleep(4)  # by then it waits for the connection; nothing tells that it does
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)

    assert running.returncode == 130
    assert time.monotonic() - began < 8
    assert "Traceback" not in err


def test_what_a_server_says_is_no_markup_in_a_comment(run, team):
    evil = "@octocat ![x](http://evil.example/x.png) <b>|a|b|</b>"
    with Server(failing(400, body={"error": {"message": evil}})) as server:
        run(server, {"retries": 0}, thresholds=FLOOR)

    comment = (team / "rag-eval-results/comment.md").read_text("utf-8")
    outside = "".join(comment.split("`")[::2])
    assert "evil.example" in comment
    assert [part for part in ("@octocat", "![x]", "<b>") if part in outside] == []


def test_without_its_key_the_rest_of_a_run_counts(run, team):
    def locked(handler, _):
        granted = handler.headers.get("Authorization")
        return not granted and handler.send(401, {"error": {"code": "no_key"}})

    with Server(locked) as server:
        run(server, {"api_key": "${KEY:-}"}, thresholds=FLOOR)
        given = ("run", "spec.yaml", "--replay", "replies.jsonl")
        ended = rag_eval(*given, cwd=team, KEY="")

    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    assert ended.results["totals"]["passed"] == CASES
    assert ended.results["summaries"]["faithfulness"]["failed"] == CASES


def test_nobody_is_asked_where_nothing_is_judged(run):
    with Server() as server:
        ended = run(server, metrics=["key_points"])

    assert (ended.exit, server.asked, ended.results["judge"]) == (0, [], None)


def test_another_judge_is_not_compared_with_the_baseline(run, team):
    drop = {"faithfulness": {"max_drop": 0.02}}
    with Server() as server:
        run(server, {"model": "older"})
        (team / "rag-eval-results").rename(team / "before")
        ended = run(server, None, "--baseline", "before", thresholds=drop)

    unlike = ended.results["comparison"]["not_comparable"]
    gate = next(g for g in ended.results["gates"] if g["metric"] == "faithfulness")
    assert gate["outcome"] == "inconclusive"
    assert any("judged by older, temperature 0" in entry for entry in unlike)


def test_a_judge_that_loses_its_say_takes_no_other_drop_with_it(run, team):
    more = {
        "pass": {"faithfulness": 0.8},
        "metrics": ["faithfulness", "lexical_grounding"],
        "thresholds": {"lexical_grounding": {"max_drop": 0.02}},
    }
    with Server() as server:
        run(server, {"uncalibrated": "block"}, **more)
        (team / "rag-eval-results").rename(team / "before")
        replies = team / "replies.jsonl"
        worse = replies.read_text("utf-8").replace(BAD, f"{BAD} Cows sing at noon.")
        replies.write_text(worse, "utf-8")
        ended = run(server, None, "--baseline", "before", **more)

    compared = ended.results["comparison"]
    assert ended.exit == 1
    assert (compared["pairs"], compared["regressed"]) == (0, [])
    assert compared["not_comparable"][0].startswith("accuracy: the pass marks that")
    assert "lexical_grounding fell by 0." in ended.out
    assert "what passes is not comparable with the baseline" in ended.out


def test_from_labels_by_people_to_a_limit_that_blocks(run, team):
    labels = []
    for number in range(60):
        answer, label = (GOOD, "good") if number % 2 else (BAD, "bad")
        question = f"How long do refunds of kind {number} take?"
        texts = {"question": question, "answer": answer, "contexts": [GOOD]}
        labels.append({"metric": "faithfulness", "label": label, **texts})
    (team / "labels.json").write_text(json.dumps(labels))
    block, keys = {"calibration": "calibration.json"}, {"thresholds": FLOOR}
    keys["pass"] = FLOOR_MARK
    calibrate = ("calibrate", "spec.yaml", "--labels", "labels.json", "--copies", "0")
    with Server() as server:
        before = run(server, block, **keys)
        made = rag_eval(*calibrate, cwd=team, KEY=KEY)
        after = run(server, block, **keys)

    assert (before.exit, made.exit, after.exit) == (2, 0, 1), made.err
    assert after.results["judge"]["weights"]["faithfulness"]["calibrated"]
    assert KEY not in made.out + made.err + (team / "calibration.json").read_text()


def test_many_are_rated_at_once(run, team):
    cases, lines, many, delay, threads = [], [], 64, 0.2, 16
    for number in range(many):
        cases.append({"id": f"c{number}", "question": f"How long is {number}?"})
        passage = {"id": "d#1", "text": GOOD}
        said = {"answer": f"It is {number} days.", "contexts": [passage]}
        lines.append(json.dumps({"case_id": f"c{number}", "response": said}))
    (team / "cases.json").write_text(json.dumps(cases))
    (team / "replies.jsonl").write_text("\n".join(lines))
    with Server(delay=delay) as server:
        ended = run(server, {"concurrency": threads})

    ideal = len(server.asked) * delay / threads
    assert len(server.asked) == 2 * many
    assert ended.results["judge"]["calls"] == 2 * many
    assert ideal <= ended.results["duration_s"] < 1.5 * ideal + 0.5

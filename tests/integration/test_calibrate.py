"""A judge is held against people over real HTTP, and by that a run lets it decide."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.chatting import Server, failing
from tests.program import ROOT, rag_eval

pytestmark = pytest.mark.e2e

KEY = "sk-canary-0123456789"
SPEC = """\
endpoint:
  url: http://localhost:9/rag
  body: {query: "{{ question }}"}
cases: cases.json
judge:
  url: URL
  model: m-1
  api_key: ${JUDGE_KEY}
  calibration: calibration.json
  retries: 0
pass: {faithfulness: 0.8}
thresholds:
  faithfulness: {min: 0.9}
"""
CALIBRATION = "calibration.json"


@pytest.fixture
def server():
    with Server() as server:
        yield server


def reply(n):
    """One case with its reply, and whether people call it good."""
    good = n % 3 > 0
    if n % 2:
        question = f"第{n}号商品可在几天内退货？"
        answer = f"{n}天内可以退货。" if good else "保修十年。"
        context = f"第{n}号商品在{n}天内可以退货。"
    else:
        question = f"How many days for item {n}?"
        answer = f"It is {n} days." if good else "Warranty covers everything."
        context = f"Item {n}: it is {n} days."
    contexts = [{"id": "d#1", "text": context}, {"id": "d#2", "text": "——"}]
    case = {"id": f"qa-{n}", "question": question, "type": "fact"}
    return case, {"answer": answer, "contexts": contexts}, good


def label(n, **more):
    case, response, good = reply(n)
    said = {"metric": "faithfulness", "label": "good" if good else "bad"}
    return {**case, **response, **said, **more}


def written(team, name, records):
    text = "\n".join(json.dumps(record) for record in records)
    (team / name).write_text(text, "utf-8")


@pytest.fixture
def team(tmp_path, server):
    (tmp_path / ".git").mkdir()
    (tmp_path / "spec.yaml").write_text(SPEC.replace("URL", server.url), "utf-8")
    pairs = [reply(n)[:2] for n in range(120)]
    (tmp_path / "cases.json").write_text(json.dumps([c for c, _ in pairs]), "utf-8")
    recorded = [{"case_id": c["id"], "response": response} for c, response in pairs]
    written(tmp_path, "replies.jsonl", recorded)
    written(tmp_path, "labels.jsonl", [label(n) for n in range(120)])
    return tmp_path


def changed(team, old, new):
    spec = team / "spec.yaml"
    text = spec.read_text("utf-8")
    assert old in text
    spec.write_text(text.replace(old, new), "utf-8")


def calibrate(team, *words, **environ):
    named = () if "--labels" in words else ("--labels", "labels.jsonl")
    environ = {"JUDGE_KEY": KEY, **environ}
    return rag_eval("calibrate", "spec.yaml", *named, *words, cwd=team, **environ)


def run(team, *more):
    words = ("run", "spec.yaml", "--replay", "replies.jsonl", *more)
    return rag_eval(*words, cwd=team, JUDGE_KEY=KEY)


def found(team, name=CALIBRATION):
    return json.loads((team / name).read_text("utf-8"))


def test_a_judge_that_agrees_with_people_may_turn_a_run_red(team):
    ended = calibrate(team, "--copies", 6)

    entry = found(team)["metrics"]["faithfulness"]
    assert ended.exit == 0, ended.err
    assert (entry["whole"]["labels"], entry["whole"]["kappa"]) == (120, 1.0)
    assert {name: part["labels"] for name, part in entry["languages"].items()} == {
        "en": 60,
        "zh": 60,
    }
    assert entry["flips"]["swapped"] == {
        "items": 6,
        "to_good": 0,
        "to_bad": 0,
        "failed": 0,
    }
    assert "it may block: kappa 1.00 (0.89 to 1.00) on 60 en labels" in ended.out
    assert "faithfulness: 120 items, and 18 changed copies" in ended.err
    assert "judge m-1 at 127.0.0.1" in ended.err
    assert "at most about 276 requests, " in ended.err
    red = run(team)
    assert (red.exit, red.results["verdict"]) == (1, "failed")


def test_another_model_is_not_calibrated_and_only_advises(team):
    calibrate(team, "--copies", 0)
    changed(team, "m-1", "m-2")

    ended = run(team)

    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    said = "calibrated with model m-1, and it is m-2 now"
    assert any(said in notice for notice in ended.results["notices"])


@pytest.fixture
def before(team, tmp_path_factory):
    """The workspace at the base commit, where the judge may decide."""
    calibrate(team, "--copies", 0)
    return shutil.copytree(team, tmp_path_factory.mktemp("before") / "base")


def yardstick(team, before):
    ended = run(team, "--before", before, "--loosened", "fail")
    moves = ended.results["yardstick"]
    return ended, [move for move in moves if move["what"] == "judge of faithfulness"]


def test_a_change_that_takes_the_decision_from_a_judge_is_told(team, before):
    swapped = {"good": "bad", "bad": "good"}
    labels = [label(n) for n in range(120)]
    for record in labels[:40]:
        record["label"] = swapped[record["label"]]
    written(team, "labels.jsonl", labels)
    calibrate(team, "--copies", 0)

    ended, moves = yardstick(team, before)

    assert ended.exit == 1
    assert [(move["before"], move["moved"]) for move in moves] == [
        ("decides", "loosened")
    ]
    assert moves[0]["after"].startswith("only advises, as kappa in en 0.")
    assert "judge of faithfulness decides -> only advises" in ended.out


def kept(team, before, edit):
    """Edit the replies in the cache, and give what a run tells of them."""
    cache = team / "judge.jsonl"
    lines = cache.read_text("utf-8").splitlines(keepends=True)
    cache.write_text("".join(edit(lines)), "utf-8")
    ended = run(team, "--before", before)
    return [
        (move["after"], move["moved"])
        for move in ended.results["yardstick"]
        if move["what"] == "replies in judge.cache"
    ]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda lines: lines, []),
        (lambda lines: lines[::-1], []),
        (lambda lines: lines[3:], []),
        (
            lambda lines: [
                *(line.replace("true", "false") for line in lines),
                '{"key": "another", "reply": {}}\n',
            ],
            [("80 otherwise, 1 new", "changed")],
        ),
    ],
)
def test_replies_that_a_change_brings_with_it_are_told(
    team, tmp_path_factory, edit, told
):
    changed(team, "retries: 0", "cache: judge.jsonl")
    calibrate(team, "--copies", 0)
    before = shutil.copytree(team, tmp_path_factory.mktemp("before") / "base")

    assert kept(team, before, edit) == told


def test_a_change_that_calibrates_a_judge_tightens(team, before):
    (before / CALIBRATION).write_text(
        (team / CALIBRATION).read_text("utf-8").replace('"m-1"', '"m-0"'), "utf-8"
    )

    _, moves = yardstick(team, before)

    assert [(move["before"], move["after"], move["moved"]) for move in moves] == [
        ("only advises", "decides", "tightened")
    ]


def test_a_calibration_that_is_as_good_is_no_change(team, before):
    written(team, "labels.jsonl", [label(n) for n in range(110)])
    calibrate(team, "--copies", 0)

    assert yardstick(team, before)[1] == []


def test_no_key_and_no_text_is_in_the_file_or_told(team):
    ended = calibrate(team, "--copies", 0)
    text = (team / CALIBRATION).read_text("utf-8")

    assert KEY not in text + ended.out + ended.err
    assert "Warranty" not in text
    assert "号商品" not in text


def test_labels_may_name_cases_whose_replies_are_recorded(team):
    rows = "".join(
        f"qa-{n},faithfulness,{'对' if reply(n)[2] else '错'}\n" for n in range(120)
    )
    sheet = f"case_id,metric,label\n{rows}"
    (team / "labels.csv").write_text(sheet, "gb18030")
    words = ("--labels", "labels.csv", "--copies", 0, "--out", "other.json")

    without = calibrate(team, *words)
    with_ = calibrate(team, *words, "--replay", "replies.jsonl")

    assert without.exit == 2
    assert "labels.csv:2 case_id: no reply to 'qa-0' is known" in without.err
    assert with_.exit == 0, with_.err
    assert found(team, "other.json")["metrics"]["faithfulness"]["whole"]["kappa"] == 1
    assert not (team / CALIBRATION).exists()


def test_a_spec_that_names_no_file_is_told_how_to(team):
    changed(team, "  calibration: calibration.json\n", "")

    ended = calibrate(team, "--copies", 0, "--out", "evals/judge.json")

    assert (
        "name it in the spec, under judge: calibration: /evals/judge.json" in ended.out
    )
    changed(team, "judge:\n", "judge:\n  calibration: /evals/judge.json\n")
    assert run(team).exit == 1


def test_a_sheet_has_low_scores_as_often_as_high_ones(team):
    changed(team, "  calibration: calibration.json\n", "")
    run(team)
    results = "rag-eval-results"
    words = ("annotate", results, "--replay", "replies.jsonl", "--sample", 20)

    ended = rag_eval(*words, "--to", "s.jsonl", cwd=team, JUDGE_KEY=KEY)
    assert ended.exit == 0, ended.err

    rows = [json.loads(line) for line in (team / "s.jsonl").read_text().splitlines()]
    good = [reply(int(row["case_id"].removeprefix("qa-")))[2] for row in rows]
    assert ended.exit == 0, ended.err
    assert (good.count(True), good.count(False)) == (10, 10)


def test_where_judge_and_people_differ_is_told(team):
    wrong = [label(n, **({"label": "bad"} if n == 1 else {})) for n in range(120)]
    written(team, "labels.jsonl", wrong)

    ended = calibrate(team, "--copies", 0)

    assert "they differ on 1 item, the judge's surest first:" in ended.out
    assert f"- qa-1: people bad, judge 1.00: {reply(1)[0]['question']}" in ended.out


def test_people_who_are_divided_are_left_out_and_told(team):
    records = [label(n, annotator=name) for name in ("a", "b") for n in range(120)]
    records[120]["label"] = "good"
    written(team, "labels.jsonl", records)

    ended = calibrate(team, "--copies", 0)

    assert "left out, as people are divided: 1 item" in ended.out
    assert "a and b among themselves: kappa 0.98 (" in ended.out
    assert found(team)["labels"]["disputed"] == 1
    assert found(team)["labels"]["annotators"] == 2


def test_few_labels_are_no_calibration_and_it_says_so(team):
    written(team, "labels.jsonl", [label(n) for n in range(60)])

    ended = calibrate(team, "--copies", 0)

    said = "it only advises: 30 scored labels in en, and 50 are needed"
    assert ended.exit == 0
    assert said in ended.out


def test_a_judge_that_is_down_is_exit_3_and_no_file(team, server):
    server.faults = (failing(500),)

    ended = calibrate(team)

    assert ended.exit == 3
    said = "no score of faithfulness on any of 120 items: the judge's server answered"
    assert f"{said} HTTP 500" in ended.err
    assert not (team / CALIBRATION).exists()


def test_a_budget_is_held_and_what_it_cost_is_told(team, server):
    changed(team, "  retries: 0", "  retries: 0\n  budget: {max_calls: 150}")

    ended = calibrate(team)

    assert ended.exit == 0
    assert len(server.asked) == 150
    assert "judge.budget.max_calls is 150, which may not suffice" in ended.err
    assert "150 requests, 18,000 tokens" in ended.out
    assert "budget: max_calls 150 is used up" in ended.out
    assert "it only advises" in ended.out


@pytest.mark.parametrize(
    ("old", "new", "words", "what"),
    [
        ("", "", ("--labels", "no.jsonl"), "no.jsonl: is not there"),
        ("", "", ("--out", "."), ".: is a folder"),
        ("", "", ("--good", "faithfulness"), "--good faithfulness: is no metric with"),
        ("", "", ("--good", "faithfulness=inf"), "is no metric with a score"),
        ("", "", ("--good", "faithfulnes=1"), "(did you mean faithfulness?)"),
        (
            "pass: {faithfulness: 0.8}",
            "",
            (),
            "nothing says from which score on faithfulness is good (write pass:",
        ),
        (
            "faithfulness",
            "answer_correctness",
            (),
            "labels.jsonl:1 metric: faithfulness is no judged metric of the spec",
        ),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_sent(
    team, server, old, new, words, what
):
    changed(team, old, new)

    ended = calibrate(team, *words)

    assert ended.exit == 2
    assert what in ended.err
    assert server.asked == []


def test_a_spec_without_a_judge_cannot_be_calibrated(team):
    text = SPEC[: SPEC.index("judge:")] + "metrics: [key_points]\n"
    (team / "spec.yaml").write_text(text, "utf-8")

    ended = calibrate(team)

    assert ended.exit == 2
    assert "the spec has no judge (write judge:" in ended.err


def test_a_mark_may_be_given_for_once(team):
    changed(team, "pass: {faithfulness: 0.8}", "")

    ended = calibrate(team, "--copies", 0, "--good", "faithfulness=0.5")

    entry = found(team)["metrics"]["faithfulness"]
    assert ended.exit == 0
    assert (entry["mark"], entry["mark_from"]) == (0.5, "option")


def test_it_can_be_stopped_and_then_writes_nothing(team, server):
    server.delay = 0.2
    words = ("calibrate", "spec.yaml", "--labels", "labels.jsonl")
    running = subprocess.Popen(
        [sys.executable, "-m", "runner", *words],
        cwd=team,
        env={**os.environ, "PYTHONPATH": str(ROOT), "JUDGE_KEY": KEY},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    begun = time.monotonic()
    while not server.asked and time.monotonic() < begun + 20:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)

    assert running.returncode == 130
    assert "cancelled" in err
    assert not (team / CALIBRATION).exists()

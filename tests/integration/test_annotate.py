"""People label a run's replies: a sheet goes out, and labels come back."""

import csv
import json
import shutil

import pytest

from tests.program import rag_eval

pytestmark = pytest.mark.e2e

SPEC = """\
endpoint:
  url: http://localhost:9/rag
  body: {query: "{{ question }}"}
cases: cases.json
metrics: [faithfulness]
judge: {url: "http://localhost:9/v1", model: none}
"""
QUESTIONS = {"en": "How many days?", "zh": "退货期限是几天？"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A workspace in which a run has ended; nobody was asked anything."""
    team = tmp_path_factory.mktemp("team")
    (team / ".git").mkdir()
    (team / "spec.yaml").write_text(SPEC, "utf-8")
    cases, replies = [], []
    for n in range(40):
        question = f"{QUESTIONS['zh' if n % 4 else 'en']} {n}"
        cases.append({"id": f"qa-{n}", "question": question, "must_include": ["15"]})
        answer = "=十天。" if n % 4 == 2 else "=15 days."
        contexts = [{"id": "d#1", "text": "15 days."}]
        reply = {"answer": answer, "contexts": contexts}
        replies.append(json.dumps({"case_id": f"qa-{n}", "response": reply}))
    cases.append({"id": "no", "question": "?", "type": "refusal"})
    replies.append(json.dumps({"case_id": "no", "response": reply}))
    (team / "cases.json").write_text(json.dumps(cases), "utf-8")
    (team / "replies.jsonl").write_text("\n".join(replies), "utf-8")
    ended = rag_eval("run", "spec.yaml", "--replay", "replies.jsonl", cwd=team)
    assert ended.exit in (0, 1), ended.err
    shutil.copy(team / "replies.jsonl", team / "rag-eval-results/responses.jsonl")
    return team


@pytest.fixture
def team(ran, tmp_path):
    return shutil.copytree(ran, tmp_path / "team")


RESULTS = "rag-eval-results"


def sheet_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def fill(path, rows, labels, encoding="utf-8-sig"):
    """Save a copy of a sheet, as somebody's spreadsheet does."""
    with path.open("w", encoding=encoding, newline="") as file:
        written = csv.DictWriter(file, rows[0], delimiter=";")
        written.writeheader()
        written.writerows(
            {**row, "label": label} for row, label in zip(rows, labels, strict=True)
        )


def test_a_sheet_goes_out_and_labels_come_back(team):
    out = rag_eval("annotate", RESULTS, "--to", "out/s.csv", "--sample", 10, cwd=team)
    rows = sheet_of(team / "out/s.csv")
    fill(team / "ann.csv", rows, ["good"] * 5 + ["bad"] * 4 + ["unsure"])
    fill(team / "bo.csv", rows, ["对"] * 4 + ["错"] * 5 + [""], "gb18030")
    read = ("--read", "ann.csv", "--read", "bo.csv", "--to", "labels.jsonl")

    back = rag_eval("annotate", RESULTS, *read, cwd=team)

    assert (out.exit, back.exit) == (0, 0), out.err + back.err
    assert "faithfulness: 10 of 40 replies, 5 in en, 5 in zh" in out.out
    assert "wrote out/s.guide.md" in out.out
    assert "19 labels on 10 items: 4 good, 4 bad, 2 without a majority" in back.out
    assert "ann and bo agree on 89% of 9 items, kappa 0.78 (" in back.out
    assert f"differ on {rows[4]['case_id']}: {rows[4]['question']}" in back.out
    labels = records(team / "labels.jsonl")
    assert [label["annotator"] for label in labels] == ["ann"] * 10 + ["bo"] * 9
    assert {label["answer"] for label in labels} <= {"=15 days.", "=十天。"}
    assert all(row["answer"].startswith("'=") for row in rows)


def test_the_same_reply_to_the_same_question_is_asked_about_once(team):
    cases = json.loads((team / "cases.json").read_text("utf-8"))
    cases[1]["question"] = cases[3]["question"] = "退货期限是几天？"
    (team / "cases.json").write_text(json.dumps(cases), "utf-8")
    again = ("--replay", "replies.jsonl")
    rag_eval("run", "spec.yaml", *again, "--out", "other", cwd=team)

    ended = rag_eval("annotate", "other", *again, "--to", "s.csv", cwd=team)

    assert "faithfulness: 39 of 39 replies" in ended.out, ended.err


def test_the_same_seed_gives_the_same_sheet(team):
    for name in ("a.csv", "b.csv"):
        rag_eval("annotate", RESULTS, "--to", name, "--sample", 10, cwd=team)

    assert (team / "a.csv").read_bytes() == (team / "b.csv").read_bytes()


def test_a_sheet_of_json_lines_is_read_too(team):
    rag_eval("annotate", RESULTS, "--to", "s.jsonl", "--sample", 2, cwd=team)
    lines = records(team / "s.jsonl")
    for line in lines:
        line["label"] = "good"
    text = "\n".join(map(json.dumps, lines))
    (team / "ann.jsonl").write_text(text, "utf-8")

    back = rag_eval("annotate", RESULTS, "--read", "ann.jsonl", cwd=team)

    assert (back.exit, back.out) == (
        0,
        "2 labels on 2 items: 2 good, 0 bad, 0 without a majority\n",
    )


@pytest.mark.parametrize(
    ("words", "status", "what"),
    [
        ((), 2, "annotate needs the name of a sheet (--to sheet.csv, or --read"),
        (("--to", "s.xlsx"), 2, "s.xlsx: a sheet ends in .csv or .jsonl"),
        (("--to", "s.csv", "--metric", "faithfulnes"), 2, "did you mean faithfulness?"),
        (("--to", "s.csv", "--metric", "mrr"), 2, "--metric mrr: no judged metric"),
        (("--to", "spec.csv/s.csv", "--spec", "no.yaml"), 2, "no.yaml: is not there"),
        (("--read", "no.csv"), 2, "no.csv: is not there"),
        (("--read", "a.csv", "--read", "a.csv"), 2, "a.csv: this sheet is named twice"),
        (("--to", "cases.json/s.csv"), 3, "cases.json/s.csv: cannot be written"),
        (("--to", "s.csv", "--replay", "no"), 2, "no: the replies of the run are not"),
    ],
)
def test_what_cannot_be_is_told(team, words, status, what):
    ended = rag_eval("annotate", RESULTS, *words, cwd=team)

    assert ended.exit == status
    assert what in ended.err
    assert not (team / "s.csv").exists()


def test_a_sheet_that_people_fill_in_is_never_overwritten(team):
    (team / "s.csv").write_text("a week's work", "utf-8")

    ended = rag_eval("annotate", RESULTS, "--to", "s.csv", cwd=team)

    assert ended.exit == 2
    assert "s.csv: is there already" in ended.err
    assert (team / "s.csv").read_text("utf-8") == "a week's work"


def test_a_sheet_of_another_run_is_refused(team):
    rag_eval("annotate", RESULTS, "--to", "s.csv", "--sample", 3, cwd=team)
    fill(team / "ann.csv", sheet_of(team / "s.csv"), ["good"] * 3)
    log = team / RESULTS / "responses.jsonl"
    log.write_text(log.read_text("utf-8").replace("15 days.", "16 days."), "utf-8")

    ended = rag_eval("annotate", RESULTS, "--read", "ann.csv", cwd=team)

    assert ended.exit == 2
    assert "ann.csv:2 item: is of no reply in these results" in ended.err


def test_a_question_that_was_changed_since_is_told(team):
    cases = team / "cases.json"
    cases.write_text(cases.read_text("utf-8").replace("days? 0", "weeks? 0"), "utf-8")

    ended = rag_eval("annotate", RESULTS, "--to", "s.csv", cwd=team)

    assert ended.exit == 2
    assert "qa-0 asked something else in these results (run again)" in ended.err


def test_a_spec_that_is_elsewhere_now_is_asked_for(team):
    (team / "spec.yaml").rename(team / "moved.yaml")

    lost = rag_eval("annotate", RESULTS, "--to", "s.csv", cwd=team)
    found = rag_eval(
        "annotate", RESULTS, "--to", "s.csv", "--spec", "moved.yaml", cwd=team
    )

    assert lost.exit == 2
    assert f"spec of these results, spec.yaml, is not in {team}" in lost.err
    assert "(say where it is now: --spec FILE)" in lost.err
    assert found.exit == 0


def test_whoever_makes_a_sheet_needs_no_key(team):
    spec = team / "spec.yaml"
    keyed = SPEC.replace("model: none", 'model: none, api_key: "${JUDGE_KEY}"')
    keyed = keyed.replace("http://localhost:9/rag", "${RAG_URL}/rag")
    headers = '  headers: {Authorization: "Bearer ${RAG_TOKEN}"}\n  match: document\n'
    spec.write_text(keyed.replace("cases:", f"{headers}cases:"), "utf-8")

    ended = rag_eval("annotate", RESULTS, "--to", "s.csv", cwd=team)

    assert (ended.exit, ended.err) == (0, "")
    assert len(sheet_of(team / "s.csv")) == 40


def test_a_spec_without_a_judged_metric_has_nothing_to_label(team):
    spec = team / "spec.yaml"
    spec.write_text(SPEC.replace("faithfulness", "key_points"), "utf-8")

    ended = rag_eval("annotate", RESULTS, "--to", "s.csv", cwd=team)

    assert ended.exit == 2
    assert "nothing is measured by a judge (add a metric such as" in ended.err

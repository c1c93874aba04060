"""A run held against the base commit: its bar, its baseline, and what a change does."""

import json
import shutil

import pytest

from tests.program import rag_eval

pytestmark = pytest.mark.e2e

SPEC = "evals/rag.yaml"
WRITTEN = """
endpoint: {url: http://127.0.0.1:9/ask}
cases: cases.jsonl
metrics: [recall@5]
thresholds:
  recall@5: {min: 0.6}
baseline: {path: baseline}
"""


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


@pytest.fixture
def team(tmp_path):
    """Two work trees, ``base`` and ``head``, and replies to score."""
    cases = [
        {
            "id": f"qa-{number}",
            "question": f"Question {number}?",
            "expected_doc_ids": ["d1"],
            "must_include": ["one"],
        }
        for number in range(12)
    ]
    reply = {"answer": "one", "contexts": [{"id": "d1", "text": "one"}]}
    log = [{"case_id": case["id"], "response": reply} for case in cases]
    for name in ("base", "head"):
        tree = tmp_path / name
        lines(tree / "evals/cases.jsonl", cases)
        lines(tree / "log.jsonl", log)
        (tree / SPEC).write_text(WRITTEN, "utf-8")
        (tree / ".git").mkdir()
    return tmp_path


def changed(tree, old, new):
    path = tree / SPEC
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def run(team, *options):
    head = team / "head"
    return rag_eval(
        *("run", SPEC, "--replay", "log.jsonl", "--quiet", "--before", "../base"),
        *options,
        cwd=head,
    )


def gate(ended, rule):
    [found] = [gate for gate in ended.results["gates"] if gate["rule"] == rule]
    return found


def test_nothing_changed_is_nothing_told(team):
    ended = run(team)

    assert (ended.exit, ended.results["yardstick"]) == (0, [])


def test_a_looser_limit_warns_on_its_line(team):
    changed(team / "head", "min: 0.6", "min: 0.5")

    ended = run(team)

    [change] = ended.results["yardstick"]
    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    assert change == {
        "what": "recall@5 min",
        "before": "0.6",
        "after": "0.5",
        "moved": "loosened",
        "line": 6,
    }
    assert (gate(ended, "yardstick")["level"], gate(ended, "yardstick")["line"]) == (
        "warn",
        6,
    )


@pytest.mark.parametrize(("word", "status"), [("fail", 1), ("ignore", 0)])
def test_what_a_looser_limit_does_is_chosen(team, word, status):
    changed(team / "head", "min: 0.6", "min: 0.5")

    ended = run(team, "--loosened", word)

    assert ended.exit == status
    assert ended.results["yardstick"][0]["moved"] == "loosened"


def test_a_filter_removes_no_case_from_the_yardstick(team):
    assert run(team, "--case", "qa-3").results["yardstick"] == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--limit", "6"), "1 left out: qa-0"),
        (("--limit", "12"), None),
        (("--case", "qa-0"), None),
    ],
)
def test_a_case_that_slips_out_of_a_filter_is_told(team, options, told):
    path = team / "head/evals/cases.jsonl"
    first, *rest = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*rest, first]), "utf-8")

    found = run(team, *options).results["yardstick"]

    assert [(each["after"], each["moved"]) for each in found] == (
        [(told, "loosened")] if told else []
    )


def test_trials_that_the_workflow_asks_for_are_none_of_the_change(team):
    assert run(team, "--trials", "3").results["yardstick"] == []


def test_a_case_that_is_removed_is_told(team):
    path = team / "head/evals/cases.jsonl"
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[1:]), "utf-8")

    ended = run(team)

    [change] = ended.results["yardstick"]
    assert (change["what"], change["after"]) == ("cases", "1 removed: qa-0")


def saved(tree):
    rag_eval("run", SPEC, "--replay", "log.jsonl", "--quiet", cwd=tree)
    done = rag_eval(
        *("baseline", "save", "rag-eval-results", "--to", "evals/baseline"), cwd=tree
    )
    assert done.exit == 0, done.err
    shutil.rmtree(tree / "rag-eval-results")


def test_the_baseline_is_the_base_commits_and_not_the_changes_own(team):
    saved(team / "base")
    shutil.copytree(team / "base/evals/baseline", team / "head/evals/baseline")
    own = team / "head/evals/baseline/cases.jsonl"
    own.write_text(own.read_text("utf-8").replace('"passed"', '"failed"'), "utf-8")

    ended = run(team)

    assert ended.results["comparison"]["pairs"] == 12
    assert ended.results["comparison"]["fixed"] == []


def test_a_baseline_that_the_change_removes_fails_the_run(team):
    saved(team / "base")

    ended = run(team)

    assert (ended.exit, gate(ended, "baseline")["outcome"]) == (1, "failed")
    assert "this change removes it" in ended.results["reasons"][0]


def test_a_baseline_that_the_change_brings_itself_is_used_and_told(team):
    saved(team / "head")

    ended = run(team)

    assert (ended.exit, ended.results["comparison"]["pairs"]) == (0, 12)
    assert any("the baseline is new" in said for said in ended.results["notices"])


def test_a_spec_that_is_new_loosens_nothing(team):
    (team / "base" / SPEC).unlink()

    ended = run(team)

    assert (ended.exit, ended.results["yardstick"]) == (0, [])
    assert any("is new" in said for said in ended.results["notices"])


def test_a_spec_that_was_wrong_before_does_not_stop_its_mending(team):
    changed(team / "base", "recall@5: {min: 0.6}", "recal@5: {min: 0.6}")

    ended = run(team)

    assert ended.exit == 0
    found = gate(ended, "yardstick")
    assert (found["outcome"], found["level"]) == ("unmeasured", "warn")
    assert "WHAT CHANGED IN THE SPEC IS NOT KNOWN" in found["message"]
    assert "recal@5" in found["message"]


def test_what_is_not_known_of_a_change_fails_where_looser_would(team):
    changed(team / "base", "recall@5: {min: 0.6}", "recal@5: {min: 0.6}")

    ended = run(team, "--loosened", "fail")

    assert (ended.exit, ended.results["verdict"]) == (1, "failed")


def test_a_replay_says_that_nobody_was_asked(team):
    [said] = run(team).results["notices"]

    assert said == "REPLAYED: nobody was asked; the replies are in log.jsonl"


def test_how_files_were_read_is_told_after_what_the_verdict_hangs_on(team):
    changed(team / "head", "recall@5: {min: 0.6}", "leakage: {level: warn}")
    for number in range(12):
        rows = [{"id": f"z-{number}", "question": f"Why {number}?", "note": "x"}]
        lines(team / f"head/evals/z{number}.jsonl", rows)
    changed(team / "head", "cases: cases.jsonl", "cases: '*.jsonl'")

    told = run(team).results["notices"]

    kept = [place for place, said in enumerate(told) if "kept in meta" in said]
    assert len(kept) == 12
    assert kept[0] > told.index(
        "A leak only warns here (thresholds.leakage.level is warn)"
    )


def test_a_folder_that_is_not_there_is_a_mistake(team):
    ended = rag_eval("run", SPEC, "--before", "../nowhere", cwd=team / "head")

    assert ended.exit == 2
    assert "--before ../nowhere: there is no such folder" in ended.err


def remembered(team, times=1):
    for _ in range(times):
        ended = run(team, "--history", "runs.jsonl", "--remember")
    return ended


def test_a_run_that_is_remembered_is_a_line_of_the_history(team):
    ended = remembered(team, times=2)

    kept = (team / "head/runs.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["values"]["recall@5"]["value"] for line in kept] == [1, 1]
    assert ended.results["trend"]["recall@5"] == [1, 1]


def test_a_run_that_only_looks_leaves_the_history_alone(team):
    remembered(team)

    ended = run(team, "--history", "runs.jsonl")

    assert len((team / "head/runs.jsonl").read_text("utf-8").splitlines()) == 1
    assert ended.results["trend"]["recall@5"] == [1, 1]


def test_a_run_over_a_part_is_never_remembered(team):
    run(team, "--history", "runs.jsonl", "--remember", "--case", "qa-1")

    assert not (team / "head/runs.jsonl").exists()


def test_a_limit_that_five_runs_beat_by_more_than_noise_is_offered_tighter(team):
    [offer] = remembered(team, times=5).results["tighter"]

    assert (offer["metric"], offer["limit"]) == ("recall@5", 0.6)
    assert 0.6 < offer["offered"] < 1


def test_a_history_that_was_cut_loses_no_line(team):
    remembered(team)
    path = team / "head/runs.jsonl"
    path.write_text(path.read_text("utf-8").rstrip("\n"), "utf-8")

    remembered(team)

    assert len(path.read_text("utf-8").splitlines()) == 2


def test_a_history_that_cannot_be_written_is_told_and_loses_no_results(team):
    ended = run(team, "--history", "/proc/runs.jsonl", "--remember")

    assert (ended.exit, ended.results["verdict"]) == (3, "passed")
    assert "the history cannot be written" in ended.err


def test_a_history_that_is_none_is_told_with_its_line(team):
    (team / "head/runs.jsonl").write_text('{"verdict": "passed"}\n', "utf-8")

    ended = run(team, "--history", "runs.jsonl")

    assert ended.exit == 2
    assert "runs.jsonl:1" in ended.err


def test_a_change_that_points_at_another_baseline_is_held_against_the_old(team):
    saved(team / "base")
    for tree in ("base", "head"):
        if tree == "head":
            shutil.copytree(team / "base/evals/baseline", team / "head/evals/other")
    changed(team / "head", "{path: baseline}", "{path: other}")
    own = team / "head/evals/other/cases.jsonl"
    own.write_text(own.read_text("utf-8").replace('"passed"', '"failed"'), "utf-8")

    ended = run(team)

    assert ended.results["comparison"]["fixed"] == []
    assert ended.results["yardstick"][0]["what"] == "baseline"
    assert ended.results["yardstick"][0]["after"] == "path other"


def test_results_that_a_step_has_brought_are_a_baseline(team):
    for tree in ("base", "head"):
        changed(team / tree, "{path: baseline}", "{results: ../then}")
    first = run(team)
    comment = (team / "head/rag-eval-results/comment.md").read_text("utf-8")
    shutil.copytree(team / "head/rag-eval-results", team / "head/then")

    second = run(team)

    assert first.results["comparison"] is None
    assert "A step before this one has to bring results to `then`." in comment
    assert second.results["comparison"]["pairs"] == 12


def test_a_case_that_the_baseline_has_can_be_made_to_stay(team):
    for tree in ("base", "head"):
        changed(team / tree, "{path: baseline}", "{path: baseline, removed: fail}")
    saved(team / "base")
    shutil.copytree(team / "base/evals/baseline", team / "head/evals/baseline")
    path = team / "head/evals/cases.jsonl"
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[1:]), "utf-8")

    ended = run(team)

    assert (ended.exit, gate(ended, "removed")["outcome"]) == (1, "failed")
    assert "1 case of the baseline is gone: qa-0" in ended.results["reasons"][0]


@pytest.mark.parametrize("source", ["branch: data", "artifact: runs"])
def test_what_only_github_has_is_said_to_be_there_and_lets_no_drop_pass(team, source):
    for tree in ("base", "head"):
        changed(team / tree, "path: baseline", source)
        changed(team / tree, "{min: 0.6}", "{min: 0.6, max_drop: 0.1}")

    ended = run(team)

    name = source.replace(":", "")
    assert ended.exit == 1
    assert f"the {name} is read through GitHub's API" in ended.out
    assert "GITHUB_TOKEN" in ended.out
    assert gate(ended, "max_drop")["outcome"] == "unmeasured"

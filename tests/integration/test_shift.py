"""Where a change for the worse came from: layers and ids beside a baseline."""

import json

import pytest

from tests.program import rag_eval

pytestmark = pytest.mark.e2e

SPEC = """
endpoint: {url: http://127.0.0.1:9/ask}
cases: cases.jsonl
metrics: [recall@5]
thresholds:
  accuracy: {min: 0.5}
baseline: {path: baseline}
"""
TEXTS = {"d1": "one or none", "d2": "two", "d7": "seven", "d8": "eight"}


def lines(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def reply(answer="one", ids=("d1",)):
    contexts = [{"id": name, "text": TEXTS[name]} for name in ids]
    return {"answer": answer, "contexts": contexts}


class Team:
    """A spec with twelve cases that can be replayed with other replies."""

    def __init__(self, folder):
        self.folder = folder
        self.names = [f"qa-{number}" for number in range(12)]
        (folder / "rag.yaml").write_text(SPEC, "utf-8")
        (folder / ".git").mkdir()
        cases = [
            {
                "id": name,
                "question": f"Question {name}?",
                "expected_doc_ids": ["d1"],
                "must_include": ["one"],
            }
            for name in self.names
        ]
        lines(folder / "cases.jsonl", cases)

    def run(self, **replies):
        """Replay; keys are names with ``_`` for ``-``, the other replies are right."""
        given = {name.replace("_", "-"): said for name, said in replies.items()}
        log = [
            {"case_id": name, "response": given.get(name, reply())}
            for name in self.names
        ]
        lines(self.folder / "log.jsonl", log)
        done = rag_eval(
            *("run", "rag.yaml", "--replay", "log.jsonl", "--quiet"), cwd=self.folder
        )
        assert done.exit in (0, 1), done.err
        return json.loads(self.shown("results.json"))

    def shown(self, name):
        return (self.folder / "rag-eval-results" / name).read_text("utf-8")

    def save(self):
        done = rag_eval(
            *("baseline", "save", "rag-eval-results", "--to", "baseline"),
            cwd=self.folder,
        )
        assert done.exit == 0, done.err


@pytest.fixture
def team(tmp_path):
    team = Team(tmp_path)
    team.run(qa_3=reply("none"))
    team.save()
    return team


def test_a_lost_document_is_named_with_its_rank_and_with_what_came_instead(team):
    found = team.run(
        qa_1=reply("seven", ("d7", "d8")),
        qa_2=reply("eight", ("d8",)),
        qa_3=reply("none"),
    )["comparison"]

    assert found["regressed"] == ["qa-1", "qa-2"]
    assert found["shifts"][0] == {
        "id": "qa-1",
        "was": "passed",
        "now": "failed",
        "layer_before": None,
        "cause_before": None,
        "layer": "retrieval",
        "cause": "retrieval.missed",
        "ranks": [{"id": "d1", "before": 1, "now": None}],
        "came": ["d7", "d8"],
    }
    assert found["layers"] == {"answer": 1}
    assert found["layers_now"] == {"answer": 1, "retrieval": 2}
    assert (found["worse"], found["better"], found["p"]) == (2, 0, 0.5)


def test_a_search_that_ranks_lower_broke_before_the_answers_that_are_wrong_by_it(team):
    spec = team.folder / "rag.yaml"
    spec.write_text(spec.read_text().replace("[recall@5]", "[mrr@5]"))
    team.run()
    team.save()
    outranked = reply("seven", ("d7", "d1"))  # within the mark of the context layer

    team.run(**{f"qa_{number}": outranked for number in range(7)})

    _, lead, *_ = team.shown("comment.md").split("\n")
    assert lead.startswith("**Context broke first.** accuracy is 0.42")
    assert "In 7 of 7 cases that newly fail in the answer layer, a relevant" in lead
    assert "First see why the passages of these cases fell" in team.shown("comment.md")


def test_the_comment_says_where_it_moved_and_what_chance_makes_of_it(team):
    team.run(
        qa_1=reply("seven", ("d7", "d8")),
        qa_2=reply("eight", ("d8",)),
        qa_3=reply("none"),
    )

    shown = team.shown("comment.md")

    assert "2 regressed: within noise (p = 0.5); " in shown
    assert "first failures: retrieval 0 → 2, answer unchanged." in shown
    assert "d1 is gone from rank 1; instead came d7, d8" in shown.replace("`", "")


def test_a_case_that_fails_elsewhere_has_moved_and_is_no_flip(team):
    found = team.run(qa_3=reply("seven", ("d7",)))["comparison"]

    assert (found["regressed"], found["moved"]) == ([], ["qa-3"])
    assert (found["worse"], found["better"]) == (0, 0)
    [shift] = found["shifts"]
    assert (shift["cause_before"], shift["cause"]) == (
        "answer.omission",
        "retrieval.missed",
    )


def test_a_baseline_without_ids_still_says_where_it_moved(team):
    kept = team.folder / "baseline/cases.jsonl"
    rows = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    lines(kept, [{**row, "retrieved": None} for row in rows])

    found = team.run(qa_1=reply("seven", ("d7",)))["comparison"]

    [shift] = found["shifts"]
    assert (shift["layer"], shift["ranks"], shift["came"]) == ("retrieval", [], [])


def test_two_results_folders_are_compared_alike(team):
    (team.folder / "rag-eval-results").rename(team.folder / "old")
    inside = team.run(qa_1=reply("seven", ("d7",)))["comparison"]

    done = rag_eval("compare", "old", "rag-eval-results", cwd=team.folder)

    assert inside["shifts"]
    assert "1 regressed" in done.out

"""A case in quarantine by the command line: measured, shown, and no gate of it."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.program import rag_eval

pytestmark = pytest.mark.e2e

SPEC = """
endpoint: {url: http://127.0.0.1:9/ask}
cases: cases.yaml
metrics: [recall@5]
thresholds:
  accuracy: {min: 1.0}
  recall@5: {min: 1.0}
baseline: {path: baseline}
"""
CASE = """
- id: %s
  question: Question %s?
  expected_doc_ids: [d1]
  must_include: [one]
"""
RIGHT = {"answer": "one", "contexts": [{"id": "d1", "text": "one"}]}
WRONG = {"answer": "seven", "contexts": [{"id": "d7", "text": "seven"}]}


def day(ahead):
    return (datetime.now(UTC).date() + timedelta(days=ahead)).isoformat()


def notice(ended, words):
    """Give the only notice that has these words."""
    [said] = [said for said in ended.results["notices"] if words in said]
    return said


class Team:
    """Three cases, of which the last is answered wrongly."""

    def __init__(self, folder):
        self.folder = folder
        (folder / ".git").mkdir(parents=True)
        self.spec(SPEC)
        self.hold()
        self.reply(WRONG)

    def spec(self, text):
        (self.folder / "rag.yaml").write_text(text, "utf-8")

    def hold(self, written="", more=""):
        """Write the cases, the last of them with a quarantine and other fields."""
        text = "".join(CASE % (name, name) for name in ("a", "b", "c"))
        held = f"  quarantine: {written}\n" if written else ""
        (self.folder / "cases.yaml").write_text(f"{text}{held}{more}", "utf-8")

    def reply(self, last):
        rows = [("a", RIGHT), ("b", RIGHT), ("c", last)]
        lines = [json.dumps({"case_id": name, "response": said}) for name, said in rows]
        (self.folder / "log.jsonl").write_text("\n".join(lines), "utf-8")

    def ask(self, *arguments):
        return rag_eval(*arguments, cwd=self.folder)

    def run(self, *options):
        return self.ask("run", "rag.yaml", "--replay", "log.jsonl", "--quiet", *options)

    def shown(self, name):
        return (self.folder / "rag-eval-results" / name).read_text("utf-8")


@pytest.fixture
def team(tmp_path):
    return Team(tmp_path / "head")


def test_without_a_quarantine_the_case_fails_the_run(team):
    assert team.run().exit == 1


def test_a_case_in_quarantine_is_shown_and_does_not_gate(team):
    until = day(30)
    team.hold(f'{{until: {until}, owner: "@x", why: the index moves}}')

    ended = team.run()

    assert (ended.exit, ended.results["verdict"]) == (0, "passed")
    totals = ended.results["totals"]
    assert (totals["cases"], totals["passed"], totals["failed"]) == (3, 2, 0)
    assert totals["quarantined"] == 1
    assert ended.results["summaries"]["recall@5"]["mean"] == 1.0
    assert notice(ended, "in quarantine") == (
        f"c is in quarantine until {until} and does not gate: it fails "
        "(the index moves; @x)"
    )
    kept = json.loads(team.shown("cases.jsonl").splitlines()[2])
    assert (kept["outcome"], kept["would_be"]) == ("quarantined", "failed")
    assert (kept["cause"], kept["scores"]["recall@5"]) == ("retrieval.missed", 0)
    assert "3 cases: 2 passed, 1 in quarantine" in ended.out
    assert "### In quarantine" in team.shown("summary.md")
    assert "In quarantine" in team.shown("report.html")
    assert '<skipped message="in quarantine: failed"' in team.shown("junit.xml")


def test_the_day_after_its_last_the_case_gates_again(team):
    team.hold(f"{{until: {day(-1)}, why: the index moves}}")

    ended = team.run()

    assert (ended.exit, ended.results["totals"]["quarantined"]) == (1, 0)
    assert notice(ended, "quarantine") == (
        f"A quarantine has ended, so that its case gates again: c ({day(-1)})"
    )


def test_a_red_line_is_excused_by_no_quarantine(team):
    team.spec(f"{SPEC}red_lines: [{{id: c}}]\n")
    team.hold(f"{{until: {day(30)}, why: the index moves}}")

    ended = team.run()

    assert ended.exit == 1
    assert "red line id=c: 1 of 1 case failed: c" in ended.results["reasons"][0]
    assert notice(ended, "A red line lets no case be in quarantine: c (id=c)")


def test_a_leak_is_excused_by_no_quarantine(team):
    team.hold(f"{{until: {day(30)}, why: the index moves}}", "  canaries: [seven]\n")

    ended = team.run()

    assert (ended.exit, ended.results["totals"]["failed"]) == (1, 1)
    assert "leakage: 1 of 1 case with walls leaked: c" in ended.results["reasons"]


def test_nothing_passes_where_every_case_is_in_quarantine(team):
    team.hold(f"{{until: {day(30)}, why: the index moves}}")

    ended = team.run("--case", "c")

    assert ended.exit == 1
    assert "every case is in quarantine" in ended.results["reasons"]


def test_beside_a_baseline_the_case_is_neither_flip_nor_pair(team):
    team.reply(RIGHT)
    team.run()
    saved = team.ask("baseline", "save", "rag-eval-results", "--to", "baseline")
    assert saved.exit == 0, saved.err
    team.reply(WRONG)
    team.hold(f"{{until: {day(30)}, why: the index moves}}")

    compared = team.run().results["comparison"]

    assert (compared["pairs"], compared["regressed"]) == (2, [])
    assert compared["not_comparable"] == ["c: in quarantine now"]


def test_a_baseline_that_was_saved_with_a_quarantine_can_be_read(team):
    team.hold(f"{{until: {day(30)}, why: the index moves}}")
    team.run()
    team.ask("baseline", "save", "rag-eval-results", "--to", "baseline")
    team.hold()

    compared = team.run().results["comparison"]

    assert compared["not_comparable"] == ["c: in quarantine in the baseline"]
    assert compared["regressed"] == []


def test_a_change_that_puts_a_case_in_quarantine_loosens_its_yardstick(team):
    Team(team.folder.parent / "base")
    team.hold(f"{{until: {day(30)}, why: the index moves}}")

    ended = team.run("--before", "../base", "--loosened", "fail")

    [row] = ended.results["yardstick"]
    assert (row["what"], row["before"], row["after"], row["moved"]) == (
        "quarantine",
        "none",
        f"c until {day(30)}",
        "loosened",
    )
    assert ended.exit == 1


def test_a_wrong_quarantine_is_told_on_its_line(team):
    team.hold("{until: 31.12.2026, why: the index moves}")

    ended = team.run()

    assert ended.exit == 2
    assert "cases.yaml:12 quarantine: has until, which" in ended.err
    assert "must be a day such as 2026-12-31" in ended.err


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (-1, "A quarantine has ended"),
        (1, ""),
        (91, "A quarantine of more than 90 days is hardly one: c"),
    ],
)
def test_validate_tells_of_quarantines(team, ahead, said):
    team.hold(f"{{until: {day(ahead)}, why: the index moves}}")

    ended = team.ask("validate", "rag.yaml")

    assert ended.exit == 0
    assert said in ended.out
    assert ("uarantine" in ended.out) is bool(said)

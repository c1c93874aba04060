"""A step of a pull request, held against its base commit."""

import re
import shutil
from functools import partial

import pytest

from runner.base import BaseCommit
from runner.report import read
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import BASE, HEAD, Token, a_pull
from tests.contract.test_github_step import CASES, MERGE, OTHER, SPEC, TEXT, Team
from tests.program import git as run_git
from tests.unit.test_render_hostile import markdown, shape

COMMIT, TREE = (
    f"GET /repos/org/bot/git/commits/{MERGE}",
    f"GET /repos/org/bot/git/trees/{BASE}",
)
LOOSER = TEXT.replace("NAME", "a").replace("0.9", "0.5")


class Based(Team):
    """A team whose main branch is at a commit, which the pull request goes into."""

    def __init__(self, folder, github):
        super().__init__(folder, github)
        self.event["pull_request"]["base"] |= {"sha": BASE, "ref": "main"}
        self.commit()

    def commit(self, sha=BASE):
        """Let the base branch be at what the work tree holds."""
        paths = (path for path in self.root.rglob("*") if path.is_file())
        files = {
            path.relative_to(self.root).as_posix(): path.read_bytes() for path in paths
        }
        self.github.commit(files, sha=sha)
        self.github.commit(files, sha, HEAD, sha=MERGE)

    def read(self):
        path = self.root / "rag-eval-results/results.json"
        return read(path.read_text("utf-8"), path.name)

    def saved(self):
        """Keep a baseline in the work tree; every case passed."""
        self.step()
        results = self.root / "rag-eval-results"
        for name in ("results.json", "cases.jsonl"):
            (self.root / "evals/base").mkdir(exist_ok=True)
            shutil.copy(results / name, self.root / "evals/base" / name)
        for spec in (SPEC, OTHER):
            with (self.root / spec).open("a") as file:
                file.write("baseline: {path: base}\n")


@pytest.fixture
def team(tmp_path, github):
    return Based(tmp_path, github)


def of_the_base(github):
    return [call for call in github.calls if "/git/" in call]


def test_what_a_change_leaves_alone_costs_two_calls(github, team):
    ended = team.step()

    assert of_the_base(github) == [COMMIT, TREE]
    assert len(github.calls) <= 6 + 2
    assert (team.read().base, team.read().yardstick) == (BASE, ())
    assert f"base [`{BASE[:7]}`](https://github.com/org/bot/commit" in github.bodies[0]
    assert ended.annotations == []


def test_two_specs_cost_no_more(github, team):
    team.step(specs=(SPEC, OTHER))

    assert of_the_base(github) == [COMMIT, TREE]


@pytest.mark.parametrize(
    ("loosened", "status", "verdict"),
    [("fail", 1, "failed"), ("warn", 0, "passed"), ("ignore", 0, "passed")],
)
def test_a_change_that_lowers_its_own_bar_is_told(
    github, team, loosened, status, verdict
):
    (team.root / SPEC).write_text(LOOSER)

    ended = team.step(loosened=loosened)

    [change] = team.read().yardstick
    assert (change.what, change.before, change.after) == ("accuracy min", "0.9", "0.5")
    assert (ended.exit, ended.outputs["verdict"]) == (status, verdict)
    assert "accuracy min" in github.bodies[0]
    assert len(of_the_base(github)) == 3  # and the spec as it was


def test_what_others_did_meanwhile_is_not_the_changes_own(team):
    later = "d" * 40
    (team.root / SPEC).write_text(LOOSER)
    team.commit(later)  # the event still says BASE

    team.step()

    assert (team.read().base, team.read().yardstick) == (later, ())


def test_the_baseline_is_that_of_the_base(github, team):
    team.saved()
    team.commit()
    kept = team.root / "evals/base/cases.jsonl"
    kept.write_text(kept.read_text("utf-8").replace('"passed"', '"failed"'), "utf-8")
    github.calls.clear()

    team.step()

    assert team.read().comparison.fixed == ()
    assert len(of_the_base(github)) == 3


def test_a_baseline_that_the_change_removes_fails_the_run(team):
    team.saved()
    team.commit()
    shutil.rmtree(team.root / "evals/base")

    ended = team.step()

    assert (ended.exit, ended.outputs["verdict"]) == (1, "failed")
    assert "this change removes it" in ended.summary


def test_labels_of_cases_are_held_against_the_base(team):
    cases = team.root / "evals/cases.yaml"
    cases.write_text(CASES.replace("14 days", "days"), "utf-8")

    team.step()

    [change] = team.read().yardstick
    assert (change.what, change.moved) == ("labels", "changed")
    assert change.after == "other in 1 case: trial (must_include)"


def test_a_fork_is_held_against_the_base_too(github, team):
    team.event["pull_request"]["head"]["repo"]["full_name"] = "someone/bot"
    (team.root / SPEC).write_text(LOOSER)

    ended = team.step(loosened="fail")

    assert ended.exit == 1
    assert not [call for call in github.calls if "/git/" not in call]


def test_a_merge_queue_is_held_against_what_it_builds_on(github, team):
    team.environ["GITHUB_EVENT_NAME"] = "merge_group"
    team.event = {"merge_group": {"head_sha": MERGE, "base_sha": BASE}}

    team.step()

    assert team.read().base == BASE
    assert github.calls == [TREE]


def notice(team):
    gates = [gate for gate in team.read().gates if gate.rule == "yardstick"]
    assert team.read().base is None
    assert all((gate.outcome, gate.level) == ("unmeasured", "warn") for gate in gates)
    return "".join(gate.message for gate in gates)


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (Token(may_read=False), "the token may not read (403: Resource not accessible"),
        (None, "GitHub does not know the token (401"),
    ],
)
def test_what_cannot_be_read_is_a_warning(github, team, token, said):
    if token:
        github.tokens[TOKEN] = token
    else:
        github.tokens.clear()

    ended = team.step(comment="never")

    assert (ended.exit, ended.outputs["verdict"]) == (0, "passed")
    assert said in notice(team)
    assert "What this change loosens is not known" in ended.summary


@pytest.mark.parametrize(
    ("loosened", "status", "verdict"),
    [("fail", 1, "failed"), ("ignore", 0, "passed")],
)
def test_what_cannot_be_read_fails_where_looser_would(
    github, team, loosened, status, verdict
):
    del github.commits[BASE]

    ended = team.step(loosened=loosened)

    assert (ended.exit, ended.outputs["verdict"]) == (status, verdict)
    assert "THE BASE COMMIT WAS NOT READ" in github.bodies[0]


def test_a_base_commit_that_is_gone_is_told(github, team):
    del github.commits[BASE]

    assert team.step().exit == 0
    assert "the token sees no such thing (404: Not Found)" in notice(team)


def test_without_a_token_nothing_is_asked(github, team):
    team.step(token="")

    assert "there is no token (leave the input token out)" in notice(team)
    assert github.calls == []


def test_another_repository_beside_it_is_not_held_against_this_one(github, team):
    (team.root / ".git").mkdir()
    (team.root / ".git/HEAD").write_text("e" * 40)

    team.step()

    assert "eeeeeee is checked out, which is not of the event" in notice(team)
    assert of_the_base(github) == []


def test_the_base_itself_is_not_held_against_itself(github, team):
    team.environ["GITHUB_EVENT_NAME"] = "pull_request_target"
    team.environ["GITHUB_SHA"] = BASE
    (team.root / ".git").mkdir()
    (team.root / ".git/HEAD").write_text(BASE)

    team.step()

    assert notice(team) == ""
    assert of_the_base(github) == []


def test_a_work_tree_that_was_given_by_hand_is_taken(github, team, tmp_path):
    shutil.copytree(team.root, tmp_path / "then")
    (team.root / SPEC).write_text(LOOSER)
    plain = team.parse
    then = BaseCommit(tmp_path / "then")
    team.parse = lambda words: plain(words)._replace(base=then)

    team.step()

    assert len(team.read().yardstick) == 1
    assert of_the_base(github) == []


def test_where_github_gives_nothing_the_checkout_may_have_it(github, team):
    git = partial(run_git, cwd=team.root)
    git("init", "-q")
    git("add", "evals")
    git("commit", "-qm", "Base")
    base = git("rev-parse", "HEAD")
    (team.root / SPEC).write_text(LOOSER)
    git("commit", "-qam", "Head")
    pull = team.event["pull_request"]
    pull["base"]["sha"], pull["head"]["sha"] = base, git("rev-parse", "HEAD")
    github.tokens[TOKEN] = Token(may_read=False)

    team.step()

    assert (team.read().base, len(team.read().yardstick)) == (base, 1)


OWNED = TEXT.replace("NAME", "a").replace("min: 0.9", 'min: 0.9, owner: "@acme/qa"')
HOSTILE = """\
- id: "@mallory"
  question: "How long is the trial? @mallory"
  must_include: ["14 days"]
  owner: "@mallory"
  tags: ["@mallory"]
- id: seats
  question: How many seats are there?
  must_include: ["25 seats"]
  quarantine: {until: 2099-12-31, why: "@mallory asked", owner: "@mallory"}
"""


def mentioned(text):
    """Give whom GitHub would call: what looks so outside of code."""
    return re.findall(r"(?<![\w`/])@[\w/-]+", shape(markdown(text)).text)


def owned(team, text=OWNED):
    (team.root / SPEC).write_text(text)


def test_the_owner_of_what_failed_is_called_once(github, team):
    owned(team)
    team.commit()
    team.reply(trial="It lasts a year.")

    team.step()
    [first] = github.bodies
    team.step(run=2)
    team.reply(trial="It lasts a decade.")
    team.step(run=3)

    assert mentioned(first) == ["@acme/qa"]
    assert mentioned(github.bodies[0]) == []
    assert "`@acme/qa`" in github.bodies[0].rstrip().split("\n")[-1]


def test_who_owns_what_holds_is_not_called(github, team):
    owned(team)
    team.commit()

    team.step()

    assert mentioned(github.bodies[0]) == []


def test_an_owner_that_the_change_brings_is_not_called(github, team):
    owned(team)
    team.commit()
    owned(team, OWNED.replace("@acme/qa", "@mallory"))
    team.reply(trial="It lasts a year.")

    team.step()

    assert "@mallory" in github.bodies[0]
    assert mentioned(github.bodies[0]) == []


def test_a_spec_that_is_new_calls_nobody(github, team):
    (team.root / SPEC).unlink()
    team.commit()
    owned(team)
    team.reply(trial="It lasts a year.")

    team.step()

    assert mentioned(github.bodies[0]) == []


def test_what_others_wrote_calls_nobody(github, team):
    (team.root / "evals/cases.yaml").write_text(HOSTILE)
    owned(team)
    team.commit()
    answers = {"@mallory": "Ask @mallory, cc @acme/all.", "seats": "@mallory knows."}
    team.reply(**answers)

    team.step()

    assert github.bodies[0].count("@mallory") > 4
    assert mentioned(github.bodies[0]) == ["@acme/qa"]


@pytest.mark.parametrize(("fork", "called"), [(False, ["@acme/qa"]), (True, [])])
def test_where_no_base_commit_is_known_only_the_own_spec_calls(
    github, team, fork, called
):
    owned(team)
    del team.event["pull_request"]["base"]["sha"]
    if fork:
        team.event["pull_request"]["head"]["repo"]["full_name"] = "someone/bot"
        github.pulls[7] = a_pull(7, label="someone:topic")
    team.reply(trial="It lasts a year.")

    team.step()

    assert [who for text in github.bodies for who in mentioned(text)] == called


WORKFLOW = ".github/workflows/e.yml"


def test_a_spec_that_a_wildcard_no_longer_matches_is_told(team):
    (team.root / OTHER).unlink()

    ended = team.step(specs=("evals/[ab].yaml",), loosened="fail")

    [change] = team.read().yardstick
    assert change.model_dump(exclude={"line"}) == {
        "what": "spec",
        "before": OTHER,
        "after": "not run",
        "moved": "loosened",
    }
    assert (ended.exit, ended.outputs["verdict"]) == (1, "failed")


def test_a_spec_that_was_renamed_is_told_with_the_old_name(team):
    (team.root / "evals/other.yml").write_text("name: no spec\n")
    team.commit()
    (team.root / "evals/other.yml").unlink()
    (team.root / SPEC).rename(team.root / "evals/new.yaml")

    ended = team.step(specs=("evals/new.yaml", OTHER), loosened="fail")

    found = team.root / "rag-eval-results/evals/new/results.json"
    [change] = read(found.read_text("utf-8"), found.name).yardstick
    assert (change.what, change.before, change.after) == ("spec", SPEC, "not run")
    assert (ended.exit, ended.outputs["verdict"]) == (1, "failed")


def test_a_spec_that_is_new_beside_the_others_loosens_nothing(team):
    shutil.copy(team.root / SPEC, team.root / "evals/new.yaml")

    team.step(specs=("evals/new.yaml",), loosened="fail")

    assert team.read().yardstick == ()


def test_what_a_wildcard_would_not_have_matched_is_no_spec_that_went(team):
    below = team.root / "evals/deep/a.yaml"
    below.parent.mkdir()
    below.write_text("name: c\n")
    team.commit()
    below.unlink()

    team.step(specs=("evals/*a.yaml",))

    assert team.read().yardstick == ()


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ("a", "a", None),
        ("a", "b", (WORKFLOW, "other")),
        (None, "b", ("none", WORKFLOW)),
        ("a", None, None),  # it was not checked out
    ],
)
def test_a_workflow_that_is_the_changes_own_is_told(team, before, now, told):
    path = team.root / WORKFLOW
    path.parent.mkdir(parents=True)
    for text, then in ((before, team.commit), (now, None)):
        path.unlink(missing_ok=True)
        if text:
            path.write_text(text)
        if then:
            then()

    ended = team.step()

    found = team.read().yardstick
    assert [(each.before, each.after) for each in found] == ([told] if told else [])
    assert {each.what for each in found} == ({"workflow"} if told else set())
    assert ended.exit == 0

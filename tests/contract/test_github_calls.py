"""How many calls of GitHub's API a step costs, in each state of a pull request."""

import pytest

from tests.contract._github.server import a_pull
from tests.contract.test_github_base import LOOSER
from tests.contract.test_github_step import CASES, OTHER, SPEC, TEXT, Team
from tests.contract.test_github_stored import BRANCH, RED
from tests.program import git

MOST = 6
GRAPH = "POST /graphql"
LIST = "GET /repos/org/bot/issues/7/comments"
POST = "POST /repos/org/bot/issues/7/comments"
ONE = "GET /repos/org/bot/issues/comments/101"
PATCH = "PATCH /repos/org/bot/issues/comments/101"


class Merged(Team):
    """A team whose pull request is checked out as GitHub merges it."""

    def __init__(self, folder, github):
        super().__init__(folder, github)
        git("init", "-q", "-b", "main", cwd=self.root)
        self.base = self.commit("Base")
        self.merge()

    def commit(self, message):
        git("add", "evals", cwd=self.root)
        git("commit", "-q", "--allow-empty", "-m", message, cwd=self.root)
        sha = git("rev-parse", "HEAD", cwd=self.root)
        paths = (path for path in (self.root / "evals").rglob("*") if path.is_file())
        self.github.commit(
            {
                path.relative_to(self.root).as_posix(): path.read_bytes()
                for path in paths
            },
            sha=sha,
        )
        return sha

    def merge(self):
        """Let the pull request have what the work tree holds."""
        git("switch", "-q", "-C", "topic", self.base, cwd=self.root)
        head = self.commit("Change")
        git("switch", "-q", "-C", "main", self.base, cwd=self.root)
        git("merge", "-q", "--no-ff", "-m", "Merge", "topic", cwd=self.root)
        self.environ["GITHUB_SHA"] = git("rev-parse", "HEAD", cwd=self.root)
        self.event["pull_request"]["base"] |= {"sha": self.base, "ref": "main"}
        self.event["pull_request"]["head"]["sha"] = head
        self.github.pulls = {7: a_pull(7, head)}

    def base_has(self, **texts):
        """Let the base commit, and so the change, have other files."""
        for name, text in texts.items():
            (self.root / "evals" / name.replace("__", ".")).write_text(text)
        self.base = self.commit("Base")
        self.merge()

    def calls(self, **given):
        """Take a step; give its calls."""
        self.github.calls.clear()
        self.step(**given)
        return self.github.calls

    @property
    def tree(self):
        return f"GET /repos/org/bot/git/trees/{self.base}"


@pytest.fixture
def team(tmp_path, github):
    return Merged(tmp_path, github)


def test_the_first_push_and_the_second_cost_five_calls_each(team):
    assert team.calls() == [team.tree, GRAPH, LIST, POST, LIST]
    team.reply(**RED)
    assert team.calls(run=2) == [team.tree, GRAPH, LIST, ONE, PATCH]
    team.reply()
    assert team.calls(run=3) == [team.tree, GRAPH, LIST, ONE, PATCH]


def test_from_failing_to_green_is_five_calls_where_only_failures_are_commented(team):
    given = {"comment": "failure"}

    assert team.calls(**given) == [team.tree, GRAPH, LIST]
    team.reply(**RED)
    assert team.calls(run=2, **given) == [team.tree, GRAPH, LIST, POST, LIST]
    team.reply()
    assert team.calls(run=3, **given) == [team.tree, GRAPH, LIST, ONE, PATCH]


@pytest.mark.parametrize(
    ("changed", "how"),
    [
        ({"a.yaml": LOOSER}, "GET"),
        ({"cases.yaml": CASES.replace("14 days", "days")}, "GET"),
        ({"a.yaml": LOOSER, "cases.yaml": CASES.replace("14", "15")}, "POST"),
    ],
    ids=["spec", "cases", "both"],
)
def test_what_the_change_touches_is_read_at_the_base_in_one_call(team, changed, how):
    for name, text in changed.items():
        (team.root / "evals" / name).write_text(text)
    team.merge()

    first = list(team.calls())
    team.reply(**RED)
    second = list(team.calls(run=2))

    assert len(first) == len(second) == MOST
    assert first[0] == second[0] == team.tree
    assert first[1].startswith(how)
    assert second[-1] == PATCH


def with_path(team):
    """Let the base have a baseline that is committed."""
    team.step()
    kept = {}
    for name in ("results.json", "cases.jsonl"):
        kept[name] = (team.root / "rag-eval-results" / name).read_text("utf-8")
    team.github.comments.clear()
    team.github.latest = 100
    team.base_has(a__yaml=TEXT.replace("NAME", "a") + "baseline: {path: .}\n", **kept)


def test_a_baseline_that_is_committed_costs_none(team):
    with_path(team)

    assert team.calls() == [team.tree, GRAPH, LIST, POST, LIST]
    team.reply(**RED)
    assert team.calls(run=2) == [team.tree, GRAPH, LIST, ONE, PATCH]


def test_a_baseline_that_the_change_writes_anew_costs_one(team):
    with_path(team)
    for name in ("results.json", "cases.jsonl"):
        file = team.root / "evals" / name
        file.write_text(file.read_text("utf-8").replace('"passed"', '"failed"', 1))
    (team.root / SPEC).write_text(LOOSER + "baseline: {path: .}\n")
    team.merge()

    assert team.calls() == [team.tree, GRAPH, GRAPH, LIST, POST, LIST]


def test_a_hundred_comments_more_cost_one_call_more(github, team):
    team.step()
    for number in range(250):
        github.add(f"comment {number}", "octocat", "User")
    team.reply(**RED)

    assert team.calls(run=2) == [team.tree, GRAPH, LIST, LIST, LIST, ONE, PATCH]


def test_a_comment_that_would_say_the_same_is_not_written(team):
    team.step()

    assert team.calls(run=2) == [team.tree, GRAPH, LIST, ONE]


def test_each_further_spec_costs_two(team):
    assert len(team.calls(specs=(SPEC, OTHER))) == 5 + 2
    team.reply(**RED)
    assert len(team.calls(specs=(SPEC, OTHER), run=2)) == 5 + 2


def test_a_branch_of_data_costs_three(github, team):
    spec = TEXT.replace("NAME", "a") + f"baseline: {{branch: {BRANCH}}}\n"
    team.base_has(a__yaml=spec)
    team.step()
    results = team.root / "rag-eval-results"
    kept = {
        f"{SPEC}/{name}": (results / name).read_bytes()
        for name in ("results.json", "cases.jsonl")
    }
    github.branches[BRANCH] = github.commit(kept | {f"{SPEC}/history.jsonl": "\n"})
    tip = github.branches[BRANCH]

    assert team.calls(run=2) == [
        team.tree,
        f"GET /repos/org/bot/git/ref/heads/{BRANCH}",
        f"GET /repos/org/bot/git/trees/{tip}",
        GRAPH,
        *(GRAPH, LIST, ONE, PATCH),
    ]


def test_what_a_workflow_uploaded_costs_three(github, team):
    spec = TEXT.replace("NAME", "a") + "baseline: {artifact: rag-eval-results}\n"
    team.base_has(a__yaml=spec)
    team.step()
    results = team.root / "rag-eval-results"
    names = ("results.json", "cases.jsonl")
    files = {name: (results / name).read_bytes() for name in names}
    made = github.upload("rag-eval-results", files, run=5)

    assert team.calls(run=2) == [
        team.tree,
        "GET /repos/org/bot/actions/artifacts",
        "GET /repos/org/bot/actions/runs/5",
        f"GET /repos/org/bot/actions/artifacts/{made}/zip",
        *(GRAPH, LIST, ONE, PATCH),
    ]


def test_a_run_for_a_commit_of_a_branch_asks_for_its_pull_request(team):
    team.step()
    team.reply(**RED)
    head = team.event["pull_request"]["head"]["sha"]
    team.environ = {
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_SHA": head,
        "GITHUB_REF": "refs/heads/topic",
    }
    team.event = {"after": head, "repository": team.event["repository"]}

    assert len(team.calls(run=2)) == 5

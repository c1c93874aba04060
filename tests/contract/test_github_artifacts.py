"""Steps whose baseline is what a run on the base branch uploaded."""

import pytest

from runner.github.workflow_artifacts import LARGEST, Artifacts
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import Reply, Token
from tests.contract.test_github_step import OTHER, SPEC
from tests.contract.test_github_stored import MAIN, RED, Stored

NAME = "rag-eval-results"
LIST = "GET /repos/org/bot/actions/artifacts"
ZIP = "GET /repos/org/bot/actions/artifacts/[0-9]+/zip"


class Uploading(Stored):
    """A team whose workflow uploads the results folder on its main branch."""

    source = f"artifact: {NAME}"

    def results(self):
        """Give the files of the results folder."""
        top = self.root / "rag-eval-results"
        files = (path for path in top.rglob("*") if path.is_file())
        return {path.relative_to(top).as_posix(): path.read_text() for path in files}

    def uploaded(self, *, commit=MAIN, run=901, specs=(SPEC,), **told):
        """Run on the main branch and upload what came of it; every case passed."""
        self.on_main(commit=commit, specs=specs)
        identity = self.github.upload(NAME, self.results(), run=run, **told)
        self.github.calls.clear()
        return identity


@pytest.fixture
def team(tmp_path, github):
    return Uploading(tmp_path, github)


def regressions(team):
    team.reply(**RED)
    ended = team.on_pull()
    return ended.outputs["regressions"], ended.outputs["baseline-sha"]


def test_the_first_run_has_none_yet_and_says_what_makes_one(github, team):
    ended = team.on_pull()

    assert (ended.exit, ended.outputs["baseline-found"]) == (0, "false")
    assert "no baseline yet" in github.bodies[0]
    assert (
        "uploads its results folder as the artifact `rag-eval-results`"
        in (github.bodies[0])
    )


def test_what_the_base_branch_uploaded_is_the_baseline(github, team):
    team.uploaded()

    assert regressions(team) == ("1", MAIN)
    # the base, the list, its run and the way to the archive, and the comment
    assert len(github.calls) <= 2 + 3 + 6


def test_the_token_goes_to_no_other_host(github, team):
    team.uploaded()

    regressions(team)

    [headers] = github.fetched
    assert "authorization" not in headers


def test_the_newest_of_a_successful_run_is_taken(github, team):
    team.uploaded(commit="1" * 40, run=901)
    team.uploaded(commit="2" * 40, run=902)
    team.uploaded(commit="3" * 40, run=903)
    github.runs[903]["conclusion"] = "failure"

    assert regressions(team) == ("1", "2" * 40)


@pytest.mark.parametrize(
    "told",
    [
        {"branch": "topic"},
        {"repository": 2},  # a fork's branch of the same name
        {"expired": True},
        {"workflow_run": None},
    ],
)
def test_what_is_not_of_the_base_branch_is_no_baseline(team, told):
    team.uploaded(commit="1" * 40, run=901)
    team.uploaded(commit="2" * 40, run=902, **told)

    assert regressions(team) == ("1", "1" * 40)


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_run_of_a_pull_request_is_no_baseline(github, team, event):
    team.uploaded()
    github.runs[901]["event"] = event

    assert regressions(team) == ("0", "")


def test_a_pull_request_into_another_branch_is_held_against_that(team):
    team.uploaded(commit="1" * 40, run=901, branch="release")
    team.uploaded(commit="2" * 40, run=902)
    team.pull["pull_request"]["base"]["ref"] = "release"

    assert regressions(team) == ("1", "1" * 40)


def test_each_of_several_specs_finds_its_own(team):
    team.uploaded(specs=(SPEC, OTHER))
    team.reply(**RED)

    ended = team.on_pull(specs=(OTHER, SPEC))

    assert ended.outputs["regressions"] == "2"


def test_results_of_another_spec_or_of_a_part_are_none(team):
    team.uploaded(specs=(OTHER,))
    ended = team.on_pull()

    assert ended.outputs["baseline-found"] == "false"
    said = "no artifact rag-eval-results of main holds results of all cases of evals/a"
    assert said in ended.summary.replace("`", "")


def test_many_of_pull_requests_do_not_hide_the_one(github, team):
    team.uploaded()
    for number in range(150):
        github.upload(NAME, {}, run=1000 + number, branch="topic")

    assert regressions(team) == ("1", MAIN)
    assert github.calls.count(LIST) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size_in_bytes": LARGEST + 1}, "the archive has more than 128 MiB"),
        ({"digest": f"sha256:{'0' * 64}"}, "the archive is not the one that GitHub"),
    ],
)
def test_an_archive_that_is_not_right_lets_no_drop_pass(github, team, change, said):
    github.artifacts[team.uploaded()] |= change

    ended = team.on_pull()

    assert ended.exit == 1
    assert f"of the artifact rag-eval-results, {said}" in ended.summary.replace("`", "")


def test_an_archive_that_is_none_is_told(github, team):
    identity = team.uploaded(digest=None)
    github.archives[identity] = b"PK no zip"

    assert "the archive is damaged" in team.on_pull().summary


@pytest.mark.parametrize(
    ("call", "reply", "said"),
    [
        (ZIP, Reply(302, None, {"Location": "ftp://localhost/x"}), "that is not safe"),
        (ZIP, Reply(302, None, {}), "that is not safe"),
        (ZIP, Reply(200, {}), "not what it documents"),
        (
            ZIP,
            Reply(302, None, {"Location": "http://127.0.0.1:1/x"}),
            "cannot be fetch",
        ),
        (LIST, Reply(200, {"artifacts": [{}]}), "not what it documents"),
        (LIST, Reply(200, []), "not what it documents"),
    ],
)
def test_where_github_leads_astray_nothing_is_taken(github, team, call, reply, said):
    team.uploaded()
    github.expect(call, instead=reply)

    ended = team.on_pull()

    assert (ended.exit, ended.outputs["baseline-found"]) == (1, "false")
    assert said in ended.summary


def test_an_address_that_gives_nothing_is_told(github, team):
    del github.archives[team.uploaded()]

    assert "the archive is not given (404)" in team.on_pull().summary


def test_a_token_that_may_not_read_is_told_with_the_remedy(github, team):
    team.uploaded()
    github.expect(LIST, instead=Reply(403, {"message": "Resource not accessible"}))

    ended = team.on_pull()

    assert "permissions: {actions: read}" in ended.summary
    assert ended.outputs["baseline-found"] == "false"


def test_without_a_known_branch_the_repository_is_asked(github, team):
    team.uploaded()
    team.pull["pull_request"]["base"].pop("ref")
    team.pull.pop("repository")

    assert regressions(team) == ("1", MAIN)
    assert "GET /repos/org/bot" in github.calls


def test_only_a_few_runs_are_looked_at(github, api):
    for number in range(20):
        github.upload(NAME, {}, run=900 + number)
        github.runs[900 + number]["conclusion"] = "failure"
    github.tokens[TOKEN] = Token()

    assert list(Artifacts(api.contents()).of_branch(NAME, "main")) == []
    assert len(github.calls) == 1 + 5

"""A branch of data on GitHub: begun, read, and written by several at once."""

import pytest

from runner.github import data_branch
from runner.github.client import Refused
from runner.github.data_branch import TRIES, folder_of
from tests.contract._github.clients import TOKEN
from tests.contract._github.server import Reply, Token, refused

BRANCH = "data/rag-eval"
FOLDER = "evals/rag.yaml"
PATCH = "PATCH /repos/org/bot/git/refs/heads/data/rag-eval"


@pytest.fixture
def contents(github, api):
    github.tokens[TOKEN] = Token(may_push=True)
    return api.contents()


def why(act, *args):
    with pytest.raises(Refused) as error:
        act(*args)
    return error.value.reason


def write(contents, text="new", message="Baseline of evals/rag.yaml"):
    """Write a file, and add a line to another."""

    def made(there):
        kept = there(FOLDER, ["history.jsonl"])
        before = kept.get("history.jsonl", b"").decode()
        return {
            f"{FOLDER}/results.json": text,
            f"{FOLDER}/history.jsonl": f"{before}{text}\n",
        }

    data_branch.write(contents, BRANCH, made, message)


def test_a_branch_that_is_not_there_holds_nothing(github, contents):
    assert data_branch.read(contents, BRANCH, FOLDER, ["a"]) == {}
    assert github.calls[-1] == "GET /repos/org/bot"


def test_a_repository_that_is_not_seen_is_not_one_without_the_branch(github, contents):
    github.tokens[TOKEN] = Token(may_see=False)

    assert why(data_branch.read, contents, BRANCH, FOLDER, ["a"]).is_gone


def test_the_first_run_begins_a_branch_of_its_own(github, contents):
    github.branches["main"] = github.commit({"src.py": "x"})

    write(contents)

    made = github.commits[github.branches[BRANCH]]
    assert (made["parents"], made["message"]) == ((), "Baseline of evals/rag.yaml")
    assert github.on(BRANCH) == {
        f"{FOLDER}/results.json": "new",
        f"{FOLDER}/history.jsonl": "new\n",
    }


def test_the_next_adds_one_commit_and_leaves_the_rest(github, contents):
    github.branches[BRANCH] = github.commit({"README.md": "Data.", "evals/x": "1"})

    write(contents, "first")
    github.calls.clear()
    write(contents, "second")

    assert github.on(BRANCH) == {
        "README.md": "Data.",
        "evals/x": "1",
        f"{FOLDER}/results.json": "second",
        f"{FOLDER}/history.jsonl": "first\nsecond\n",
    }
    assert len(github.calls) == 7  # ref, tree, a file, commit; tree, commit, ref


def test_only_what_is_right_in_the_folder_is_read(github, contents):
    files = {f"{FOLDER}/a": "1", f"{FOLDER}/leg/a": "2", "evals/a": "3", "b": "4"}
    github.branches[BRANCH] = github.commit(files)

    def read(folder):
        return data_branch.read(contents, BRANCH, folder, ["a", "b", "leg"])

    assert read(FOLDER) == {"a": b"1"}
    assert read(f"{FOLDER}/leg") == {"a": b"2"}
    assert read("none") == {}


@pytest.mark.parametrize("begun", [True, False])
def test_two_that_write_at_once_lose_nothing(github, contents, api, begun):
    if begun:
        github.branches[BRANCH] = github.commit({"README.md": "Data."})
    move = PATCH if begun else "POST /repos/org/bot/git/refs"
    github.expect(move, before=lambda: write(api.contents(), "theirs"))

    write(contents, "ours")

    assert github.on(BRANCH)[f"{FOLDER}/history.jsonl"] == "theirs\nours\n"
    assert github.on(BRANCH)[f"{FOLDER}/results.json"] == "ours"


@pytest.mark.parametrize("status", [409, 422])
def test_a_conflict_is_tried_again_a_few_times(github, contents, status):
    github.branches[BRANCH] = github.commit({"README.md": "Data."})
    for _ in range(TRIES):
        github.expect(PATCH, instead=refused(status, "Conflict"))

    assert why(write, contents).why == f"others have written {BRANCH} 5 times meanwhile"
    assert len([call for call in github.calls if call == PATCH]) == TRIES


def test_a_write_whose_reply_was_lost_is_not_written_twice(github, contents):
    write(contents, "first")
    # It took effect, the reply was lost, and the same call again is no fast forward.
    github.expect(PATCH, after=refused(422, "Update is not a fast forward"))

    write(contents, "second")

    assert github.on(BRANCH)[f"{FOLDER}/history.jsonl"] == "first\nsecond\n"


def test_what_is_large_is_handed_in_file_by_file(github, contents):
    write(contents, "x" * 9_000_000)

    assert len(github.on(BRANCH)[f"{FOLDER}/results.json"]) == 9_000_000


def test_a_token_that_may_only_read_is_told_with_the_remedy(github, contents):
    github.tokens[TOKEN] = Token()

    said = why(write, contents)

    assert said.why.startswith("the token may not write (403")
    assert "default branch `permissions: {contents: write}`" in said.hint


def test_a_reply_of_another_shape_writes_nothing(github, contents):
    github.expect("POST .*/git/trees", instead=Reply(201, {"sha": 5}))

    assert "not what it documents" in why(write, contents).why
    assert BRANCH not in github.branches


def test_keys_have_folders_of_their_own():
    keys = ("", "a", "b", "[1, a]", "[1 a]", "../x", "..")
    folders = [folder_of(FOLDER, key) for key in keys]

    assert len(set(folders)) == len(keys)
    assert all(folder.startswith(FOLDER) for folder in folders)
    assert not any(part in ("", ".", "..") for f in folders for part in f.split("/"))

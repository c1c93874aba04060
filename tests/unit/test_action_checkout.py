"""Which commit a spec was checked out at, as git keeps it on disk."""

from functools import partial

import pytest

from runner.action._checkout import commit_of
from tests.program import git as run_git

HEAD, PACKED = "a" * 40, "b" * 40


@pytest.fixture
def root(tmp_path):
    """Give a workspace that is checked out at a commit, as actions/checkout does it."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text(f"{HEAD}\n")
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/rag.yaml").touch()
    return tmp_path


def at(root, path="evals/rag.yaml"):
    return commit_of(root / path, root)


def test_a_detached_head_is_the_commit(root):
    assert at(root) == HEAD


def test_a_longer_hash_is_one_too(root):
    (root / ".git/HEAD").write_text("c" * 64)

    assert at(root) == "c" * 64


def test_a_branch_leads_to_its_commit(root):
    (root / ".git/HEAD").write_text("ref: refs/heads/topic/a-b_c\n")
    (root / ".git/refs/heads/topic").mkdir(parents=True)
    (root / ".git/refs/heads/topic/a-b_c").write_text(f"{HEAD}\n")

    assert at(root) == HEAD


def test_a_branch_may_be_packed(root):
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git/packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled sorted \n"
        f"{HEAD} refs/heads/main2\n{PACKED} refs/heads/main\n^{HEAD}\n"
    )

    assert at(root) == PACKED


@pytest.mark.parametrize(
    "head",
    [
        "",
        "main",
        "ref: refs/heads/gone",
        "ref: refs/../../evals/rag.yaml",
        "a" * 39,
        "A" * 40,
        "\xff\xfe",
    ],
)
def test_a_state_that_cannot_be_told_is_no_commit(root, head):
    (root / ".git/HEAD").write_text(head, "latin-1")

    assert at(root) is None


def test_the_nearest_repository_counts(root):
    (root / "theirs/.git").mkdir(parents=True)
    (root / "theirs/.git/HEAD").write_text(PACKED)

    assert at(root, "theirs/evals/rag.yaml") == PACKED


def test_a_repository_that_is_kept_elsewhere_is_not_told(root):
    (root / "module").mkdir()
    (root / "module/.git").write_text("gitdir: ../.git/modules/module\n")

    assert at(root, "module/rag.yaml") is None


def test_a_link_is_where_it_leads(root):
    (root / "theirs/.git").mkdir(parents=True)
    (root / "theirs/.git/HEAD").write_text(PACKED)
    (root / "theirs/rag.yaml").touch()
    (root / "evals/link.yaml").symlink_to(root / "theirs/rag.yaml")

    assert at(root, "evals/link.yaml") == PACKED


def test_what_is_around_the_workspace_does_not_count(root):
    (root / "work").mkdir()

    assert commit_of(root / "work/rag.yaml", root / "work") is None
    assert commit_of(root / "evals/rag.yaml", root / "work") is None


def test_git_itself_keeps_it_so(tmp_path):
    git = partial(run_git, cwd=tmp_path)
    git("init", "-q")
    (tmp_path / "rag.yaml").touch()
    git("add", "rag.yaml")
    git("commit", "-qm", "Begin")
    first = git("rev-parse", "HEAD")
    found = [at(tmp_path, "rag.yaml")]
    git("pack-refs", "--all")
    found.append(at(tmp_path, "rag.yaml"))
    git("checkout", "-q", "--detach")
    found.append(at(tmp_path, "rag.yaml"))

    assert found == [first] * 3

from __future__ import annotations

import os

import pytest

from runner.action._git_objects import parents
from tests.program import git


@pytest.fixture
def repository(tmp_path):
    """A repository whose main branch has a merge, as GitHub makes one to test."""
    folder = tmp_path / "a"
    folder.mkdir()
    git("init", "-q", "-b", "main", cwd=folder)
    commits = [commit(folder, "one")]
    git("switch", "-q", "-c", "topic", cwd=folder)
    commits.append(commit(folder, "two"))
    git("switch", "-q", "main", cwd=folder)
    commits.append(commit(folder, "three"))
    git("merge", "-q", "--no-ff", "-m", "into\n\nparent 123", "topic", cwd=folder)
    return folder, head(folder), commits


def commit(folder, text):
    (folder / text).write_text(text)
    git("add", ".", cwd=folder)
    git("commit", "-q", "-m", text, cwd=folder)
    return head(folder)


def head(folder):
    return git("rev-parse", "HEAD", cwd=folder)


def test_a_merge_names_its_target_first(repository):
    folder, merge, (one, two, three) = repository

    assert parents(folder, merge) == [three, two]
    assert parents(folder, two) == [one]
    assert parents(folder, one) == []


def test_a_commit_of_a_pack_is_found(repository):
    folder, merge, (_, two, three) = repository
    git("gc", "-q", "--prune=now", cwd=folder)

    assert not (folder / ".git/objects" / merge[:2] / merge[2:]).exists()
    assert parents(folder, merge) == [three, two]


def test_every_commit_of_a_pack_is_told_right_or_not_at_all(repository):
    folder, *_ = repository
    for number in range(300):
        git("commit", "-q", "--allow-empty", "-m", f"{number} " + "x" * 200, cwd=folder)
    git("gc", "-q", "--aggressive", "--prune=now", cwd=folder)

    told = {
        line.split()[0]: line.split()[1:]
        for line in git("rev-list", "--parents", "--all", cwd=folder).splitlines()
    }

    found = {each: parents(folder, each) for each in told}
    assert {each for each in told if found[each] not in (None, told[each])} == set()
    assert found[head(folder)] == told[head(folder)]


@pytest.mark.parametrize("packs", [True, False])
def test_a_shallow_checkout_names_what_it_has_not(repository, tmp_path, packs):
    folder, merge, (_, two, three) = repository
    to = tmp_path / "b"
    limit = "fetch.unpackLimit=1" if packs else "fetch.unpackLimit=100"
    to.mkdir()
    git("init", "-q", cwd=to)
    git("-c", limit, "fetch", "-q", "--depth=1", folder.as_uri(), "main", cwd=to)

    assert parents(to, merge) == [three, two]
    assert parents(to, three) is None


def test_what_is_not_there_or_is_another_is_nothing(repository):
    folder, merge, (one, *_) = repository
    loose = folder / ".git/objects" / merge[:2] / merge[2:]

    assert parents(folder, "0" * 40) is None
    assert parents(folder.parent, merge) is None
    os.chmod(loose, 0o600)  # noqa: PTH101 - git keeps it from being written
    loose.write_bytes((folder / ".git/objects" / one[:2] / one[2:]).read_bytes())
    assert parents(folder, merge) is None
    loose.write_bytes(b"no object")
    assert parents(folder, merge) is None


def test_a_broken_index_is_nothing(repository):
    folder, merge, _ = repository
    git("gc", "-q", "--prune=now", cwd=folder)
    [index] = (folder / ".git/objects/pack").glob("*.idx")
    whole = index.read_bytes()
    os.chmod(index, 0o600)  # noqa: PTH101 - git keeps it from being written

    for broken in (b"", whole[:500], b"x" + whole[1:], whole[:1100]):
        index.write_bytes(broken)
        assert parents(folder, merge) is None


def test_a_repository_with_longer_names_is_read_too(tmp_path):
    git("init", "-q", "--object-format=sha256", cwd=tmp_path)
    one, two = commit(tmp_path, "one"), commit(tmp_path, "two")

    assert len(two) == 64
    assert parents(tmp_path, two) == [one]
    git("gc", "-q", "--prune=now", cwd=tmp_path)
    assert parents(tmp_path, two) == [one]

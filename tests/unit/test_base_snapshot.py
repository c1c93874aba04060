"""The workspace at a commit, from the objects of a real checkout."""

import hashlib

import pytest

from runner.base import Checkout, Git, Snapshot
from runner.base._needs import cases, folder, matching
from runner.base._snapshot import MOST_FILES
from runner.github.client import Refused
from runner.github.contents import LARGEST, Entry
from tests.program import git

SPEC = "evals/rag.yaml"
WRITTEN = """
cases: [cases.jsonl, {path: more/**/*.csv}, /shared/*.yaml, ../../etc/*.csv]
baseline: {path: base}
judge: {url: http://x, model: m, calibration: /shared/judge.json, cache: said.jsonl}
"""
FILES = {
    SPEC: WRITTEN,
    "evals/cases.jsonl": "{}\n",
    "evals/more/a.csv": "id\n1\n",
    "evals/more/deep/b.csv": "id\n2\n",
    "evals/more/notes.md": "no case",
    "shared/政策.yaml": "[]\n",
    "shared/judge.json": "{}",
    "evals/said.jsonl": "{}",
    "evals/base/results.json": "{}",
    "evals/base/cases.jsonl": "",
    "src/app.py": "print()",
}
NEEDED = sorted(set(FILES) - {"evals/more/notes.md", "src/app.py"})


class Counted(Git):
    """Counts the files that are fetched."""

    fetched = 0

    def blob(self, entry):
        self.fetched += 1
        return super().blob(entry)


class Team:
    """A repository below a workspace, with what was at its first commit."""

    def __init__(self, folder, inner):
        self.workspace = folder / "work"
        self.root = self.workspace / inner
        self.root.mkdir(parents=True)
        self.to = folder / "then"
        self.to.mkdir()
        self.inner = inner
        self.git("init", "-q")
        self.write(FILES)
        self.first = self.commit()

    def git(self, *words):
        return git(*words, cwd=self.root)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "Go on", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def write(self, files):
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")

    def snapshot(self, commit=None):
        objects = Counted(self.root)
        spec = f"{self.inner}/{SPEC}" if self.inner else SPEC
        snapshot = Snapshot(self.to, objects, commit or self.first)
        snapshot.add(spec, Checkout(self.workspace, self.inner))
        return objects

    def then(self):
        top = self.to / self.inner
        files = (path for path in top.rglob("*") if path.is_file())
        return sorted(path.relative_to(top).as_posix() for path in files)


@pytest.fixture
def team(tmp_path):
    return Team(tmp_path, "")


def why(act, *args):
    with pytest.raises(Refused) as error:
        act(*args)
    return error.value.reason.why


def test_only_what_a_spec_needs_is_written(team):
    objects = team.snapshot()

    assert team.then() == NEEDED
    assert (team.to / "shared/政策.yaml").read_text("utf-8") == "[]\n"
    assert objects.fetched == 0


def test_what_the_change_touches_is_fetched_and_nothing_else(team):
    team.write({SPEC: "cases: other.jsonl\n", "evals/cases.jsonl": "{1}\n"})
    (team.root / "evals/more/a.csv").unlink()

    objects = team.snapshot()

    assert team.then() == NEEDED
    assert (team.to / SPEC).read_text("utf-8") == WRITTEN
    assert (team.to / "evals/cases.jsonl").read_text("utf-8") == "{}\n"
    assert objects.fetched == 3


def test_the_baseline_of_the_spec_now_is_read_as_it_was(team):
    other = {"evals/other/results.json": "then", "evals/other/cases.jsonl": ""}
    team.write(other)
    second = team.commit()
    team.write(
        {
            SPEC: WRITTEN.replace("base}", "other}"),
            "evals/other/results.json": "mine",
        }
    )

    team.snapshot(second)

    assert (team.to / "evals/other/results.json").read_text("utf-8") == "then"
    assert (team.to / "evals/base/results.json").exists()


def test_a_repository_may_stand_below_the_workspace(tmp_path):
    team = Team(tmp_path, "checkouts/bot")

    team.snapshot()

    # A slash leads to the top of the workspace, which is not of the repository.
    assert team.then() == [path for path in NEEDED if not path.startswith("shared")]


def test_a_spec_that_is_new_has_nothing_there(team):
    team.git("rm", "-q", "-r", "--cached", "evals")
    team.git("commit", "-qm", "Go on")

    team.snapshot(team.git("rev-parse", "HEAD"))

    assert team.then() == []


def test_a_spec_with_mistakes_still_has_its_own_file(team):
    team.write({SPEC: "cases: [\n"})
    broken = team.commit()

    team.snapshot(broken)

    assert team.then() == [SPEC]


def test_a_link_is_not_followed(team):
    (team.root / "evals/cases.jsonl").unlink()
    (team.root / "evals/cases.jsonl").symlink_to("/etc/passwd")
    linked = team.commit()

    said = why(team.snapshot, linked)

    assert said == "evals/cases.jsonl is a link there, and only files are read"


def test_a_link_now_is_not_taken_for_what_was(team, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("{}\n", "utf-8")
    (team.root / "evals/cases.jsonl").unlink()
    (team.root / "evals/cases.jsonl").symlink_to(elsewhere)

    assert team.snapshot().fetched == 1


def pointer(text):
    digest = hashlib.sha256(text.encode()).hexdigest()
    head = "version https://git-lfs.github.com/spec/v1\n"
    return f"{head}oid sha256:{digest}\nsize {len(text)}\n"


@pytest.mark.parametrize(("now", "is_same"), [("{}\n", True), ("{1}\n", False)])
def test_what_git_lfs_keeps_is_known_by_its_hash_alone(team, now, is_same):
    team.write({"evals/cases.jsonl": pointer("{}\n")})
    kept = team.commit()
    team.write({"evals/cases.jsonl": now})

    if is_same:
        team.snapshot(kept)
        assert (team.to / "evals/cases.jsonl").read_text("utf-8") == now
    else:
        said = why(team.snapshot, kept)
        assert said == "evals/cases.jsonl is kept by Git LFS, and is another there"


def test_a_change_of_very_many_case_files_is_not_fetched(team):
    many = {f"evals/more/{n}.csv": f"id\n{n}\n" for n in range(MOST_FILES + 1)}
    team.write(many)
    second = team.commit()
    team.write(dict.fromkeys(many, "id\n0\n\n"))

    assert why(team.snapshot, second).startswith("the change touches too many files")


def test_a_shallow_clone_knows_the_parents_and_not_their_files(team, tmp_path):
    team.write({"x": "1"})
    second = team.commit()
    url = f"file://{team.root}"
    git("clone", "-q", "--depth=1", url, tmp_path / "shallow", cwd=tmp_path)
    shallow = Git(tmp_path / "shallow")

    assert shallow.parents(second) == [team.first]
    assert why(shallow.listing, team.first, "") == "the checkout has not got it"


def test_a_folder_without_git_has_nothing(tmp_path):
    assert why(Git(tmp_path).parents, "a" * 40) == "the checkout has not got it"


def test_a_file_that_is_too_large_is_not_read(team):
    entry = Entry("100644", "a" * 40, LARGEST + 1)

    assert why(Git(team.root).blob, entry) == "a file in it has more than 40 MiB"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a.csv", ["evals/a.csv"]),
        (["a.csv", {"path": "/b/*.csv"}], ["evals/a.csv", "b/*.csv"]),
        ("../a.csv", ["a.csv"]),
        ("../../a.csv", []),
        ("/", []),
        (None, []),
        (5, []),
        ([{"path": 5}, {}, [], ""], []),
        ("a\0b", []),
    ],
)
def test_a_path_of_a_spec_is_told_from_the_top(written, expected):
    assert list(cases({"cases": written}, SPEC)) == expected


@pytest.mark.parametrize("data", [None, [], "x", {}])
def test_what_is_no_spec_needs_nothing(data):
    assert list(cases(data, SPEC)) == []


@pytest.mark.parametrize(
    ("pattern", "below", "expected"),
    [
        ("e/a.csv", "e", ["e/a.csv"]),
        ("e/*.csv", "e", ["e/a.csv", "e/d/b.csv"]),
        ("e/**/*.csv", "e", ["e/a.csv", "e/d/b.csv"]),
        ("e/*/b.csv", "e", ["e/d/b.csv"]),
        ("e/[!x].csv", "e", ["e/a.csv"]),
        ("**/*.md", "", ["c.md"]),
        ("e/d/b.csv", "e/d", ["e/d/b.csv"]),
    ],
)
def test_a_glob_gives_all_that_it_matches(pattern, below, expected):
    there = ["c.md", "e/a.csv", "e/d/b.csv"]

    assert folder(pattern) == below
    assert list(matching(pattern, there)) == expected

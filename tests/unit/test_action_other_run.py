"""What another run wrote is read as data, within bounds."""

import json

import pytest

from runner.action._other_run import results_of_run
from runner.errors import InputError

COMMIT = "a" * 40
REPORT = {
    "format_version": 1,
    "name": "helpdesk",
    "verdict": "passed",
    "totals": {"cases": 1, "passed": 1},
    "commit": COMMIT,
    "spec": "evals/rag.yaml",
}


@pytest.fixture
def given(tmp_path):
    """Write results into a folder of the workspace."""

    def write(folder="results", **fields):
        path = tmp_path / folder / "results.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**REPORT, **fields}), "utf-8")
        return path

    return write


def read(root, folder="results", commit=COMMIT):
    return results_of_run(folder, root, commit)


def test_results_are_given_with_their_folder(tmp_path, given):
    given()

    [ended] = read(tmp_path)

    assert (ended.spec, ended.folder) == ("results", tmp_path / "results")
    assert (ended.status, ended.report.name) == (0, "helpdesk")


def test_of_several_specs_each_has_a_folder_below(tmp_path, given):
    given("results/evals/b", name="b")
    given("results/evals/a", name="a")

    ended = read(tmp_path)

    assert [(each.spec, each.report.name) for each in ended] == [
        ("results/evals/a", "a"),
        ("results/evals/b", "b"),
    ]


def test_what_the_other_run_rendered_is_not_looked_at(tmp_path, given):
    path = given()
    for name in ("comment.md", "summary.md", "cases.jsonl", "report.html"):
        path.with_name(name).write_text("@everybody, \x00 {broken", "utf-8")

    [ended] = read(tmp_path)

    assert ended.report.name == "helpdesk"


def test_a_text_that_no_run_writes_so_long_is_cut(tmp_path, given):
    given(name="n" * 100_000, notices=["x" * 5_000])

    [ended] = read(tmp_path)

    assert len(ended.report.name) < 5_000
    assert ended.report.notices[0].endswith("… (1,000 characters more)")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"commit": "b" * 40}, "the results are of commit bbbbbbb, and the run of"),
        ({"commit": None}, "the results are of no commit, and the run of commit aaaa"),
        ({"verdict": "great"}, "verdict: Input should be"),
        ({"extra": 1}, "extra: Extra inputs are not permitted"),
        ({"duration_s": float("inf")}, "is no JSON"),
        ({"format_version": 2}, "has format_version 2"),
    ],
)
def test_results_that_are_not_of_this_commit_or_form_are_refused(
    tmp_path, given, fields, said
):
    given(**fields)

    with pytest.raises(InputError, match=r"results/results\.json") as caught:
        read(tmp_path)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nowhere", "input publish: no results.json in nowhere"),
        ("..", "leads out of the workspace"),
        ("/", "leads out of the workspace"),
        ("results/../..", "leads out of the workspace"),
    ],
)
def test_a_folder_without_results_or_outside_is_refused(tmp_path, given, folder, said):
    given()

    with pytest.raises(InputError) as caught:
        read(tmp_path / "results" if folder == ".." else tmp_path, folder)

    assert said in str(caught.value)


@pytest.mark.parametrize("link", ["results.json", "other", "below/results.json"])
def test_a_link_is_refused_wherever_it_stands(tmp_path, given, link):
    secret = given("outside")
    given("results/sound")
    path = tmp_path / "results" / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(secret.parent if link == "other" else secret)

    with pytest.raises(InputError) as caught:
        read(tmp_path)

    assert str(caught.value) == f"results/{link}: is a link, and only files are read"


def test_a_folder_that_is_a_link_out_is_refused(tmp_path, given):
    given("outside")
    root = tmp_path / "work"
    root.mkdir()
    (root / "results").symlink_to(tmp_path / "outside")

    with pytest.raises(InputError, match="leads out of the workspace"):
        read(root)


def test_more_than_a_step_can_comment_on_is_refused(tmp_path, given):
    for number in range(21):
        given(f"results/{number}")

    with pytest.raises(InputError, match="21 results in results, and 20 at most"):
        read(tmp_path)


def test_a_file_that_no_run_writes_so_large_is_refused(tmp_path, given):
    path = given()
    with path.open("ab") as file:
        file.truncate(33 * 2**20)

    with pytest.raises(InputError, match=r"results/results\.json: is 33 MiB"):
        read(tmp_path)


def test_without_a_commit_nothing_can_be_held_against_it(tmp_path, given):
    given()

    with pytest.raises(InputError, match="the event names no commit"):
        read(tmp_path, commit=None)

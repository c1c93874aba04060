"""Every workflow that this repository runs, documents or writes for a team."""

import re
from pathlib import Path

import pytest

from runner import __version__, files

ROOT = Path(__file__).parents[2]
OWN = "org/rag-eval-action"
MAJOR = __version__.partition(".")[0]
TEMPLATE = ROOT / "templates/init/.github/workflows/rag-eval.yml"
FOLDERS = (".github/workflows", "docs/workflows", TEMPLATE.parent.relative_to(ROOT))
WORKFLOWS = sorted(path for each in FOLDERS for path in (ROOT / each).glob("*.yml"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PIN = re.compile(r"uses: ([\w./-]+)@(\S+)(?: # (\S+))?")


def read(path):
    return files.read_document(path, root=ROOT).data


def steps(path):
    jobs = read(path)["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def named(paths):
    return pytest.mark.parametrize(
        "path", paths, ids=lambda path: path.relative_to(ROOT).as_posix()
    )


@named(WORKFLOWS)
def test_nothing_is_permitted_that_no_job_asks_for(path):
    workflow = read(path)

    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())


@named(WORKFLOWS)
def test_every_job_ends_and_an_older_run_makes_way(path):
    workflow = read(path)

    assert all(job["timeout-minutes"] for job in workflow["jobs"].values())
    assert workflow["concurrency"]["group"]


@named(WORKFLOWS)
def test_no_checkout_leaves_the_token_behind(path):
    left = [
        step
        for step in steps(path)
        if step.get("uses", "").startswith("actions/checkout@")
        and step.get("with", {}).get("persist-credentials") is not False
    ]

    assert left == []


def test_an_action_has_one_pin_wherever_it_is_used():
    pins = {}
    for path in (*WORKFLOWS, *PAGES):
        for name, *pin in PIN.findall(path.read_text("utf-8")):
            if name != OWN:
                pins.setdefault(name, set()).add(tuple(pin))

    assert {name: len(found) for name, found in pins.items()} == dict.fromkeys(pins, 1)
    for [(commit, version)] in pins.values():
        assert re.fullmatch(r"[0-9a-f]{40}", commit)
        assert re.fullmatch(r"v\d+\.\d+\.\d+", version)


def test_this_action_is_shown_in_the_version_that_this_is():
    texts = [path.read_text("utf-8") for path in (*WORKFLOWS, *PAGES)]

    shown = {ref for text in texts for ref in re.findall(rf"{OWN}@(\S+)", text)}

    assert shown == {f"v{MAJOR}"}


@named(WORKFLOWS)
def test_what_is_asked_of_this_action_is_what_it_has(path):
    declared = read(ROOT / "action.yml")
    ours = [step for step in steps(path) if step.get("uses", "").startswith((OWN, "."))]
    given = {name for step in ours for name in step.get("with", {})}
    ids = "|".join(step["id"] for step in ours if "id" in step) or "$^"
    asked = re.findall(rf"steps\.(?:{ids})\.outputs\.([\w-]+)", path.read_text("utf-8"))

    assert given <= set(declared["inputs"])
    assert set(asked) <= set(declared["outputs"])


def test_this_repository_runs_the_workflow_that_the_readme_shows():
    [shown], [ours] = (
        read(path)["jobs"].values()
        for path in (TEMPLATE, ROOT / ".github/workflows/rag-eval.yml")
    )

    def without_steps(job):
        return {key: value for key, value in job.items() if key != "steps"}

    assert without_steps(ours) == without_steps(shown)
    *first, last = shown["steps"]
    start, this = ours["steps"][-2:]
    assert ours["steps"][:-2] == first
    assert "run" in start
    assert (last["uses"], this["uses"]) == (f"{OWN}@v{MAJOR}", "./")

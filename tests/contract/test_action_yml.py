"""What GitHub reads of the action, against what the program and the README say."""

import re
from pathlib import Path

import pytest

from runner import action, files, settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def declared():
    return files.read_document(ROOT / "action.yml", root=ROOT).data


def test_the_inputs_are_those_that_are_read(declared):
    defaults = {
        name: each.get("default", "") for name, each in declared["inputs"].items()
    }

    # GitHub puts the job's own token in; none is known without it.
    assert defaults.pop("token") == "${{ github.token }}"
    assert {**defaults, "token": ""} == settings.INPUTS


def test_the_outputs_are_those_that_are_set(declared):
    assert set(declared["outputs"]) == set(action.NOTHING)


def test_no_description_holds_an_expression(declared):
    # GitHub would try to evaluate it, and refuse to load the action.
    described = [declared, *declared["inputs"].values(), *declared["outputs"].values()]

    assert not [each for each in described if "${{" in each["description"]]


def test_the_image_needs_no_shell_to_start():
    text = (ROOT / "Dockerfile").read_text("utf-8")

    [entry] = re.findall(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)
    assert entry == '["python", "-m", "runner", "action"]'


@pytest.mark.parametrize("section", ["inputs", "outputs"])
def test_the_readme_names_each(declared, section):
    readme = (ROOT / "README.md").read_text("utf-8")

    missing = [name for name in declared[section] if f"| `{name}` |" not in readme]

    assert missing == []

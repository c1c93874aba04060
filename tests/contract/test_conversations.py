"""Conversations that others have published, and servers that keep them."""

import re

import pytest
import yaml

from runner.cases import load
from runner.endpoints._plan import plan
from runner.files import read_rows
from runner.spec import EndpointSpec
from runner.templating import by_path


def test_the_runs_of_mtrag_load_with_the_turns_before_each_question(shared):
    path = shared / "data/runs/mtrag_en.jsonl"

    cases = load(read_rows(path, file=path.name)).cases

    assert len(cases) == 74
    assert {len(case.turns) for case in cases} == {*range(0, 20, 2)}
    assert all(case.turns[-1].role == "assistant" for case in cases if case.turns)
    assert all(len(case.questions) == len(case.turns) // 2 + 1 for case in cases)


@pytest.mark.parametrize(
    ("name", "opening"),
    [("maxkb", 1), ("quivr", 1), ("baidu-appbuilder", 1), ("chroma-llm", 0)],
)
def test_the_steps_of_a_recipe_that_open_a_session_are_known(root, name, opening):
    text = (root / f"specs/recipes/{name}.yaml").read_text("utf-8")
    variables = dict.fromkeys(re.findall(r"\$\{(\w+)", text), "http://rag")
    endpoint = EndpointSpec(**yaml.safe_load(text)["endpoint"])

    assert plan(endpoint, variables, by_path).opening == opening

"""Conversations that others have published load as they are."""

from runner.cases import load
from runner.files import read_rows


def test_the_runs_of_mtrag_load_with_the_turns_before_each_question(shared):
    path = shared / "data/runs/mtrag_en.jsonl"

    cases = load(read_rows(path, file=path.name)).cases

    assert len(cases) == 74
    assert {len(case.turns) for case in cases} == {*range(0, 20, 2)}
    assert all(case.turns[-1].role == "assistant" for case in cases if case.turns)
    assert all(len(case.questions) == len(case.turns) // 2 + 1 for case in cases)

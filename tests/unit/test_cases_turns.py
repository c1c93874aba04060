"""The turns before a question, in every shape in which people keep conversations."""

import json

import pytest

from runner.cases import Row, case_hash, health, labels_hash, load
from runner.errors import Place, Problems
from runner.files import read_rows
from runner.model import Turn

PLACE = Place("cases.json", 3)
BEFORE = (
    Turn("user", "Can I return an opened phone?"),
    Turn("assistant", "Yes, within 14 days."),
)
LAST = "And a laptop?"


def message(turn, who="role", what="content", **names):
    return {who: names.get(turn.role, turn.role), what: turn.content}


def one(**data):
    return load([Row(data, PLACE)]).cases[0]


def wrong(**data):
    with pytest.raises(Problems) as caught:
        load([Row(data, PLACE)])
    [said] = str(caught.value).split("\n")
    return said


OPENAI = [message(turn) for turn in BEFORE]
RAGAS = [message(turn, "type", user="human", assistant="ai") for turn in BEFORE]
MTRAG = [message(turn, "speaker", "text", assistant="agent") for turn in BEFORE]
SHARED = [message(t, "from", "value", user="human", assistant="gpt") for t in BEFORE]
PARTS = [{**m, "content": [{"type": "text", "text": m["content"]}]} for m in OPENAI]
SHAPES = {
    "openai": OPENAI,
    "ragas": RAGAS,
    "mtrag": MTRAG,
    "sharegpt": SHARED,
    "parts": PARTS,
    "pair": [[turn.content for turn in BEFORE]],
    "more keys": [{**m, "id": 7, "timestamp": "x"} for m in OPENAI],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", ["turns", "history", "chat_history", "messages"])
def test_turns_beside_a_question_are_what_was_said_before_it(shape, key):
    case = one(question=LAST, **{key: SHAPES[shape]})

    assert (case.question, case.turns) == (LAST, BEFORE)
    assert case.questions == (BEFORE[0].content, LAST)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", ["turns", "messages", "user_input", "input"])
def test_the_last_message_of_a_whole_conversation_is_the_question(shape, key):
    last = {"user": "human"} if shape in ("ragas", "sharegpt") else {}
    case = one(**{key: [*SHAPES[shape], message(Turn("user", LAST), **last)]})

    assert (case.question, case.turns) == (LAST, BEFORE)


def test_a_question_that_the_messages_repeat_is_asked_once():
    case = one(question=LAST, messages=[*OPENAI, {"role": "user", "content": LAST}])

    assert (case.question, case.turns) == (LAST, BEFORE)


@pytest.mark.parametrize("turns", [[], None])
def test_a_case_without_turns_is_as_it_ever_was(turns):
    assert one(question=LAST, turns=turns) == one(question=LAST)


def test_a_user_may_say_two_things_and_an_assistant_begin():
    said = [{"role": "assistant", "content": "Hello!"}, *OPENAI[:1], *OPENAI[:1]]

    roles = [turn.role for turn in one(question=LAST, turns=said).turns]
    assert roles == ["assistant", "user", "user"]


def test_a_cell_of_a_sheet_is_json(tmp_path):
    (tmp_path / "cases.csv").write_text(
        'question,turns\n和笔记本电脑呢？,"[{""role"": ""user"", ""content"": '
        '""手机可以退吗？""}]"\nWhy?,\n',
        "utf-8",
    )

    first, second = load(read_rows(tmp_path / "cases.csv", file="cases.csv")).cases

    assert first.questions == ("手机可以退吗？", "和笔记本电脑呢？")
    assert second.turns == ()


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("first", "must be a list of messages such as {role: user, content: ...}, and"),
        (["hi"], "message 1 must be a mapping such as {role: user, content: ...}, and"),
        (
            [*OPENAI, {"role": "user"}],
            "message 3 has no content (it has role; write {role: user, content: ...})",
        ),
        (
            [{"text": "hi"}],
            "message 1 has no role (it has text; write {role: user, content: ...})",
        ),
        (
            [{"role": "system", "content": "Be kind."}],
            (
                "message 1 has the text 'system' for a role, and not user or assistant "
                "(leave it out)"
            ),
        ),
        (
            [{"role": "asistant", "content": "x"}],
            (
                "message 1 has the text 'asistant' for a role, and not user or "
                "assistant (did you mean assistant?)"
            ),
        ),
        (
            [{"role": "user", "content": "  "}],
            "message 1 has a content that is blank",
        ),
        (
            [{"role": "user", "content": [{"image": "x"}]}],
            "message 1 has a content that must be text, and is a list",
        ),
        (
            [["a", "b", "c"]],
            "message 1 must be a pair of a question and its answer, or a mapping",
        ),
    ],
)
def test_turns_that_are_no_messages_say_what_is_wrong(turns, said):
    assert wrong(question=LAST, turns=turns).startswith(f"cases.json:3 turns: {said}")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"messages": OPENAI},
            "turns: end with an answer (leave it out, or write a question)",
        ),
        (
            {"question": OPENAI[:1], "turns": OPENAI},
            "turns: hold messages, and so does the question (keep one)",
        ),
        ({"question": OPENAI}, "question: end with an answer (leave it out, or write"),
    ],
)
def test_question_and_turns_fit_together(data, said):
    assert said in wrong(**data)


def test_turns_that_are_empty_are_no_question():
    assert wrong(turns=[]) == "cases.json:3: has no question"


def test_turns_make_another_case_and_are_no_label():
    plain, asked = one(question=LAST), one(question=LAST, turns=OPENAI)
    other = one(question=LAST, turns=OPENAI[:1] * 3 + OPENAI[1:])

    assert len({case_hash(plain), case_hash(asked), case_hash(other)}) == 3
    assert asked.id == case_hash(asked)
    assert labels_hash(plain) == labels_hash(asked)


def test_a_short_question_in_two_conversations_is_no_repetition():
    other = [{"role": "user", "content": "Can I cancel an order?"}]
    rows = [{"question": LAST, "turns": turns} for turns in (OPENAI, other, OPENAI)]
    cases = load([Row({"id": str(n), **r}, PLACE) for n, r in enumerate(rows)]).cases
    lines = health(cases)

    assert "with earlier turns: 3 of 3" in lines
    assert [line for line in lines if "repeating" in line] == [
        "warning: 1 case repeating a question of another case of the same tenant (2)"
    ]


def test_a_file_of_messages_alone_is_asked(tmp_path):
    said = [*OPENAI, {"role": "user", "content": LAST}]
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"messages": said}) + "\n")

    assert load(read_rows(path, file="cases.jsonl")).cases[0].question == LAST

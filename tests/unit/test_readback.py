import json

import pytest
from pydantic import Field

from runner.errors import InputError, Place
from runner.model import Frozen
from runner.readback import read_back

PLACE = Place("notes.json")


class Note(Frozen):
    format_version: int = 2
    words: tuple[str, ...] = ()
    by_line: dict[str, int] = Field(default_factory=dict)


def reading(text):
    return read_back(text, Note, PLACE, what="note", hint="write it again")


def test_what_was_written_is_read_back():
    note = Note(words=("a", "退款"), by_line={"a": 1})

    assert reading(note.model_dump_json()) == note
    assert reading(note.model_dump_json().encode()) == note


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "notes.json: is no note: format_version is missing"),
        ({"word": "a"}, "notes.json: is no note: format_version is missing"),
        (
            {"format_version": 1, "word": "a"},
            "has format_version 1; this version reads",
        ),
        ({"format_version": True}, "has format_version True; this version reads 2"),
        ({"format_version": "9" * 99}, "has format_version '" + "9" * 39 + ";"),
        ({"format_version": 2, "words": ["a", 3]}, "notes.json words[1]: Input should"),
        ({"format_version": 2, "by_line": {"a": "x"}}, "notes.json by_line.a: Input"),
        ({"format_version": 2, "word": "a"}, "notes.json word: Extra inputs"),
    ],
)
def test_what_does_not_fit_is_told_after_the_version_with_its_key(data, said):
    with pytest.raises(InputError) as told:
        reading(json.dumps(data))

    assert said in str(told.value)
    assert str(told.value).endswith("(write it again)")


@pytest.mark.parametrize("text", ["", "{", b"\xff", '{"format_version": NaN}'])
def test_what_is_no_json_is_told(text):
    with pytest.raises(InputError, match=r"^notes\.json: is no JSON: "):
        reading(text)


def test_a_long_value_does_not_make_the_message_long():
    with pytest.raises(InputError) as told:
        reading(
            json.dumps({"format_version": 2, "by_line": {"a" * 9_000: "x" * 9_000}})
        )

    assert len(str(told.value)) < 1_000

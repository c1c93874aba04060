import io
import os

import pytest

from runner.terminal import shows_colour, tell, write


def written(text, encoding="utf-8"):
    stream = io.TextIOWrapper(io.BytesIO(), encoding, newline="\n")
    write(text, stream)
    return stream.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", "≥ 0.85 é 中"), ("cp1252", "? 0.85 é ?"), ("ascii", "? 0.85 ? ?")],
)
def test_what_an_encoding_lacks_is_a_question_mark(encoding, expected):
    assert written("≥ 0.85 é 中", encoding) == expected


def test_half_a_character_is_no_failure():
    assert written("a\udcffb") == "a?b"


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("id a\n::error::b", "id a\n: :error::b\n"),
        ("  ::error::b", "  : :error::b\n"),
        ("a\r::error::b\x85::warning::c", "a\n: :error::b\n: :warning::c\n"),
        ("##[error]a", "## [error]a\n"),
        ("\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇\n"),
        ("a\u202eb\u200bc", "a\ufffdbc\n"),
        ("one\ntwo", "one\ntwo\n"),
    ],
)
def test_what_others_wrote_only_shows(foreign, shown):
    stream = io.StringIO()
    tell(foreign, stream)

    assert stream.getvalue() == shown


def test_a_reader_who_left_is_no_failure():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:  # noqa: PTH123 - no path
        write("a" * 100_000, stream)
        write("again", stream)


def test_no_stream_is_no_failure():
    write("a", None)

    assert not shows_colour(None)

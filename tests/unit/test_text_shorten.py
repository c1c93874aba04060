"""Shorter texts keep what matters, and fit on the screen in any script."""

from __future__ import annotations

import pytest

from runner.text.shorten import (
    cells,
    cut,
    cut_around,
    cut_middle,
    finds,
    wrapped,
)

LONG = "The return period begins with delivery, and you have 37 days, not counting."


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("退款", 4),
        ("ｱ", 1),
        ("Ａ", 2),
        ("🎉", 2),
        ("e\u0301", 1),
        ("“a”", 3),
    ],
)
def test_a_wide_character_takes_two_cells(text, width):
    assert cells(text) == width


@pytest.mark.parametrize("shorten", [cut, cut_middle])
@pytest.mark.parametrize("text", ["word " * 50, "退款" * 50, "a退" * 50, "🎉" * 50])
@pytest.mark.parametrize("limit", [1, 2, 9, 20, 99])
def test_no_shorter_text_is_wider_than_its_limit(shorten, text, limit):
    assert 0 < cells(shorten(text, limit, cells)) <= limit
    assert 0 < len(shorten(text, limit)) <= limit


@pytest.mark.parametrize("text", ["word " * 50, "退款" * 50, "a退" * 50])
@pytest.mark.parametrize("limit", [3, 4, 9, 20, 99])
def test_no_part_of_a_text_is_wider_than_its_limit(text, limit):
    late = f"{text}37{text}"

    assert 0 < cells(cut_around(late, ["37"], limit, cells)) <= limit
    assert 0 < len(cut_around(late, ["37"], limit)) <= limit


@pytest.mark.parametrize("shorten", [cut, cut_middle])
def test_what_fits_stays_as_it_is(shorten):
    assert shorten("退款", 4, cells) == "退款"
    assert shorten("退款", 2) == "退款"


def test_both_ends_of_evidence_stay():
    evidence = f"'{'a long key point ' * 20}' is not stated"

    assert cut_middle(evidence, 40).startswith("'a long key point")
    assert cut_middle(evidence, 40).endswith("is not stated")


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ("37, 38 is in no context", ["37", "38"]),
        ("'21 days' is not stated", ["21 days", "21", "days"]),
        ("“美元” is not in the answer", ["美元"]),
        ("kb-104#2 did not come", ["kb-104#2"]),
        ("answered, and should have declined", []),
    ],
)
def test_evidence_names_what_to_look_for(evidence, found):
    assert finds(evidence) == found


@pytest.mark.parametrize(
    ("evidence", "limit", "shown"),
    [
        ("37 is in no context", 40, "…and you have 37 days, not counting."),
        ("37 is in no context", 24, "…ou have 37 days, not c…"),
        ("'The return' is wrong", 24, "The return period begin…"),
        ("nothing is in it", 24, "The return period begin…"),
        ("37 is in no context", 100, LONG),
    ],
)
def test_a_text_is_cut_around_what_the_evidence_names(evidence, limit, shown):
    assert cut_around(LONG, finds(evidence), limit) == shown


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "  three"]),
        ("退款政 七天", ["退款政", "  七天"]),
        ("退款政策七天内", ["退款政", "  策七天", "  内"]),
        ("abcdefghijklm", ["abcdef", "  ghijkl", "  m"]),
        ("", [""]),
    ],
)
def test_a_line_is_broken_at_its_width_in_cells(text, lines):
    assert wrapped(text, 8, "  ").split("\n") == lines

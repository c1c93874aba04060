import pytest

from runner.errors import MissingVariable
from runner.variables import Use, bare, expand, is_meant, substituted


def test_every_form_of_a_variable_is_told_apart():
    found = []

    def seen(use):
        found.append(use)
        return "<>"

    text = "${A} ${B:-} ${C:-x y} $${D} ${{ e }} ${F $G"

    assert substituted(text, seen) == "<> <> <> ${D} <> e }} <>F $G"
    assert found == [
        Use("${A}", "A", None),
        Use("${B:-}", "B", ""),
        Use("${C:-x y}", "C", "x y"),
        Use("${{", None, None),
        Use("${", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}/${B:-b}", "${B}/b"),
        ("$${A}", "${A}"),
        ("${B:-}", ""),
        ("${ ${{ x", "${ ${{ x"),
    ],
)
def test_values_are_data(text, expected):
    assert expand(text, {"A": "${B}", "B": ""}) == expected


def test_a_missing_variable_is_named_with_both_remedies():
    with pytest.raises(
        MissingVariable, match=r"TOKEN is missing or empty .*\$\{TOKEN:-d"
    ):
        expand("Bearer ${TOKEN}", {"TOKEN": ""})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("${A", True), ("${{ a }}", True), ("costs ${", False), ("$A", False)],
)
def test_what_surely_names_a_variable(text, expected):
    assert is_meant(text) is expected


def test_a_name_without_braces_is_nothing_and_is_found():
    assert bare("$API_KEY,${HOST},$5,$x,a$B1,$$C1,$HOST-2") == ["API_KEY", "HOST"]

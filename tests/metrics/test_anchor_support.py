from collections import Counter
from itertools import product

import pytest

from runner.metrics import Scripted
from runner.metrics.anchor_support import anchor_support
from runner.model import Explained, Passage, Unrated

STATUS = {"+": "explicit", "~": "implied", "0": "absent", "!": "contradicted"}
CAME = (Passage(id="d#1", text="x", document="d"), Passage(id="e#2", text="y"))


def score(signs, passages=None, citations=None):
    anchors = tuple(f"fact {n}" for n in range(len(signs)))
    judge = Scripted(
        anchors={a: STATUS[s] for a, s in zip(anchors, signs, strict=True)}
    )
    return anchor_support("Q?", "an answer", anchors, passages, citations, judge)


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        pytest.param("+", 1.0, id="stated"),
        pytest.param("~", 1.0, id="implied"),
        pytest.param("0", 0.0, id="absent"),
        pytest.param("!", 0.0, id="contradicted"),
        pytest.param("++0", 2 / 3, id="two of three"),
        pytest.param("+~00", 0.5, id="implied counts as stated"),
        pytest.param("++++!", 0.0, id="one contradiction of five"),
        pytest.param("0!", 0.0, id="absent and contradicted"),
    ],
)
def test_share_of_the_anchors_that_hold_and_nothing_beside_a_contradiction(
    signs, expected
):
    assert score(signs) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("passages", "citations", "expected"),
    [
        pytest.param(CAME, ("d#1",), 1.0, id="a passage that came"),
        pytest.param(CAME, ("d",), 1.0, id="its document"),
        pytest.param(CAME, ("d#1", "d#9"), 0.0, id="one that did not"),
        pytest.param((), ("d#1",), 0.0, id="nothing came"),
        pytest.param(CAME, (), 1.0, id="nothing is cited"),
        pytest.param(CAME, None, 1.0, id="citations are not shown"),
        pytest.param(None, ("d#9",), 1.0, id="passages are not shown"),
    ],
)
def test_a_fabricated_citation_makes_it_nothing(passages, citations, expected):
    assert score("++", passages, citations) == expected


def test_a_fabricated_citation_is_seen_without_a_judge():
    found = anchor_support("Q?", "an answer", ("fact",), CAME, ("x",), Scripted())

    assert (found, found.evidence) == (0.0, "x was cited and not retrieved")


@pytest.mark.parametrize(
    ("signs", "evidence"),
    [
        ("+0", "'fact 1' is not stated"),
        ("+00", "'fact 1' is not stated"),
        ("0+!", "the answer contradicts 'fact 2'"),
        ("!!", "the answer contradicts 'fact 0'"),
    ],
)
def test_it_tells_the_first_that_fails(signs, evidence):
    assert score(signs).evidence == evidence


def test_it_is_the_rate_of_the_source_wherever_nothing_is_contradicted():
    for size in range(1, 6):
        for signs in product("+~0!", repeat=size):
            seen = Counter(signs)
            rate = (seen["+"] + seen["~"]) / size

            assert score(signs) == pytest.approx(0.0 if seen["!"] else rate)


def test_a_full_score_needs_no_evidence():
    assert not isinstance(score("+~"), Explained)


@pytest.mark.parametrize("status", ["Explicit", " explicit ", "EXPLICIT"])
def test_a_status_is_read_in_any_case(status):
    judge = Scripted(anchors={"fact": status})

    assert anchor_support("Q?", "an answer", ("fact",), None, None, judge) == 1.0


def test_a_status_that_is_none_gives_no_number():
    judge = Scripted(anchors={"fact": "mentioned"})

    with pytest.raises(Unrated, match="'explicit', 'implied', 'absent'"):
        anchor_support("Q?", "an answer", ("fact",), None, None, judge)

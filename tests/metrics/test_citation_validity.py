import pytest

from runner.metrics.citation_validity import citation_validity, fabricated
from runner.model import Passage, Unscored

PASSAGES = (
    Passage(id="d#1", text="One."),
    Passage(id="d#2"),
    Passage(id="手册#3", document="handbook"),
)


@pytest.mark.parametrize(
    ("citations", "expected"),
    [
        pytest.param(("d#1", "d#2"), 1.0, id="all retrieved"),
        pytest.param(("d#1", "x#1"), 0.5, id="half fabricated"),
        pytest.param(("x", "y"), 0.0, id="all fabricated"),
        pytest.param(("d#1", "x", "y", "z"), 0.25, id="one of four retrieved"),
        pytest.param(("d",), 1.0, id="a document by the part before the sign"),
        pytest.param(("handbook",), 1.0, id="a document by its field"),
        pytest.param(("手册#3",), 1.0, id="a Chinese id"),
        pytest.param(("d#9",), 0.0, id="a passage of the document that did not come"),
        pytest.param(("d#",), 0.0, id="the head of an id"),
        pytest.param(("D#1",), 0.0, id="ids compare in their own case"),
        pytest.param(("d#1", "d#1", "x"), 0.5, id="a repeated id counts once"),
        pytest.param(("x", "x", "d#1"), 0.5, id="a repeated fabrication counts once"),
    ],
)
def test_share_of_the_cited_ids_that_were_retrieved(citations, expected):
    assert citation_validity(citations, PASSAGES) == expected


@pytest.mark.parametrize(
    "passages",
    [
        pytest.param((), id="nothing retrieved"),
        pytest.param((Passage(text="One."),), id="a passage without id"),
    ],
)
def test_a_citation_of_what_has_no_id_is_fabricated(passages):
    assert citation_validity(("d#1",), passages) == 0.0


def test_a_reply_that_cites_nothing_is_unscored():
    assert citation_validity((), PASSAGES) == Unscored("the reply cites nothing")


def test_fabricated_ids_are_named_once_and_in_their_order():
    assert fabricated(("z", "d#1", "a", "z"), PASSAGES) == ["z", "a"]

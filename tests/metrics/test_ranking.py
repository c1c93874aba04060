import pytest

from runner.metrics._ranking import document_of, rank
from runner.model import Passage, Ranking


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (Passage("d#3"), "d"),
        (Passage("d#3#1"), "d#3"),
        (Passage("d"), "d"),
        (Passage("#3"), "#3"),
        (Passage("d#3", document="e"), "e"),
        (Passage(document="e"), "e"),
        (Passage(), None),
        (Passage(""), None),
    ],
)
def test_the_document_of_a_passage(passage, expected):
    assert document_of(passage) == expected


@pytest.mark.parametrize(
    ("retrieved", "gains", "hits"),
    [
        pytest.param("a#1 b#1", (2, 1), (1, 1), id="whole ids"),
        pytest.param("a b", (0, 0), (0, 0), id="a document is not its chunk"),
        pytest.param("a#1 a#1", (2, 0), (1, 0), id="a repeated id"),
        pytest.param("a#2 c#1", (0, 0), (0, 0), id="another chunk, and grade 0"),
    ],
)
def test_chunks_match_by_whole_id(retrieved, gains, hits):
    qrels = {"a#1": 2, "b#1": 1, "c#1": 0}

    found = rank(map(Passage, retrieved.split()), qrels)

    assert found == Ranking(gains, hits, ideal=(2, 1))


@pytest.mark.parametrize(
    ("retrieved", "gains", "hits"),
    [
        pytest.param("a#1 a#2 b#1", (2, 0, 1), (1, 1, 1), id="every passage is a hit"),
        pytest.param("a#1 a#1 a#2", (2, 0, 0), (1, 0, 1), id="but none a second time"),
        pytest.param("a a", (2, 0), (1, 1), id="ids that name the document alone"),
        pytest.param("x#1 c#1", (0, 0), (0, 0), id="no match, and grade 0"),
    ],
)
def test_documents_match_by_the_part_before_the_mark(retrieved, gains, hits):
    found = rank(map(Passage, retrieved.split()), {"b": 1, "a": 2, "c": 0}, "document")

    assert found == Ranking(gains, hits, ideal=(2, 1))


def test_documents_match_by_their_own_field_first():
    passages = [Passage("1", document="a"), Passage("2", document="a"), Passage("a#1")]

    found = rank(passages, {"a": 1}, "document")

    assert found == Ranking((1, 0, 0), (1, 1, 1), (1,))


def test_passages_without_id_keep_their_rank():
    assert rank([Passage(text="?"), Passage("a")], {"a": 1}).gains == (0, 1)


def test_passages_of_a_document_that_have_no_id_are_told_apart_by_nothing():
    passages = [Passage(document="a"), Passage(document="a")]

    assert rank(passages, {"a": 1}, "document").hits == (1, 1)

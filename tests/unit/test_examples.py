"""A case and its reply survive the way into a record and back."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from runner import examples
from runner.cases import Row
from runner.errors import Place
from runner.model import Case, Passage, Response, Turn
from runner.spec import CitationMap, ResponseMap


def made(kind, fields):
    """Records with these fields; what has a default keeps it."""
    return st.fixed_dictionaries(fields).map(lambda given: kind(**given))


TEXT = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
CASES = made(
    Case,
    {
        "id": TEXT,
        "question": TEXT,
        "type": st.none() | st.just("fact"),
        "tags": TEXTS.map(
            lambda words: tuple(w for w in words if not set(w) & set(",|"))
        ),
        "qrels": st.dictionaries(TEXT, st.integers(0, 3), max_size=3),
        "reference": st.none() | TEXT,
        "key_points": st.lists(st.lists(TEXT, min_size=1, max_size=2).map(tuple)).map(
            tuple
        ),
        "must_not_include": TEXTS,
        "expect_refusal": st.booleans(),
        "anchors": TEXTS,
        "intents": TEXTS,
        "tenant": st.none() | TEXT,
        "turns": st.lists(
            st.tuples(TEXT, TEXT).map(
                lambda pair: (Turn("user", pair[0]), Turn("assistant", pair[1]))
            ),
            max_size=2,
        ).map(lambda pairs: tuple(turn for pair in pairs for turn in pair)),
    },
)
PASSAGES = made(
    Passage,
    {
        "id": st.none() | TEXT,
        "text": TEXT,
        "score": st.none() | st.floats(0, 1),
        "document": st.none() | TEXT,
        "tenant": st.none() | TEXT,
    },
)
RESPONSES = made(
    Response,
    {
        "answer": TEXT,
        "passages": st.none() | st.lists(PASSAGES, max_size=3).map(tuple),
        # A mapping counts equal citations once.
        "citations": st.none() | st.lists(TEXT, max_size=3, unique=True).map(tuple),
        "refused": st.none() | st.booleans(),
    },
)


def row(record):
    whole = json.loads(json.dumps(record))
    return Row(whole, Place("labels.jsonl", 1))


@settings(max_examples=60)
@given(CASES, RESPONSES)
def test_a_record_reads_as_what_it_was_made_of(case, response):
    record = row(examples.record(case, response))

    assert examples.case(record)._replace(place=None) == case
    assert examples.response(record) == response


def test_marks_of_citations_are_found_again_in_the_whole_answer():
    shown = ResponseMap(citations=CitationMap(pattern=r"\[(\d+)\]", first=1))
    response = Response(
        "It is 15 days.",
        (Passage("d#1", "15 days"),),
        ("d#1",),
        raw_answer="It is 15 days [1].",
        marks=((13, "d#1"),),
    )
    record = row(examples.record(Case("qa-1", "?"), response))

    assert examples.response(record, shown) == response

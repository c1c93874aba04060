import pytest

from runner.metrics.citation_support import citation_support, mismatched
from runner.model import Passage, Unscored

RETURNS = Passage(id="d#1", text="Opened items cannot be returned. 支持 1,500 个会话。")
REFUNDS = Passage(id="e#1", text="Refunds take 30 days. 可在十天内退货。")
BOTH = (RETURNS, REFUNDS)
CITED = ("d#1", "e#1")


def cited(answer):
    """Take marks such as ``[d#1]`` out of an answer, as an endpoint does."""
    marks, text = [], ""
    for part in answer.split("["):
        name, bracket, rest = part.partition("]")
        if bracket:
            marks.append((len(text), name))
        text += rest if bracket else part
    return text, BOTH, tuple(name for _, name in marks), tuple(marks)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param('It says "opened items".', 1.0, id="straight marks"),
        pytest.param("It says “opened items”.", 1.0, id="curly marks"),
        pytest.param("规定「十天内退货」。", 1.0, id="corner marks"),
        pytest.param("规定『十天内退货』。", 1.0, id="double corner marks"),
        pytest.param("规定“十天内退货”。", 1.0, id="Chinese in curly marks"),
        pytest.param("规定“十五天内退货”。", 0.0, id="Chinese, misquoted"),
        pytest.param("规定“ 十天 内退货 ”。", 1.0, id="Chinese, spaced out"),
        pytest.param('It says "opened boxes".', 0.0, id="misquoted"),
        pytest.param('It says "OPENED  Items".', 1.0, id="another case and spacing"),
        pytest.param("It says “ｏｐｅｎｅｄ items”.", 1.0, id="another width"),
        pytest.param('"opened items" and "opened boxes"', 0.5, id="one of two"),
        pytest.param(
            '"opened items", "take 30 days", "30 weeks", "ten days"',
            0.5,
            id="two of 4",
        ),
        pytest.param("规定“500 个会话”。", 0.0, id="500 is not in 1,500"),
        pytest.param("规定“1500个会话”。", 1.0, id="1500 is 1,500"),
        pytest.param('"returned. Refunds"', 0.0, id="over two passages"),
        pytest.param('"opened items," it says', 1.0, id="a comma of the sentence"),
        pytest.param('Is it "opened items?"', 1.0, id="its question mark"),
        pytest.param("规定“十天内退货。”", 1.0, id="Chinese, a full stop within"),
        pytest.param("规定“十天内退货，”如此", 1.0, id="Chinese, a comma within"),
        pytest.param('"opened ... be returned"', 1.0, id="an omission"),
        pytest.param('"opened […] be returned."', 1.0, id="an omission in brackets"),
        pytest.param('"opened items ... days"', 0.0, id="parts of two passages"),
        pytest.param('"opened ... be sold"', 0.0, id="an omission, misquoted"),
        pytest.param("規定「十天內退貨」。", 1.0, id="traditional Chinese"),
        pytest.param("规定“10天内退货”。", 0.0, id="a quotation is word for word"),
    ],
)
def test_share_of_the_quoted_spans_that_stand_in_what_is_cited(answer, expected):
    assert citation_support(answer, BOTH, CITED, None) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param('"opened items" [d#1].', 1.0, id="the right passage"),
        pytest.param('"opened items" [e#1].', 0.0, id="the wrong passage"),
        pytest.param('"opened items". [d#1]', 1.0, id="behind the full stop"),
        pytest.param("规定“十天内退货”[e#1]。", 1.0, id="Chinese, the right one"),
        pytest.param("规定“十天内退货”[d#1]。", 0.0, id="Chinese, the wrong one"),
        pytest.param("规定“十天内退货”。[e#1]", 1.0, id="Chinese, behind the stop"),
        pytest.param('"opened items" [e#1][d#1].', 1.0, id="one of two marks"),
        pytest.param('"opened items" [x#9].', 0.0, id="what was not retrieved"),
        pytest.param('"opened items" [d].', 1.0, id="its document"),
        pytest.param(
            '"opened items" [d#1]. "take 30 days" [d#1].', 0.5, id="each by its own"
        ),
        pytest.param(
            '"opened items". Also "take 30 days" [e#1]. Mind [d#1].',
            1.0,
            id="without a mark in its sentence, all that is cited",
        ),
        pytest.param(
            '"opened items" holds. See [e#1].', 0.0, id="a mark of the next sentence"
        ),
    ],
)
def test_a_span_belongs_to_the_marks_that_follow_it_in_its_sentence(answer, expected):
    assert citation_support(*cited(answer)) == expected


@pytest.mark.parametrize(
    ("answer", "citations", "expected"),
    [
        pytest.param('"opened items"', ("e#1",), 0.0, id="retrieved and not cited"),
        pytest.param('"opened items"', ("d",), 1.0, id="cited by document"),
        pytest.param('"opened items"', ("x",), 0.0, id="fabricated"),
    ],
)
def test_only_what_is_cited_supports(answer, citations, expected):
    assert citation_support(answer, BOTH, citations, None) == expected


@pytest.mark.parametrize(
    ("answer", "passages", "citations", "reason"),
    [
        pytest.param('"a b"', BOTH, (), "the reply cites nothing", id="no citation"),
        pytest.param("", BOTH, CITED, "the answer quotes nothing", id="empty answer"),
        pytest.param("Yes.", BOTH, CITED, "the answer quotes nothing", id="no quote"),
        pytest.param(
            'a "term" only', BOTH, CITED, "the answer quotes nothing", id="one word"
        ),
        pytest.param(
            "见《退货规定》", BOTH, CITED, "the answer quotes nothing", id="a title"
        ),
        pytest.param(
            'an "open mark', BOTH, CITED, "the answer quotes nothing", id="not closed"
        ),
        pytest.param(
            '"a b"',
            (RETURNS, Passage(id="e#1")),
            CITED,
            "a context has no text",
            id="absent text",
        ),
    ],
)
def test_what_cannot_be_told_is_unscored(answer, passages, citations, reason):
    assert citation_support(answer, passages, citations, None) == Unscored(reason)


def test_nothing_retrieved_supports_nothing():
    assert citation_support('"opened items"', (), CITED, None) == 0.0


def test_misquotations_are_named_in_their_order():
    answer = '"ten days", "opened items", "30 weeks"'

    assert mismatched(answer, BOTH, CITED, None) == ["ten days", "30 weeks"]

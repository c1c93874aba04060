import pytest

from runner.metrics.key_point_grounding import (
    key_point_grounding,
    ungrounded,
    unretrieved,
)
from runner.model import Passage, Unscored

LIMIT = (("500 个", "五百个"),)
RULES = (("30 days",), ("receipt",), ("store credit",))


def texts(*written):
    return tuple(Passage(text=text) for text in written)


@pytest.mark.parametrize(
    ("answer", "contexts", "points", "expected"),
    [
        pytest.param(
            "30 days, with receipt",
            ["Within 30 days.", "Bring the receipt."],
            RULES,
            1.0,
            id="all that is stated was retrieved",
        ),
        pytest.param(
            "30 days, with receipt", ["Within 30 days."], RULES, 0.5, id="half of it"
        ),
        pytest.param("30 days", ["No refunds."], RULES, 0.0, id="none of it"),
        pytest.param(
            "30 days",
            ["Within 30 days."],
            RULES,
            1.0,
            id="what the answer does not state does not count",
        ),
        pytest.param(
            "支持五百个会话", ["上限 500个"], LIMIT, 1.0, id="another spelling"
        ),
        pytest.param("支持500个会话", ["上限５００个"], LIMIT, 1.0, id="another width"),
        pytest.param(
            "支持500个会话", ["上限 1500 个"], LIMIT, 0.0, id="500 is not in 1500"
        ),
        pytest.param("TAKES 30 DAYS", ["30 days"], RULES, 1.0, id="another case"),
        pytest.param("30 days", [], RULES, 0.0, id="nothing retrieved"),
        pytest.param("30 days", [""], RULES, 0.0, id="an empty passage"),
    ],
)
def test_share_of_the_stated_points_that_were_retrieved(
    answer, contexts, points, expected
):
    assert key_point_grounding(answer, texts(*contexts), points) == expected


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        pytest.param(["支持 5", "00 个并发会话"], 1.0, id="cut in the number"),
        pytest.param(["支持 500", "个并发会话"], 1.0, id="cut behind the number"),
        pytest.param(["支持 500 ", " 个并发会话"], 1.0, id="cut at the space"),
        pytest.param(["支持 5", "", "00 个并发会话"], 1.0, id="an empty one between"),
        pytest.param(["支持 5", "其他", "00 个并发会话"], 0.0, id="not adjacent"),
        pytest.param(["00 个并发会话", "支持 5"], 0.0, id="in the wrong order"),
        pytest.param(["共 1", "500 个会话"], 1.0, id="a whole number is not spoiled"),
        pytest.param(["五百", "个并发会话"], 1.0, id="another spelling, cut"),
    ],
)
def test_a_point_may_straddle_two_adjacent_passages(contexts, expected):
    assert key_point_grounding("支持 500 个", texts(*contexts), LIMIT) == expected


@pytest.mark.parametrize(
    "contexts",
    [
        pytest.param(["get store ", "credit only"], id="cut at a space"),
        pytest.param(["get store", "credit only"], id="cut between words"),
        pytest.param(["get store cr", "edit only"], id="cut in a word"),
    ],
)
def test_words_may_straddle_too(contexts):
    assert key_point_grounding("Store credit.", texts(*contexts), RULES) == 1.0


@pytest.mark.parametrize(
    ("answer", "passages", "reason"),
    [
        pytest.param(
            "30 days", (Passage(id="a"),), "a context has no text", id="absent text"
        ),
        pytest.param(
            "30 days",
            (Passage(text="30 days"), Passage(id="a")),
            "a context has no text",
            id="one absent text of two",
        ),
        pytest.param(
            "Ask.", texts("30 days"), "the answer states no key point", id="none stated"
        ),
        pytest.param(
            "", texts("30 days"), "the answer states no key point", id="empty answer"
        ),
    ],
)
def test_what_cannot_be_told_is_unscored(answer, passages, reason):
    assert key_point_grounding(answer, passages, RULES) == Unscored(reason)


def test_points_are_named_by_their_first_spelling():
    contexts = texts("Bring the receipt.")

    found = [
        ungrounded("30 days, with receipt", contexts, RULES),
        unretrieved(contexts, RULES),
    ]

    assert found == [["30 days"], ["30 days", "store credit"]]


def test_absent_text_accuses_no_point():
    hidden = (Passage(id="a"),)

    assert ungrounded("30 days", hidden, RULES) + unretrieved(hidden, RULES) == []

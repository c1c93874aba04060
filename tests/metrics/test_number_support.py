import pytest

from runner.metrics.number_support import number_support, unsupported
from runner.model import Passage, Unscored


def texts(*written):
    return tuple(Passage(text=text) for text in written)


@pytest.mark.parametrize(
    ("answer", "context", "expected"),
    [
        pytest.param("30 days", "within 30 days", 1.0, id="found"),
        pytest.param("45 days", "within 30 days", 0.0, id="not found"),
        pytest.param("30 days, 45 euros", "within 30 days", 0.5, id="one of two"),
        pytest.param("1 of 2, 3 or 4", "just 4", 0.25, id="one of four"),
        pytest.param("30 days, 30 days, 45", "30 days", 0.5, id="each counts once"),
        pytest.param("costs 1,000", "price 1000", 1.0, id="grouped in the answer"),
        pytest.param("costs 1000", "price 1,000", 1.0, id="grouped in the passage"),
        pytest.param("1,000 and 1000, 7", "1000", 0.5, id="two spellings of one"),
        pytest.param("1,234,567", "1234567", 1.0, id="grouped twice"),
        pytest.param("30 天", "３０天", 1.0, id="another width"),
        pytest.param("500", "up to 1500", 0.0, id="the tail of a number"),
        pytest.param("500", "up to 1,500", 0.0, id="the tail of a group"),
        pytest.param("500", "up to 5000", 0.0, id="the head of a number"),
        pytest.param("3.5 MB", "up to 3.5 MB", 1.0, id="a decimal"),
        pytest.param("3.5 MB", "up to 35 MB", 0.0, id="a point that is lost"),
        pytest.param("5 MB", "up to 3.5 MB", 0.0, id="the decimals of one"),
        pytest.param("3.50 EUR", "3.5 EUR", 1.0, id="a zero behind"),
        pytest.param("The limit is 500.", "limit 500", 1.0, id="a full stop"),
        pytest.param("5%", "5 percent", 1.0, id="a share"),
        pytest.param("2.5 million", "2,500,000", 1.0, id="a scale word"),
        pytest.param("iPhone 15", "the iPhone 14", 0.0, id="digits of a name"),
        pytest.param("十天内退货", "10 天", 1.0, id="Chinese, spelled in the answer"),
        pytest.param("10 天内退货", "十天", 1.0, id="Chinese, spelled in the passage"),
        pytest.param("十五天内", "10 天", 0.0, id="Chinese, another number"),
        pytest.param("二十天", "共 20 天", 1.0, id="Chinese tens"),
        pytest.param("三百五十元", "350 元", 1.0, id="Chinese hundreds"),
        pytest.param("两万元", "20000 元", 1.0, id="Chinese ten thousands"),
        pytest.param("百分之五", "5%", 1.0, id="a Chinese share"),
        pytest.param("支持500个", "支持 500 个", 1.0, id="Chinese, a space more"),
        pytest.param("十天内退 500 元", "refund in 10 days", 0.5, id="two languages"),
        pytest.param("thirty days", "30 days", 1.0, id="spelled in the answer"),
        pytest.param("30 days", "thirty days", 1.0, id="spelled in the passage"),
        pytest.param("30 days", "", 0.0, id="an empty passage"),
    ],
)
def test_share_of_the_numbers_that_stand_in_the_passages(answer, context, expected):
    assert number_support(answer, texts(context), "") == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("1. Pay 30.\n2. Wait.\n3. Go.", 1.0, id="ordinals with a dot"),
        pytest.param("1) Pay 30\n2) Wait", 1.0, id="ordinals with a bracket"),
        pytest.param("1、付 30 元\n2、等待", 1.0, id="Chinese ordinals"),
        pytest.param("Pay 30 [1].", 1.0, id="a citation mark"),
        pytest.param("Pay 30 [1][2].", 1.0, id="two citation marks"),
        pytest.param("Pay 30 [1, 2].", 1.0, id="a citation mark of two"),
        pytest.param("付 30 元【2】。", 1.0, id="a Chinese citation mark"),
        pytest.param("Pay 30².", 1.0, id="a footnote sign"),
        pytest.param("Pay 30 [1], or 45 [2].", 0.5, id="what is beside one counts"),
        pytest.param("1. Pay 45.\n2. Pay 30.", 0.5, id="what follows one counts"),
        pytest.param("1.5 or 30", 0.5, id="a decimal at the start is no ordinal"),
    ],
)
def test_list_ordinals_and_citation_marks_are_no_numbers(answer, expected):
    assert number_support(answer, texts("30"), "") == expected


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        pytest.param(["支持 5", "00 个并发会话"], 1.0, id="cut in the number"),
        pytest.param(["支持 5", "", "00 个"], 1.0, id="an empty one between"),
        pytest.param(["支持 5", "其他", "00 个"], 0.0, id="not adjacent"),
        pytest.param(["00 个", "支持 5"], 0.0, id="in the wrong order"),
        pytest.param(["共 1", "500 个"], 1.0, id="a whole number is not spoiled"),
        pytest.param(["共 1500", "个"], 0.0, id="500 is not in 1500"),
    ],
)
def test_a_number_may_straddle_two_adjacent_passages(contexts, expected):
    assert number_support("支持 500 个", texts(*contexts), "") == expected


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        pytest.param("After 45 days, 30.", "And after 45 days?", 1.0, id="found there"),
        pytest.param("四十五天后，30 元。", "45 天后呢？", 1.0, id="in Chinese"),
        pytest.param("After 45 days, 30.", "And later?", 0.5, id="in neither"),
    ],
)
def test_the_question_backs_its_own_numbers(answer, question, expected):
    assert number_support(answer, texts("30"), question) == expected


@pytest.mark.parametrize(
    ("answer", "passages", "reason"),
    [
        pytest.param("", texts("30"), "the answer states no number", id="empty"),
        pytest.param("Soon.", texts("30"), "the answer states no number", id="none"),
        pytest.param(
            "很快。", texts("30"), "the answer states no number", id="none in Chinese"
        ),
        pytest.param(
            "1. Ask.\n2. Wait [3].",
            texts("30"),
            "the answer states no number",
            id="only ordinals and marks",
        ),
        pytest.param(
            "30", (Passage(id="a"),), "a context has no text", id="absent text"
        ),
        pytest.param(
            "30",
            (Passage(text="30"), Passage(id="a")),
            "a context has no text",
            id="one absent text of two",
        ),
    ],
)
def test_what_cannot_be_told_is_unscored(answer, passages, reason):
    assert number_support(answer, passages, "") == Unscored(reason)


def test_nothing_retrieved_backs_nothing():
    assert number_support("30 days", (), "") == 0.0


def test_unsupported_numbers_are_named_once_and_in_their_order():
    assert unsupported("9, 30, 1,500 and 9", texts("30"), "") == ["9", "1500"]


def test_absent_text_accuses_no_number():
    assert unsupported("30", (Passage(id="a"),), "") == []

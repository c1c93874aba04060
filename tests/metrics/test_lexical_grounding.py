import pytest

from runner.metrics.lexical_grounding import lexical_grounding
from runner.model import Passage, Unscored

RULE = "Opened items can be returned within 30 days. Refunds are paid by card."
CHINESE = "开封商品可在三十天内无理由退货。退款原路返回银行卡。"


def texts(*written):
    return tuple(Passage(text=text) for text in written)


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        pytest.param(RULE, RULE, id="identical"),
        pytest.param(CHINESE, CHINESE, id="identical in Chinese"),
        pytest.param("Opened items can be returned.", RULE, id="a part of it"),
        pytest.param("开封商品可在三十天内无理由退货。", CHINESE, id="a Chinese part"),
        pytest.param(RULE.upper(), RULE, id="another case"),
        pytest.param("支持 500 个并发会话", "支持５００个并发会话", id="another width"),
        pytest.param("Costs 1,000 euros", "costs 1000 euros", id="grouped digits"),
    ],
)
def test_what_stands_in_the_passages_word_by_word_is_one(answer, context):
    assert lexical_grounding(answer, texts(context), "") == 1.0


@pytest.mark.parametrize("passages", [(), texts(""), texts(" ", "…")])
@pytest.mark.parametrize("answer", ["Paris.", RULE, CHINESE])
def test_nothing_retrieved_backs_nothing(answer, passages):
    assert lexical_grounding(answer, passages, "Where?") == 0.0


@pytest.mark.parametrize(
    ("context", "answers"),
    [
        pytest.param(
            RULE,
            [
                "Opened items can be returned within 30 days.",
                "Opened items can be returned within 45 days.",
                "Green tea grows in 12 provinces of southern China.",
            ],
            id="a wrong number, then another subject",
        ),
        pytest.param(
            CHINESE,
            [
                "开封商品可在三十天内无理由退货。",
                "开封商品可在五十天内无理由退货。",
                "会员每月享受 12 次免费配送服务。",
            ],
            id="the same in Chinese",
        ),
        pytest.param(
            "企业版支持 500 个并发会话。",
            ["企业版支持 500 个并发会话。", "企业版支持 1500 个并发会话。"],
            id="500 is not 1500",
        ),
        pytest.param(
            RULE,
            [
                "Refunds are paid by card.",
                "Refunds are paid by card within 9 days.",
                "Refunds are paid by card within 9 days and 7 hours.",
            ],
            id="two wrong numbers are worse than one",
        ),
        pytest.param(
            CHINESE,
            [
                "退款原路返回银行卡。",
                "退款原路返回银行卡。会员每月享受免费配送服务。",
            ],
            id="a sentence that nothing backs",
        ),
        pytest.param(
            RULE,
            [
                "Opened items can be returned within 30 days.",
                "Opened items can be returned within 30 days to Marseille.",
            ],
            id="a name that nothing backs",
        ),
        pytest.param(
            RULE,
            ["Refunds are paid by card.", "Refunds are not paid by card."],
            id="a negation that nothing backs",
        ),
    ],
)
def test_the_less_is_backed_the_lower(context, answers):
    scores = [lexical_grounding(answer, texts(context), "") for answer in answers]

    assert scores == sorted(set(scores), reverse=True)


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        pytest.param(
            "Green tea grows across many provinces of southern China.",
            RULE,
            id="English",
        ),
        pytest.param("会员每月享受十二次免费配送服务。", CHINESE, id="Chinese"),
        pytest.param("Green tea grows in 12 provinces.", CHINESE, id="two languages"),
    ],
)
def test_what_is_unrelated_is_low(answer, context):
    assert 0 <= lexical_grounding(answer, texts(context), "") < 0.3


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        pytest.param("开封商品可在三十天内自由退货。", CHINESE, id="Chinese"),
        pytest.param("Opened items can be returned by post.", RULE, id="English"),
    ],
)
def test_a_small_edit_is_between(answer, context):
    unrelated = lexical_grounding(answer, texts("今晚有雨。"), "")

    assert unrelated < lexical_grounding(answer, texts(context), "") < 1


@pytest.mark.parametrize(
    ("answer", "contexts"),
    [
        (
            "Opened items can be returned within 30 days.",
            ["It rains.", "Within 30 days.", "Opened items can be returned."],
        ),
        (
            "开封商品可在三十天内无理由退货。",
            ["今晚有雨。", "三十天内有效。", "开封商品可在十天内无理由退货。"],
        ),
        ("支持 500 个并发会话", ["并发会话", "支持 500 个"]),
    ],
)
def test_more_contexts_are_never_lower(answer, contexts):
    scores = [
        lexical_grounding(answer, texts(*contexts[:n]), "")
        for n in range(len(contexts) + 1)
    ]

    assert scores == sorted(scores)


def test_a_number_of_the_question_is_no_invention():
    answer, found = "After 45 days items cannot be returned.", texts(RULE)

    asked = lexical_grounding(answer, found, "Can I return items after 45 days?")

    assert asked > lexical_grounding(answer, found, "Can I return items?")


def test_a_number_may_straddle_two_adjacent_passages():
    answer, others = "支持 500 个会话", ("支持 5", "99 个会话")

    cut = lexical_grounding(answer, texts("支持 5", "00 个会话"), "")

    assert cut > lexical_grounding(answer, texts(*others), "")


@pytest.mark.parametrize(
    ("answer", "passages", "reason"),
    [
        pytest.param("", texts(RULE), "the answer has no word", id="empty answer"),
        pytest.param("…?!", texts(RULE), "the answer has no word", id="only marks"),
        pytest.param(RULE, (Passage(id="a"),), "a context has no text", id="absent"),
        pytest.param(
            RULE,
            (Passage(text=RULE), Passage(id="a")),
            "a context has no text",
            id="one absent text of two",
        ),
    ],
)
def test_what_cannot_be_told_is_unscored(answer, passages, reason):
    assert lexical_grounding(answer, passages, "") == Unscored(reason)


def test_a_foreign_name_counts_in_any_width():
    read = texts("The office is in a big town.")

    assert lexical_grounding("The office is in Ｂｅｒｌｉｎ.", read, "") == (
        lexical_grounding("The office is in Berlin.", read, "")
    )

import pytest

from runner.metrics.answer_similarity import answer_similarity
from runner.model import Unscored

RULE = "Opened items can be returned within 30 days."
CHINESE = "开封商品可在十天内无理由退货。"


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        pytest.param(RULE, RULE, id="identical"),
        pytest.param(CHINESE, CHINESE, id="identical in Chinese"),
        pytest.param(RULE.upper(), RULE, id="another case"),
        pytest.param(
            "  Opened items\ncan be  sold", "opened items can be sold", id="spaces"
        ),
        pytest.param("within 30days", "within 30 days", id="a space beside a digit"),
        pytest.param("支持 500 个会话", "支持５００个会话", id="another width"),
        pytest.param("costs 1,000", "costs 1000", id="grouped digits"),
        pytest.param("a", "a", id="one letter"),
        pytest.param("是", "是", id="one sign"),
        pytest.param("10", "10", id="one number"),
    ],
)
def test_the_same_text_is_one(answer, reference):
    assert answer_similarity(answer, reference) == 1.0


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        pytest.param("zzzz qqqq", "opened items", id="English"),
        pytest.param("今晚有雨", "开封商品", id="Chinese"),
        pytest.param("Refunds take days", "可在十天内退货", id="two languages"),
        pytest.param("可在十天内退货", "refunds take days", id="the other way"),
        pytest.param("是", "否", id="one sign"),
    ],
)
def test_nothing_in_common_is_zero(answer, reference):
    assert answer_similarity(answer, reference) == 0.0


@pytest.mark.parametrize(
    ("reference", "answers"),
    [
        pytest.param(
            RULE,
            [
                RULE,
                "Opened items can be returned within 45 days.",
                "Items can be given back in 30 days.",
                "Our shop sells green tea.",
            ],
            id="English",
        ),
        pytest.param(
            CHINESE,
            [
                CHINESE,
                "开封商品可在五天内无理由退货。",
                "商品十天内退货。",
                "会员享受免费配送服务。",
            ],
            id="Chinese",
        ),
        pytest.param(
            "企业版支持 500 个并发会话",
            ["企业版支持 500 个并发会话", "企业版支持 300 个并发会话", "个人版免费"],
            id="Chinese with a wrong number",
        ),
    ],
)
def test_the_nearer_the_wording_the_higher(reference, answers):
    scores = [answer_similarity(answer, reference) for answer in answers]

    assert scores == sorted(set(scores), reverse=True)
    assert (scores[0], scores[-1] < 0.25) == (1.0, True)


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        pytest.param("开封商品可在五天内无理由退货。", CHINESE, id="Chinese, one sign"),
        pytest.param(RULE.replace("30", "45"), RULE, id="English, one number"),
    ],
)
def test_a_small_edit_is_between_and_near_the_top(answer, reference):
    assert 0.5 < answer_similarity(answer, reference) < 1


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        pytest.param(
            RULE + " Our friendly team answers every call before noon, and gift cards"
            " make lovely presents for people who already own a kettle.",
            RULE,
            id="too much",
        ),
        pytest.param("Returned.", RULE, id="too little"),
        pytest.param(
            CHINESE + "会员每月享受免费配送服务，生日当天另有礼品赠送。",
            CHINESE,
            id="too much in Chinese",
        ),
        pytest.param("退货。", CHINESE, id="too little in Chinese"),
    ],
)
def test_both_too_much_and_too_little_cost(answer, reference):
    assert 0 < answer_similarity(answer, reference) < 0.7


@pytest.mark.parametrize("rule", [RULE, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize(("times", "expected"), [(1, 1.0), (2, 0.67), (10, 0.18)])
def test_what_is_said_again_counts_as_too_much(rule, times, expected):
    said = answer_similarity(" ".join([rule] * times), rule)

    assert said == pytest.approx(expected, abs=0.01)


def test_a_run_without_an_end_counts_once():
    assert answer_similarity("refund " * 50, "refund") < 0.1


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(f"{RULE} And again: {RULE}", id="the reference repeats itself"),
        pytest.param("no no no no no no no no", id="one word"),
        pytest.param("a b c a b d a b e a b f a b g a b", id="pairs and no run"),
    ],
)
def test_what_the_reference_says_again_may_be_said_again(rule):
    assert answer_similarity(rule, rule) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [(RULE, RULE.replace("30", "45")), (CHINESE, "商品十天内退货。")],
)
def test_agreement_is_mutual_in_one_script(one, other):
    assert answer_similarity(one, other) == answer_similarity(other, one)


@pytest.mark.parametrize("reference", [RULE, CHINESE])
@pytest.mark.parametrize("answer", ["", " \n", "…"])
def test_an_answer_without_a_word_agrees_with_nothing(answer, reference):
    assert answer_similarity(answer, reference) == 0.0


@pytest.mark.parametrize("reference", ["", " \n", "…"])
@pytest.mark.parametrize("answer", ["", RULE, CHINESE])
def test_a_reference_without_a_word_is_unscored(answer, reference):
    assert answer_similarity(answer, reference) == Unscored("the reference has no word")

import pytest

from runner.metrics.token_support import token_support
from runner.model import Passage, Unscored


def texts(*written):
    return tuple(Passage(text=text) for text in written)


@pytest.mark.parametrize(
    ("answer", "contexts", "expected"),
    [
        pytest.param("opened items", ["opened items"], 1.0, id="identical"),
        pytest.param("items opened", ["opened items"], 1.0, id="order does not matter"),
        pytest.param("opened boxes", ["opened items"], 0.5, id="one of two"),
        pytest.param("red green blue pink", ["a red kite"], 0.25, id="one of four"),
        pytest.param("green tea", ["opened items"], 0.0, id="unrelated"),
        pytest.param("OPENED Items!", ["opened items"], 1.0, id="another case"),
        pytest.param("ｏｐｅｎｅｄ items", ["opened items"], 1.0, id="another width"),
        pytest.param("the opened items", ["opened items"], 1.0, id="a stop word"),
        pytest.param(
            "of boxes", ["of items"], 0.0, id="a stop word in common is nothing"
        ),
        pytest.param("opened items", ["opened", "items"], 1.0, id="in two passages"),
        pytest.param("500 sessions", ["1500 sessions"], 0.5, id="500 is not in 1500"),
        pytest.param("1,000 sessions", ["1000 sessions"], 1.0, id="grouped digits"),
        pytest.param(
            "opened opened boxes boxes", ["opened"], 0.5, id="each occurrence"
        ),
        pytest.param("开封商品", ["开封商品"], 1.0, id="Chinese, identical"),
        pytest.param("开封商品", ["今天晴朗"], 0.0, id="Chinese, unrelated"),
        pytest.param(
            "支持会话", ["支持通话"], 1 / 3, id="Chinese, one of three bigrams"
        ),
        pytest.param("开 封 商 品", ["开封商品"], 1.0, id="Chinese, spaced out"),
        pytest.param("開封商品", ["开封商品"], 1.0, id="traditional and simplified"),
        pytest.param("opened items", [], 0.0, id="nothing retrieved"),
        pytest.param("opened items", [""], 0.0, id="an empty passage"),
    ],
)
def test_share_of_the_content_tokens_that_were_retrieved(answer, contexts, expected):
    assert token_support(answer, texts(*contexts)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("context", "better", "worse"),
    [
        pytest.param(
            "Refunds take 30 days",
            "Refunds take 30 days",
            "Refunds take 45 days",
            id="one wrong number",
        ),
        pytest.param(
            "可在十天内无理由退货",
            "可在十天内无理由退货",
            "可在五天内无理由退货",
            id="one wrong Chinese number",
        ),
        pytest.param(
            "可在十天内无理由退货",
            "可在五天内无理由退货",
            "会员享受免费配送服务",
            id="a small Chinese edit is above another subject",
        ),
        pytest.param(
            "Opened items cannot be returned",
            "Opened items cannot be shipped",
            "Green tea cannot be shipped",
            id="fewer words in common",
        ),
    ],
)
def test_less_in_common_is_lower(context, better, worse):
    found = texts(context)

    assert token_support(better, found) > token_support(worse, found)


@pytest.mark.parametrize(
    ("answer", "contexts"),
    [
        (
            "Refunds of opened items take 30 days",
            ["Take care.", "Opened items", "No refunds", "30 days"],
        ),
        ("可在十天内无理由退货", ["今天", "无理由", "十天内", "可在十天内退货"]),
    ],
)
def test_more_contexts_are_never_lower(answer, contexts):
    scores = [
        token_support(answer, texts(*contexts[:n])) for n in range(len(contexts) + 1)
    ]

    assert scores == sorted(scores)


@pytest.mark.parametrize(
    ("answer", "passages", "reason"),
    [
        pytest.param("", texts("x"), "the answer has no content word", id="empty"),
        pytest.param("…?!", texts("x"), "the answer has no content word", id="marks"),
        pytest.param(
            "It is of the",
            texts("x"),
            "the answer has no content word",
            id="stop words",
        ),
        pytest.param("的", texts("x"), "the answer has no content word", id="Chinese"),
        pytest.param("x", (Passage(id="a"),), "a context has no text", id="absent"),
        pytest.param(
            "x",
            (Passage(text="x"), Passage(id="a")),
            "a context has no text",
            id="one absent text of two",
        ),
    ],
)
def test_what_cannot_be_told_is_unscored(answer, passages, reason):
    assert token_support(answer, passages) == Unscored(reason)

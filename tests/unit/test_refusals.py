import json
import os
from pathlib import Path
from time import process_time

import pytest

from runner.text import declines

SHARED = Path(os.environ.get("RAG_EVAL_SHARED") or Path(__file__).parents[3] / "shared")
LABELLED = SHARED / "data"

DECLINING = """
The documents do not say when the warranty ends.
The provided context doesn't contain information about refunds for opened items.
Based on the provided context, I could not find any information about the salary.
I could not find an answer to your question in the knowledge base.
I'm sorry, but the information you requested is not available in the documents I have.
There is no information on pricing in the retrieved passages.
No relevant documents found for your query.
The answer is not in the context.
I don't have enough information to answer that.
Unfortunately, the passages only describe installing and say nothing about removing.
This question cannot be answered from the given sources.
I am unable to find details about your order.
Not mentioned in the documents.
N/A
The text provided does not specify the exact date.
That information isn’t included in the handbook.
Nothing in the provided sources mentions a discount for students.
None of the passages mention the price.
It is unclear from the context who founded the company.
The passages discuss tomatoes and cucumbers. They do not mention peppers.
I do not know the answer to this question.
I'm afraid I can't help with that.
I am not able to share another customer's data.
I won't be able to help with this request.
I can only answer questions about our products.
As an AI model, I must decline to answer.
That's outside what I can help with.
It is not appropriate to generalize about any group of people.
根据提供的资料，无法回答该问题。
资料中没有提到该产品的价格。
抱歉，我没有找到相关信息。
很抱歉，知识库中未找到与您问题相关的内容。
根据现有文档，未提及退款的具体时限。
暂未查询到相关信息，请联系人工客服。
文档信息不足，因此我无法基于提供的文档回答该问题。
目前没有关于该活动的信息。
该问题超出了知识库的范围。
我没找到关于年假的规定。
我不清楚这个问题的答案。
抱歉，我不能透露其他客户的数据。
作为AI语言模型，我不会提供任何制作毒药的建议。
这个问题我暂时回答不了。
很遗憾，目前的资料不足以回答您的问题。
根據提供的資料，無法回答該問題。
抱歉，我沒有找到相關資訊。
""".strip().splitlines()

ANSWERING = """
You cannot return opened items.
The free plan does not include phone support.
No, the basic plan does not provide API access.
It is not possible to change the region after the bucket is created.
We do not offer refunds after 30 days.
We cannot ship batteries by air.
We do not share your data with third parties.
The policy does not cover water damage.
The limit is 500 concurrent sessions. It cannot be raised.
The error means the server could not find the file; check that the path is right.
The API returns 404 if no results are found.
The export does not include deleted records.
No details of your card are stored on our servers.
If you don't have access to the document, ask its owner.
I don't recommend using HTTP; use HTTPS.
I can only find two differences: price and support.
It is not safe to open the case while it is powered; unplug it first.
Refunds take 30 days. The documents do not mention exchanges.
As an AI, I have no opinion, but the Pro plan at $20 a month with 5 seats is popular.
She said she could not provide evidence.
已拆封的商品不能退货。
免费版不支持导出数据。
超过30天无法退款。
我们不提供夜间配送。
如果没有找到文件，请检查路径是否正确。
用户没有权限时会返回403错误。
不能。企业版不包括该功能。
账号注销后数据无法恢复。
内容不得超过280个字符。
我们不会收集您的任何信息。
没有信息泄露的风险。
退货期为30天。资料中没有提到换货。
根据资料，退货期为30天。资料中没有提到换货。
""".strip().splitlines()


@pytest.mark.parametrize("answer", DECLINING)
def test_declining_is_told_by_what_is_said(answer):
    assert declines(answer)


@pytest.mark.parametrize("answer", ANSWERING)
def test_a_fact_that_denies_something_is_an_answer(answer):
    assert not declines(answer)


OPENING = "As an AI language model, I do not have personal opinions."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(OPENING, True, id="a disclaimer alone"),
        pytest.param(
            f"{OPENING} However, the most visited museum of the city is the Louvre,"
            " which had nine million visitors in 2019.",
            False,
            id="an answer behind a turn",
        ),
        pytest.param(
            f"{OPENING} However, I can help you with something else.",
            True,
            id="an offer behind a turn",
        ),
        pytest.param(
            "我没有个人喜好，但是最受欢迎的是专业版，每月20元，含5个席位，支持导出和接口调用，"
            "适合十人以下的小团队使用，也可以随时升级到企业版，按年付费还有八折优惠。",
            False,
            id="an answer behind a turn in Chinese",
        ),
        pytest.param(
            "I'm sorry, but I cannot answer that.", True, id="but opens the refusal"
        ),
    ],
)
def test_an_answer_behind_a_disclaimer_counts(answer, expected):
    assert declines(answer) is expected


@pytest.mark.parametrize(
    ("answer", "phrases", "expected"),
    [
        pytest.param("Ask the bees.", ("ask the bees",), True, id="own phrase"),
        pytest.param("Ask the beekeeper.", ("ask the bees",), False, id="whole words"),
        pytest.param(
            "请转人工 客服", ("转人工客服",), True, id="own phrase in Chinese"
        ),
        pytest.param("The limit is 5.", ("",), False, id="empty phrase"),
    ],
)
def test_a_team_may_add_its_own_phrases(answer, phrases, expected):
    assert declines(answer, phrases) is expected


@pytest.mark.parametrize(
    "answer",
    ["", " \n", "👍", "\ud800", "\u202e\u202c", "...", "。", "？！"],
)
def test_saying_nothing_is_no_refusal(answer):
    assert not declines(answer)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("i am " * 200_000, id="speaker"),
        pytest.param("no documents not in the " * 40_000, id="sources"),
        pytest.param("not " * 250_000, id="negations"),
        pytest.param("我" * 300_000 + "不", id="Chinese speaker"),
        pytest.param("没有资料中" * 60_000, id="Chinese sources"),
        pytest.param("." * 1_000_000, id="dots"),
        pytest.param("Sorry. " * 140_000, id="sentences"),
    ],
)
def test_a_megabyte_costs_no_more_than_its_opening(answer):
    start = process_time()
    declines(answer)

    assert process_time() - start < 1


def _f1(name, source):
    path = LABELLED / name
    if not path.exists():
        pytest.skip(f"no labelled answers: {path} is absent (set RAG_EVAL_SHARED)")
    hits = said = true = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["source"] == source and not row["borderline"]:
            found, wanted = declines(row["answer"]), bool(row["is_refusal"])
            hits, said, true = hits + (found and wanted), said + found, true + wanted
    return 2 * hits / (said + true)


@pytest.mark.parametrize(
    ("name", "source", "least"),
    [
        ("refusal_en.jsonl", "mtrag_un", 0.95),
        ("refusal_en.jsonl", "xstest_v2", 0.90),
        ("refusal_en.jsonl", "chatgpt_refusals", 0.80),
        ("refusal_zh.jsonl", "chinese_llama_alpaca", 0.90),
    ],
)
def test_refusals_that_people_labelled_are_found(name, source, least):
    assert _f1(name, source) >= least

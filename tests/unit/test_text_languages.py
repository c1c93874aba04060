"""Which language a judge or an annotator is spoken to in."""

import pytest

from runner.text import language


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("How long may I return an item?",), "en"),
        (("退货期限是几天？",), "zh"),
        (("退貨期限是幾天？",), "zh"),
        (("什么是 RAG 的 retrieval 阶段？",), "zh"),
        (("The word 退货 means return.",), "en"),
        (("How long may I return an item?", "十五天以内。"), "zh"),
        (("几天？", "15 days"), "zh"),
        (("Сколько дней?",), "en"),
        (("42 ?", ""), "en"),
        ((None,), "en"),
        ((None, "十天"), "zh"),
        ((), "en"),
    ],
)
def test_mostly_chinese_is_chinese_and_all_else_english(texts, expected):
    assert language(*texts) == expected

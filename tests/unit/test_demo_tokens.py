import pytest

from demo.tokens import is_chinese, sentences, terms

ENGLISH = {
    "plural": ("refunds", "refund"),
    "past": ("backed", "back"),
    "gerund": ("stacking", "stack"),
    "silent e": ("invoices", "invoice"),
    "double s": ("businesses", "business"),
    "case": ("SAML", "saml"),
    "full width": ("ＡＰＩ", "api"),
    "thousands": ("1,000", "1000"),
}


@pytest.mark.parametrize(("one", "other"), ENGLISH.values(), ids=ENGLISH.keys())
def test_spellings_of_a_word_meet(one, other):
    assert terms(one) == terms(other)


def test_the_country_is_no_function_word():
    assert terms("Who pays us in the US?") == ("pays", "us", "us")


def test_chinese_is_counted_in_pairs_of_characters():
    assert terms("电子发票") == ("电子", "子发", "发票")


def test_no_pair_spans_a_function_word():
    assert terms("密码的链接多久失效？") == ("密码", "链接", "失效")


def test_scripts_mix():
    assert terms("标准版含20GB空间") == (
        "标准", "准版", "版含", "20", "gb", "空间",
    )  # fmt: skip


def test_a_question_of_function_words_has_no_terms():
    assert terms("What is this? 是什么？") == ()


def test_a_point_inside_a_number_ends_no_sentence():
    assert sentences("It costs 0.8. Ask!") == ["It costs 0.8.", "Ask!"]


def test_chinese_sentences_need_no_space():
    assert sentences("每天备份。保留60天。") == ["每天备份。", "保留60天。"]


def test_one_chinese_character_makes_a_text_chinese():
    assert [is_chinese("API 限流"), is_chinese("API limit")] == [True, False]

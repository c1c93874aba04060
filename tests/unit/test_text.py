from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.text import (
    contains,
    fold,
    normalise,
    numbers,
    readings,
    sentences,
    states,
    tokens,
    vocabulary,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Opened  ITEMS\n\tmay", "opened items may", id="case and space"),
        pytest.param("Ｆｕｌｌ Ｗｉｄｔｈ", "full width", id="width"),
        pytest.param("Straße", "strasse", id="sharp s"),
        pytest.param("re\u00adfund\u200b", "refund", id="soft hyphen, zero width"),
        pytest.param("\u202eabc\u202c\u2066x\u2069", "abcx", id="bidirectional marks"),
        pytest.param("don’t “stop”", 'don\'t "stop"', id="typographic quotes"),
        pytest.param("2019–2020", "2019-2020", id="dash"),
        pytest.param("支持 500 个 会话", "支持500个会话", id="spaces beside signs"),
        pytest.param("within 10 days", "within10days", id="spaces beside digits"),
        pytest.param("iPhone 15", "iphone15", id="a name with a number"),
        pytest.param("50 %", "50%", id="percent"),
        pytest.param("therapist the rapist", "therapist the rapist", id="words part"),
        pytest.param("10 20", "10 20", id="two numbers part"),
        pytest.param("costs 500. 3 days", "costs500. 3days", id="a dot parts numbers"),
        pytest.param("1,000,000", "1000000", id="grouping"),
        pytest.param("1,00,000", "100000", id="Indian grouping"),
        pytest.param("1\u00a0000", "1000", id="grouping by a thin space"),
        pytest.param("in 2019,500 people", "in2019,500people", id="no grouping"),
        pytest.param("会话，可扩容。", "会话,可扩容。", id="wide punctuation"),
        pytest.param("可於十天內退貨", "可于十天内退货", id="traditional Chinese"),
        pytest.param("發、髮", "发,发", id="two signs with one simplified form"),
        pytest.param("第101、102位", "第101, 102位", id="a comma that parts numbers"),
        pytest.param("苹果、梨", "苹果,梨", id="a comma that parts words"),
        pytest.param("٥٠٠ ۱۲", "500 12", id="digits of another script"),
        pytest.param("2019² and 5½", "2019 2and5 1⁄2", id="signs that NFKC spells"),
        pytest.param("", "", id="empty"),
    ],
)
def test_texts_meet_in_one_form(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Within 10 days.", ("within", "10", "days"), id="English"),
        pytest.param("可在十天内", ("可在", "在十", "十天", "天内"), id="Chinese"),
        pytest.param("第 5 页", ("第", "5", "页"), id="single signs"),
        pytest.param("用 API 调用", ("用", "api", "调用"), id="mixed"),
        pytest.param("iPhone15", ("iphone", "15"), id="letters and digits part"),
        pytest.param("v3.5 costs 1,000", ("v", "3.5", "costs", "1000"), id="numbers"),
        pytest.param("don’t", ("don", "t"), id="apostrophe"),
        pytest.param("max_size", ("max", "size"), id="underscore"),
        pytest.param("Grüße, naïve", ("grüsse", "naïve"), id="accents"),
        pytest.param("ひらがな", ("ひら", "らが", "がな"), id="Japanese"),
        pytest.param("한국어", ("한국", "국어"), id="Korean"),
        pytest.param("हिन्दी में", ("हिन्दी", "में"), id="Hindi"),
        pytest.param("مرحبا بالعالم", ("مرحبا", "بالعالم"), id="Arabic"),
        pytest.param("👍🏽 … — !", (), id="no word"),
        pytest.param("", (), id="empty"),
    ],
)
def test_words_or_bigrams_are_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="English"),
        pytest.param("一。二！三？四", ["一。", "二！", "三？", "四"], id="Chinese"),
        pytest.param('He said "no." Then.', ['He said "no."', "Then."], id="quote"),
        pytest.param(
            "他说“好。”然后走了", ["他说“好。”", "然后走了"], id="Chinese quote"
        ),
        pytest.param(
            "Dr. Li and J. K. Rowling", ["Dr. Li and J. K. Rowling"], id="Dr."
        ),
        pytest.param("Use e.g. this", ["Use e.g. this"], id="e.g."),
        pytest.param("It costs $3.50 now", ["It costs $3.50 now"], id="decimal"),
        pytest.param(
            "The limit is 500. Ask us.", ["The limit is 500.", "Ask us."], id="n"
        ),
        pytest.param("1. One\n2. Two", ["1. One", "2. Two"], id="list"),
        pytest.param("see a.b.c for x", ["see a.b.c for x"], id="dots in a name"),
        pytest.param("wait... then", ["wait...", "then"], id="ellipsis"),
        pytest.param(" \n ", [], id="blank"),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert list(sentences(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 1_000_000, id="one word"),
        pytest.param("1" * 1_000_000, id="one number"),
        pytest.param("11," * 300_000, id="groups"),
        pytest.param("1 " * 500_000, id="digits"),
        pytest.param("." * 1_000_000, id="dots"),
        pytest.param("! " * 500_000, id="marks"),
        pytest.param(" " * 1_000_000, id="spaces"),
        pytest.param("\n" * 1_000_000, id="lines"),
        pytest.param("[1, " * 250_000, id="open brackets"),
        pytest.param("hundred " * 100_000, id="number words"),
        pytest.param("十" * 300_000, id="Chinese numerals"),
        pytest.param("1万" * 200_000, id="compounds"),
        pytest.param("貨" * 300_000, id="traditional signs"),
        pytest.param("(" * 500_000, id="opening brackets"),
        pytest.param("\n* " * 300_000, id="empty list items"),
        pytest.param("twenty-" * 100_000, id="joined number words"),
        pytest.param("1k " * 300_000, id="scaled numbers"),
        pytest.param("百分之" * 100_000, id="percent signs"),
        pytest.param("字" * 300_000, id="one Chinese word"),
        pytest.param("\u0301" * 300_000, id="marks without a letter"),
        pytest.param("e\u0301" * 300_000, id="letters with marks"),
    ],
)
def test_a_megabyte_is_read_in_linear_time(text):
    start = process_time()
    for read in (normalise, tokens, vocabulary, sentences, numbers, readings):
        read(text)
    states(text, "needle 5")

    assert process_time() - start < 15


def test_a_million_chinese_characters_are_folded_in_a_second():
    text = "企业版支持并发会话可按需扩容退款在收到商品后到账" * 42_000
    start = process_time()
    fold(text)

    assert process_time() - start < 1


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_is_read_without_fail_and_holds_itself(text):
    for read in (fold, tokens, sentences, numbers, readings):
        read(text)

    assert contains(text, text) is bool(normalise(text))


@given(st.text(st.sampled_from("ab 12,.天十。é\u3000５Ａ"), max_size=40))
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.sampled_from(["refund", "30", "天内", "Acme", "é"]), max_size=8))
def test_tokens_do_not_depend_on_case_or_white_space(words):
    spaced = "  \n".join(words).upper()

    assert tokens(spaced) == tokens(" ".join(words))

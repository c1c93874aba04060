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
        pytest.param("", "", id="empty"),
    ],
)
def test_texts_meet_in_one_form(text, expected):
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        pytest.param("up to 500 sessions", "500", True, id="a number"),
        pytest.param("up to 1500 sessions", "500", False, id="within a number"),
        pytest.param("up to 500.5 units", "500", False, id="before a decimal"),
        pytest.param("up to 3.500 units", "500", False, id="behind a decimal"),
        pytest.param("up to 500,000 units", "500", False, id="in a grouped number"),
        pytest.param("The limit is 500.", "500", True, id="at a full stop"),
        pytest.param("limits: 5, 50 and 500", "50", True, id="in a list"),
        pytest.param("1,000 seats", "1000 seats", True, id="grouping"),
        pytest.param("1000 seats", "1,000 seats", True, id="grouping of the needle"),
        pytest.param("restart the router", "art", False, id="within a word"),
        pytest.param("state-of-the-art", "art", True, id="behind a hyphen"),
        pytest.param("the café's menu", "CAFÉ", True, id="before an apostrophe"),
        pytest.param("the cafés", "café", False, id="a longer word"),
        pytest.param("within 10 days of", "10days", True, id="space left out"),
        pytest.param("iPhone15", "iPhone 15", True, id="space put in"),
        pytest.param("支持500个并发会话", "500 个", True, id="Chinese"),
        pytest.param("支持1500个并发会话", "500个", False, id="Chinese, number whole"),
        pytest.param("可在十天内退货", "十天", True, id="Chinese by substring"),
        pytest.param("ＶＩＰ会员", "vip", True, id="width beside Chinese"),
        pytest.param("uses C++ daily", "C++", True, id="symbols"),
        pytest.param("art, restart", "art", True, id="whole at first"),
        pytest.param("restart, art", "art", True, id="whole at last"),
        pytest.param("हिन्दी भाषा", "हिन्द", False, id="vowel sign belongs to the word"),
        pytest.param("anything", "", False, id="empty needle"),
        pytest.param("anything", " \u200b", False, id="invisible needle"),
        pytest.param("", "x", False, id="empty text"),
    ],
)
def test_words_and_numbers_match_whole(text, needle, expected):
    assert contains(text, needle) is expected


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
    ("text", "expected"),
    [
        pytest.param("up to 1,000 of 5.50", ["1000", "5.5"], id="digits"),
        pytest.param("３００元", ["300"], id="wide digits"),
        pytest.param("٥٠٠", ["500"], id="Arabic-Indic digits"),
        pytest.param("at 9:00", ["9"], id="full hour"),
        pytest.param("2024.01.05", ["2024", "1", "5"], id="date"),
        pytest.param("version 3.0.1", ["3.0.1"], id="version"),
        pytest.param("2.5 million", ["2500000"], id="million"),
        pytest.param("3万元，1.2亿", ["30000", "120000000"], id="wan, yi"),
        pytest.param("十天内，三百五十元", ["10", "350"], id="Chinese"),
        pytest.param("两个人，二十五岁", ["2", "25"], id="two"),
        pytest.param("百分之五", ["5"], id="percent"),
        pytest.param("二〇二四年", ["2024"], id="year sign by sign"),
        pytest.param("三点五倍", ["3.5"], id="decimal sign by sign"),
        pytest.param("一万五千元", ["15000"], id="wan and qian"),
        pytest.param("一个 一些 万一 千万不要 十分重要", [], id="manners of speaking"),
        pytest.param("twenty-five, two hundred and fifty", ["25", "250"], id="words"),
        pytest.param("three days", ["3"], id="a word beside a unit"),
        pytest.param("three tips, one of them", [], id="a word that introduces"),
        pytest.param("1. First\n2) Second\n(3) Third", [], id="list ordinals"),
        pytest.param("first: 1)a;2)b", [], id="ordinals within a line"),
        pytest.param("so it is [1][2, 3] 【4】 x¹", [], id="citation marks"),
        pytest.param("Passage 2 and source 3", [], id="labels"),
        pytest.param("iPhone 15 and COVID-19", ["15", "19"], id="names"),
        pytest.param("the price is: 50. Then 60", ["50", "60"], id="no ordinal"),
        pytest.param("", [], id="empty"),
    ],
)
def test_a_number_is_read_however_it_is_written(text, expected):
    assert list(numbers(text)) == expected


@pytest.mark.parametrize(
    ("text", "backed"),
    [
        pytest.param("2.5 million", {"2.5", "2500000"}, id="with and without scale"),
        pytest.param("a third, in May", {"1", "3", "5"}, id="ordinal and month"),
        pytest.param("一个人，第一", {"1"}, id="one in Chinese"),
        pytest.param("twenty five", {"20", "5", "25"}, id="either reading"),
        pytest.param("three tips", {"3"}, id="a word that introduces"),
        pytest.param("½ cup", {"1", "2"}, id="fraction"),
        pytest.param("12.50", {"12.5"}, id="trailing zero"),
    ],
)
def test_a_text_backs_every_reading_of_its_numbers(text, backed):
    assert backed <= readings(text)


def test_the_same_number_meets_in_two_languages():
    assert numbers("within 10 days") == numbers("十天之内") == ("10",)


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
    contains(text, "needle 5")

    assert process_time() - start < 15


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

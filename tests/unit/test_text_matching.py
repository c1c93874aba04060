from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.text import contains, states


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
        pytest.param("可在二十天内退货", "十天", False, id="behind a ten"),
        pytest.param("可在十五天内退货", "五天", False, id="behind a ten and more"),
        pytest.param("共三千五百元", "三千", False, id="before a hundred"),
        pytest.param("二〇二四年", "四年", False, id="in a year, sign by sign"),
        pytest.param("涨百分之三点五", "百分之三", False, id="before spelled decimals"),
        pytest.param("下午三点开会", "下午三点", True, id="before an hour's sign"),
        pytest.param("唯一一个答案", "唯一", True, id="two ones that are no number"),
        pytest.param("唯一三个答案", "三个", True, id="behind a one of a word"),
        pytest.param("可於十天內退貨", "十天内退货", True, id="traditional Chinese"),
        pytest.param("可于十天内退货", "十天內退貨", True, id="simplified Chinese"),
        pytest.param("支援軟體更新", "软件更新", False, id="another word for the same"),
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
    ("text", "needle"),
    [
        pytest.param("可在十五天内退货", "15天", id="Chinese signs in the text"),
        pytest.param("三到五天", "3-5天", id="a range in words"),
        pytest.param("3～5 天內", "3至5天", id="a range with another mark"),
        pytest.param("9：00至18：00", "9:00-18:00", id="opening hours"),
        pytest.param("3%至5%", "3%-5%", id="a range of shares"),
        pytest.param("9:00~18:00", "9:00-18:00", id="a range in ASCII"),
        pytest.param("廿四小時內", "24小时", id="a sign for twenty"),
        pytest.param("卅天", "30天", id="a sign for thirty"),
        pytest.param("第三步：提交", "第3步", id="a step"),
        pytest.param("重五公斤", "5公斤", id="a metric unit"),
        pytest.param("可在15天内退货", "十五天", id="Chinese signs in the needle"),
        pytest.param("within fifteen days", "15 days", id="words in the text"),
        pytest.param("within 15 days", "fifteen days", id="words in the needle"),
        pytest.param("within 15 days", "fifteen", id="a bare word"),
        pytest.param("within fifteen days", "15", id="a bare number"),
        pytest.param("可在十五天内", "15", id="a bare number in Chinese"),
        pytest.param("共 15 个", "十五", id="a bare numeral"),
        pytest.param("共 10 个", "十", id="a bare numeral of one sign"),
        pytest.param("最多一千个会话", "1,000 个", id="one thousand, grouped"),
        pytest.param("最多1千个会话", "1000个", id="a scale"),
        pytest.param("up to 1,000 seats", "一千", id="over two languages"),
        pytest.param("最多1000个会话", "1千", id="a scale in the needle"),
        pytest.param("一千两百五十元", "1,250 元", id="of several signs"),
        pytest.param("两万五千元", "2.5万元", id="a decimal with a scale"),
        pytest.param("1亿2000万元", "120,000,000 元", id="two scales"),
        pytest.param("costs 2.5 million", "2,500,000", id="million"),
        pytest.param("250 万", "2.5 million", id="million in Chinese"),
        pytest.param("two hundred and fifty seats", "250 seats", id="hundreds"),
        pytest.param("退百分之五", "5%", id="percent in Chinese"),
        pytest.param("a fee of 5 percent", "百分之五", id="percent in English"),
        pytest.param("a fee of 5%", "five per cent", id="per cent"),
        pytest.param("一个工作日内", "1 个工作日", id="one beside its measure"),
        pytest.param("in one day", "1 day", id="one"),
        pytest.param("two\n  factor login", "two factor", id="over a line's end"),
        pytest.param("one hundred\nand one", "101", id="a number over a line's end"),
        pytest.param("Formula One's cars", "formula one", id="a name"),
        pytest.param("chapters five and six", "chapters five", id="before another"),
        pytest.param("第三季度", "第3", id="an ordinal"),
        pytest.param("第3季度", "第三", id="a spelled ordinal"),
        pytest.param("二〇二四年三月", "2024年3月", id="a date"),
        pytest.param("三千克大米", "3千克", id="kilograms"),
        pytest.param("三千克大米", "3000克", id="kilograms as grams"),
        pytest.param("最多兩萬個", "20,000 个", id="traditional Chinese"),
        pytest.param("直径18千米", "18", id="before a unit of a thousand"),
        pytest.param("no one of them", "one of them", id="a word that counts nothing"),
        pytest.param("up to ٥٠٠ items", "500 items", id="another script's digits"),
    ],
)
def test_a_number_is_found_in_another_spelling(text, needle):
    assert states(text, needle)


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        pytest.param("within 150 days", "15", id="the head of one"),
        pytest.param("13至5天", "3至5天", id="the tail of a range's first"),
        pytest.param("三至十五天", "3至5天", id="the tail of a range's last"),
        pytest.param("三五天", "3至5天", id="about, and no range"),
        pytest.param("within 115 days", "fifteen", id="the tail of one"),
        pytest.param("up to 1.5 MB", "15", id="over a point"),
        pytest.param("up to 15.5 MB", "fifteen", id="before a point"),
        pytest.param("可在二十五天内", "5天", id="the tail of a numeral"),
        pytest.param("可在二十五天内", "20", id="the head of a numeral"),
        pytest.param("一百五十天", "15天", id="digits in a row"),
        pytest.param("up to 15,000 seats", "fifteen", id="the head of a group"),
        pytest.param("一千五百", "1,000", id="the head of a sum"),
        pytest.param("Python 3.10", "3.1", id="a version that a zero tells apart"),
        pytest.param("agent 007", "7", id="zeros in front"),
        pytest.param("one of them", "1", id="one, bare"),
        pytest.param("有一个答案", "1", id="one in Chinese, bare"),
        pytest.param("三心二意", "3", id="a numeral in a saying"),
        pytest.param("十分满意", "10分", id="ten that is very"),
        pytest.param("几十个", "10个", id="some tens"),
        pytest.param("十几个", "10个", id="some more than ten"),
        pytest.param("七八十个", "80个", id="seventy or eighty"),
        pytest.param("between two and five days", "7 days", id="two numbers"),
        pytest.param("one hundred and one days", "one hundred", id="a longer one"),
        pytest.param("twenty-five days", "five days", id="the tail of a longer one"),
        pytest.param("fifteen million", "fifteen", id="before a scale in words"),
        pytest.param("costs 15 million", "15", id="before a scale"),
        pytest.param("up to 500k seats", "500", id="thousands"),
        pytest.param("共15万元", "15", id="before a Chinese scale"),
        pytest.param("fifteen weeks", "15 days", id="another unit"),
        pytest.param("十五天", "15 days", id="another language's unit"),
        pytest.param("五十%", "5%", id="another share"),
    ],
)
def test_another_number_is_never_found(text, needle):
    assert not states(text, needle)


@given(
    st.lists(
        st.sampled_from(
            ["fifteen", "十", "五", "天", "15", "1.5", "，", " days", "千", "百分之"]
        ),
        max_size=6,
    ).map("".join)
)
def test_what_is_contained_is_stated(text):
    assert states(f"a {text} b", text) >= contains(f"a {text} b", text)


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        ("within **30** days", "30 days", True),
        ("within __thirty__ days", "30 days", True),
        ("within `30` days", "30 days", True),
        ("within ~~30~~ days", "30 days", True),
        ("within <b>30</b> days", "30 days", True),
        ("within 30&nbsp;days", "30 days", True),
        ("AT&amp;T pays", "AT&T", True),
        ("see \\[1\\]", "[1]", True),
        ("可在**十五**天内", "15天", True),
        ("5*30 days", "530 days", False),
        ("the snake_case name", "snakecase", False),
        ("if a < b and c > d", "ad", False),
        ("a ** b", "a ** b", True),
        ("write &amp;", "&amp;", True),
    ],
)
def test_marks_of_markdown_and_html_hide_nothing(text, needle, expected):
    assert states(text, needle) is expected


@pytest.mark.parametrize("text", ["<a" * 200_000, "*" * 400_000, "\\*a_" * 100_000])
def test_marks_are_read_in_linear_time(text):
    start = perf_counter()

    assert not states(text, "a needle")
    assert perf_counter() - start < 5

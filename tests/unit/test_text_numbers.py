import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.text import numbers, readings


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
        pytest.param("so: 1) a, 2) b; 3) c", [], id="ordinals behind commas"),
        pytest.param("包括（1）甲；（2）乙和（3）丙", [], id="brackets that count"),
        pytest.param("either (1) a or (2) b; (1) c (2) d", [], id="two such lists"),
        pytest.param("refund (1) and (3)", ["1", "3"], id="brackets that do not count"),
        pytest.param("in (2) or (14) days", ["2", "14"], id="brackets without a first"),
        pytest.param(
            "分为：（1）甲；（2）乙。", [], id="bracketed ordinals within a line"
        ),
        pytest.param("tricks. 6. **Phish**: x. **7.** y", [], id="bold ordinals"),
        pytest.param("tactics. 3. Contractor", [], id="an ordinal behind a sentence"),
        pytest.param("步骤：1. 打开。2.点击", [], id="ordinals before Chinese"),
        pytest.param("• 1. First\n**2)** Second\n（3）三", [], id="after a bullet"),
        pytest.param("Yoga Mat ($49.95) - x", ["49.95"], id="a price in brackets"),
        pytest.param("(Windows 8.1)", ["8.1"], id="a version in brackets"),
        pytest.param("(男 58.9岁,女72.3)", ["58.9", "72.3"], id="ages in brackets"),
        pytest.param("p(2.4.5)", ["2.4.5"], id="a paragraph in brackets"),
        pytest.param("张三（男，35）", ["35"], id="an age behind a comma"),
        pytest.param("僅0.84，低於日本(1.34)", ["0.84", "1.34"], id="decimals"),
        pytest.param("at 10:30) or 16:9", ["10", "30", "16", "9"], id="behind a colon"),
        pytest.param("第101、102位", ["101", "102"], id="an enumeration"),
        pytest.param("102、103", ["102", "103"], id="an enumeration alone"),
        pytest.param("直径仅18千米", ["18"], id="kilometres"),
        pytest.param("9千卡，十八千米", ["9", "18"], id="kilocalories"),
        pytest.param("5千元，三千米", ["5000", "3000"], id="thousands"),
        pytest.param("open 24/7, 7×24小时", [], id="round the clock"),
        pytest.param("24/7.5 and 124/7", ["24", "7.5", "124", "7"], id="a division"),
        pytest.param("so it is [1][2, 3] 【4】 x¹", [], id="citation marks"),
        pytest.param("Passage 2 and source 3", [], id="labels"),
        pytest.param("文档2、3，第2步", [], id="Chinese labels"),
        pytest.param("资料2024年 step 2.5", ["2024", "2.5"], id="no labels"),
        pytest.param("between ten and fifteen days", ["15"], id="two words"),
        pytest.param("one million three hundred", ["1000300"], id="a long word"),
        pytest.param("1亿2000万，3万5千", ["120000000", "35000"], id="two scales"),
        pytest.param("三千五，三千零五", ["3500", "3005"], id="a sum for short"),
        pytest.param("几十个，数百家", [], id="some tens"),
        pytest.param("三四天，七八十个", [], id="three or four"),
        pytest.param("五分钟，考一百五十分", ["5", "150"], id="minutes and points"),
        pytest.param("三点五十分", ["3", "50"], id="a time sign by sign"),
        pytest.param("三萬五千元，兩個人", ["35000", "2"], id="traditional Chinese"),
        pytest.param("2019² 10①", ["2019", "10"], id="a footnote behind a number"),
        pytest.param("3½ cups", ["3", "1", "2"], id="a fraction behind a number"),
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


PIECES = """
1 2 5 10 101 2024 00 000 . , 、 ， 。 ： : ; ( ) （ ） [1] [ ] 【2】 / - % * ** # ¹ ½ ①
十 五 两 二 百 千 万 亿 点 分之 分 个 天 米 元 年 几 第 步 資料 萬 24/7 :00 A a b
twenty five hundred million thousand and one k bn step source may first
"""


@given(
    st.lists(st.sampled_from([*PIECES.split(), " ", " ", "\n"]), max_size=12).map(
        "".join
    )
)
@example("第101、102位")
@example("5十天，二十5")
@example("¹1")
@example("m²5 and 5[1]million")
@example("24/7.5, step 2.5, source 1,000")
def test_a_text_backs_every_number_that_it_states(text):
    assert set(numbers(text)) <= readings(text)

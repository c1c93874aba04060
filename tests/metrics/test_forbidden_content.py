import pytest

from runner.metrics.forbidden_content import forbidden_content, found


@pytest.mark.parametrize(
    ("answer", "forbidden", "expected"),
    [
        pytest.param("We guarantee it.", ("guarantee",), 1.0, id="as it is"),
        pytest.param("We promise it.", ("guarantee",), 0.0, id="absent"),
        pytest.param("We GUARANTEE it.", ("guarantee",), 1.0, id="another case"),
        pytest.param("Ｇｕａｒａｎｔｅｅ", ("guarantee",), 1.0, id="another width"),
        pytest.param("guar\u200bantee", ("guarantee",), 1.0, id="invisible characters"),
        pytest.param("guaranteed", ("guarantee",), 0.0, id="a word matches whole"),
        pytest.param("It takes 30 days.", ("45 days", "30days"), 1.0, id="one of two"),
        pytest.param("30 and 45 days", ("30", "45"), 1.0, id="two count as one"),
        pytest.param("It costs 1500.", ("500",), 0.0, id="a number matches whole"),
        pytest.param("It costs 1,500.", ("1500",), 1.0, id="grouped digits"),
        pytest.param("我们保证退款", ("保证",), 1.0, id="Chinese"),
        pytest.param("我们 保 证 退款", ("保证",), 1.0, id="Chinese, spaced out"),
        pytest.param("我们可以退款", ("保证",), 0.0, id="Chinese, absent"),
        pytest.param("限1500元", ("500元",), 0.0, id="Chinese, another number"),
        pytest.param("限 ５００ 元", ("500元",), 1.0, id="Chinese, another width"),
        pytest.param("我們保證退款", ("保证",), 1.0, id="traditional Chinese"),
        pytest.param("within forty-five days", ("45 days",), 1.0, id="in words"),
        pytest.param("限五百元", ("500元",), 1.0, id="in Chinese signs"),
        pytest.param("限一千五百元", ("500元",), 0.0, id="a part of such a number"),
        pytest.param("It takes **30** days.", ("30 days",), 1.0, id="Markdown"),
        pytest.param("It takes 30&nbsp;days.", ("30 days",), 1.0, id="HTML"),
        pytest.param("", ("guarantee",), 0.0, id="an empty answer"),
        pytest.param("anything", ("",), 0.0, id="an empty string is in nothing"),
    ],
)
def test_whether_a_forbidden_string_shows(answer, forbidden, expected):
    assert forbidden_content(answer, forbidden) == expected


def test_what_is_found_is_named_as_the_case_wrote_it():
    assert found("It takes 30 days.", ("45 Days", "30Days")) == ["30Days"]

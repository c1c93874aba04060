import pytest

from runner.metrics.key_points import key_points, missing


@pytest.mark.parametrize(
    ("answer", "point", "stated"),
    [
        pytest.param("Refunds take 30 days.", "30 days", True, id="as it is"),
        pytest.param("Refunds take 45 days.", "30 days", False, id="another number"),
        pytest.param("REFUNDS TAKE 30 DAYS", "30 days", True, id="another case"),
        pytest.param("in Straße 3", "STRASSE", True, id="a letter that folds to two"),
        pytest.param("takes ３０ ｄａｙｓ", "30 days", True, id="another width"),
        pytest.param("takes 30days", "30 days", True, id="no space beside a digit"),
        pytest.param("takes 30\n  days", "30 days", True, id="broken over lines"),
        pytest.param("takes 30\u00a0days", "30 days", True, id="a no-break space"),
        pytest.param("a refund policy", "refundpolicy", False, id="a space of words"),
        pytest.param("the refundpolicy", "refund policy", False, id="no space"),
        pytest.param("up to 1500 sessions", "500", False, id="the tail of a number"),
        pytest.param("up to 5000 sessions", "500", False, id="the head of a number"),
        pytest.param("up to 1,500 sessions", "500", False, id="the tail of a group"),
        pytest.param("500,000 sessions", "500", False, id="the head of a group"),
        pytest.param("up to 500.5 MB", "500", False, id="the whole of a decimal"),
        pytest.param("up to 0.500 MB", "500", False, id="the decimals of one"),
        pytest.param("The limit is 500.", "500", True, id="a full stop is no decimal"),
        pytest.param("500, or 600", "500", True, id="a comma of the sentence"),
        pytest.param("up to 1,000 users", "1000", True, id="grouped in the answer"),
        pytest.param("up to 1000 users", "1,000", True, id="grouped in the point"),
        pytest.param("at the start", "art", False, id="the tail of a word"),
        pytest.param("an article", "art", False, id="the head of a word"),
        pytest.param("state of the art.", "art", True, id="a word beside a mark"),
        pytest.param("支持 500 个会话", "500个", True, id="Chinese, a space more"),
        pytest.param("支持500个会话", "500 个", True, id="Chinese, a space fewer"),
        pytest.param("支持５００个会话", "500 个", True, id="Chinese, another width"),
        pytest.param("支持 1500 个会话", "500 个", False, id="Chinese, another number"),
        pytest.param("可在十天内退货", "十天内", True, id="Chinese has no word ends"),
        pytest.param("可在 十天 内退货", "十天内", True, id="Chinese, spaced out"),
        pytest.param("可在十五天内退货", "十天内", False, id="Chinese, one sign more"),
        pytest.param("请用VPN登录", "vpn", True, id="a Latin word in Chinese"),
        pytest.param("请用OpenVPN登录", "vpn", False, id="a part of one in Chinese"),
        pytest.param("可在十五天内退货", "15天", True, id="Chinese, in signs"),
        pytest.param("可在15天内退货", "十五天内", True, id="Chinese, in digits"),
        pytest.param("within fifteen days", "15 days", True, id="in words"),
        pytest.param("within 150 days", "fifteen", False, id="another one in words"),
        pytest.param("最多一千個會話", "1,000 个会话", True, id="traditional Chinese"),
        pytest.param("可在二十天内退货", "十天", False, id="Chinese, a longer numeral"),
        pytest.param("", "30 days", False, id="an empty answer"),
    ],
)
def test_what_states_a_point(answer, point, stated):
    assert key_points(answer, ((point,),)) == float(stated)


@pytest.mark.parametrize(
    ("answer", "points", "expected"),
    [
        pytest.param("a b", (("a",), ("b",)), 1.0, id="all"),
        pytest.param("a", (("a",), ("b",)), 0.5, id="half"),
        pytest.param("a", (("a",), ("b",), ("c",), ("d",)), 0.25, id="one of four"),
        pytest.param("x", (("a",), ("b",)), 0.0, id="none"),
        pytest.param("b", (("a", "b"),), 1.0, id="any one spelling will do"),
        pytest.param("a b", (("a", "b"), ("c",)), 0.5, id="two spellings, one point"),
        pytest.param(
            "十天内退货", (("10 天", "十天"), ("运费",)), 0.5, id="Chinese spellings"
        ),
        pytest.param("a a", (("a",), ("b",)), 0.5, id="a repeated point gains nothing"),
    ],
)
def test_share_of_the_points_that_are_stated(answer, points, expected):
    assert key_points(answer, points) == expected


def test_what_is_missing_is_named_by_its_first_spelling():
    points = (("500 个", "五百个"), ("十天", "10 天"), ("运费",))

    assert missing("十天内退货", points) == ["500 个", "运费"]

import pytest

from runner.render._numbers import change, limit, number, percent


@pytest.mark.parametrize(
    ("value", "unit", "against", "text"),
    [
        (0.84, "", [], "0.84"),
        (1, "", [], "1.00"),
        (0.8499, "", [0.85], "0.8499"),
        (0.85, "", [0.85], "0.85"),
        (0.8512, "", [0.8511], "0.8512"),
        (0.8451, "", [0.85], "0.845"),
        (0.999999999, "", [1.0], "0.999999999"),
        (0.9999999999, "", [1.0], "1.00"),
        (0.004, "", [0], "0.004"),
        (0.0, "", [0, None], "0.00"),
        (2.1, "s", [], "2.1 s"),
        (3.04, "s", [3], "3.04 s"),
        (0.842, "s", [], "0.84 s"),
        (0.0421, "s", [], "0.042 s"),
        (0.0059, "s", [], "0.006 s"),
        (0.00001, "s", [0], "0.00001 s"),
        (0, "s", [], "0.0 s"),
        (1234.4, "tokens", [], "1,234"),
        (1000.4, "tokens", [1000], "1,000.4"),
        (0.0136, "money", [], "0.014"),
        (0.000012, "money", [], "0.000012"),
    ],
)
def test_a_value_prints_on_its_side_of_every_limit(value, unit, against, text):
    assert number(value, unit, against) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.85, "", "0.85"),
        (0.9, "", "0.90"),
        (0.8511, "", "0.8511"),
        (0.1 + 0.2, "", "0.30"),
        (8.0, "s", "8 s"),
        (0.5, "s", "0.5 s"),
        (1500, "tokens", "1,500"),
    ],
)
def test_a_limit_prints_as_it_was_written(value, unit, text):
    assert limit(value, unit) == text


@pytest.mark.parametrize(
    ("now", "then", "unit", "drops", "text"),
    [
        (0.78, 0.91, "", [], "−0.13"),
        (0.92, 0.91, "", [], "+0.01"),
        (0.92, 0.92, "", [], "±0"),
        (0.92, 0.9201, "", [], "±0"),
        (0.9199, 0.92, "", [0], "−0.0001"),
        (0.889, 0.9101, "", [0.021], "−0.0211"),
        (2.13, 1.9, "s", [], "+0.2 s"),
        (0.84, 0.8, "s", [], "+0.04 s"),
    ],
)
def test_a_change_has_its_sign_and_digits_enough(now, then, unit, drops, text):
    assert change(now, then, unit, drops) == text


def test_a_share_prints_as_percentage():
    assert [percent(0.05), percent(0.125)] == ["5 %", "12.5 %"]

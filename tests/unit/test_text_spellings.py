"""Numbers spelled by a second hand, read and found again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.text import numbers, readings, states

SIGNS = "零一二三四五六七八九"
BELOW_20 = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen
"""
TIES = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
numerals = st.one_of(
    st.integers(11, 120), st.integers(11, 99_999), st.sampled_from([100, 1000, 20_000])
)


def chinese(number):
    """Spell a number from 1 to 99999999."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return chinese(high) + "万" + gap + (chinese(low) if low else "")
    spelled, zero = "", False
    for worth, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // worth % 10
        if digit:
            spelled += ("零" if zero and spelled else "") + SIGNS[digit] + sign
        zero = not digit
    return spelled.removeprefix("一") if 10 <= number < 20 else spelled


def english(number, joined="-", linked=" and "):
    """Spell a number from 1 to 999999."""
    if number >= 1000:
        high, low = divmod(number, 1000)
        rest = english(low, joined, linked) if low else ""
        return " ".join(filter(None, [english(high, joined, linked), "thousand", rest]))
    if number >= 100:
        rest = number % 100
        tail = linked + english(rest, joined, linked) if rest else ""
        return f"{BELOW_20.split()[number // 100]} hundred{tail}"
    if number >= 20:
        return TIES.split()[number // 10] + (
            joined + BELOW_20.split()[number % 10] if number % 10 else ""
        )
    return BELOW_20.split()[number]


def spellings(number):
    """Give it in digits of several kinds, in two languages, and with a scale."""
    found = [str(number), f"{number:,}", chinese(number), english(number)]
    found += [english(number, " ", " "), str(number).translate(WIDE)]
    if number % 1000 == 0:
        found += [f"{number // 1000}千", f"{number // 1000}k"]
    if number % 100 == 0 and number >= 10_000:
        found.append(f"{number / 10_000:g}万")
    return found


WIDE = {ord("0") + digit: ord("０") + digit for digit in range(10)}


@given(numerals)
def test_a_number_is_read_in_each_spelling(number):
    read = {spelled: numbers(f"共 {spelled}个") for spelled in spellings(number)}

    assert read == dict.fromkeys(read, (str(number),))


@given(numerals, st.data())
def test_a_key_point_meets_each_spelling_of_its_number(number, data):
    said, sought = data.draw(st.permutations(spellings(number)))[:2]

    assert states(f"最多 {said} 个会话", f"{sought}个会话")
    assert states(f"within {said} days", f"{sought} days")
    assert states(f"within {said} days", sought)


@given(numerals, numerals, st.data())
def test_and_none_of_another_number(number, other, data):
    said = data.draw(st.sampled_from(spellings(number)))
    sought = data.draw(st.sampled_from(spellings(other)))

    assert states(f"共 {said} 个", f"{sought} 个") is (number == other)
    assert states(f"within {said} days", f"{sought} days") is (number == other)
    assert states(f"within {said} days", sought) is (number == other)


@given(st.integers(1, 10))
def test_small_numbers_are_read_beside_a_unit(number):
    assert numbers(f"{english(number)} days") == (str(number),)
    assert str(number) in readings(f"{chinese(number)}个 or {english(number)}")


@pytest.mark.parametrize("number", [2, 5, 10])
def test_small_chinese_numerals_are_read_beside_a_measure(number):
    assert numbers(f"共{chinese(number)}天") == (str(number),)

import pytest

from runner.units import Amount, amount, per_second, seconds, size


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("30s", 30.0),
        ("500ms", 0.5),
        ("2m", 120.0),
        ("2 min", 120.0),
        ("1.5h", 5400.0),
        (" 3s ", 3.0),
    ],
)
def test_a_duration_is_in_seconds(written, expected):
    assert seconds(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("10MiB", 10 * 2**20),
        ("500KB", 500_000),
        ("1.5KiB", 1536),
        ("7B", 7),
    ],
)
def test_a_size_is_in_bytes(written, expected):
    assert size(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("20/s", 20.0), ("90/m", 1.5), ("1800 / h", 0.5), ("0.5/s", 0.5)],
)
def test_a_rate_is_per_second(written, expected):
    assert per_second(written) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (0.85, Amount(0.85)),
        ("0.85", Amount(0.85)),
        ("90%", Amount(0.9, percent=True)),
        ("2.5 %", Amount(0.025, percent=True)),
        ("3s", Amount(3.0, duration=True)),
        ("500ms", Amount(0.5, duration=True)),
        (-0.5, Amount(-0.5)),
        (0, Amount(0.0)),
    ],
)
def test_a_limit_is_a_number_a_share_or_a_time(written, expected):
    assert amount(written) == expected


WRONG = [None, True, "", "s", "abc", "-3s", "3 parsecs", "1e3s", "٣s", [3], {"s": 3}]


@pytest.mark.parametrize("read", [seconds, size, per_second, amount])
@pytest.mark.parametrize("written", WRONG, ids=repr)
def test_anything_else_says_how_to_write_it(read, written):
    with pytest.raises(ValueError, match="write it like"):
        read(written)


@pytest.mark.parametrize("read", [seconds, size, per_second])
@pytest.mark.parametrize(
    "written", [0, -1, "0s", float("inf"), float("nan"), "9" * 400 + "s"], ids=str
)
def test_nothing_endless_or_below_zero_is_a_time_a_size_or_a_rate(read, written):
    with pytest.raises(ValueError, match="write it like"):
        read(written)


@pytest.mark.parametrize(
    ("read", "written", "ways"),
    [
        (seconds, 2000, "2000 has no unit: write 2000s or 2000ms"),
        (seconds, "0.5", "0.5 has no unit: write 0.5s or 0.5ms"),
        (size, 10, "10 has no unit: write 10MiB or 10B"),
        (per_second, 20, "20 has no unit: write 20/s or 20/m"),
        (per_second, "20", "20 has no unit: write 20/s or 20/m"),
    ],
)
def test_a_number_that_could_mean_two_things_is_refused_with_both(read, written, ways):
    with pytest.raises(ValueError, match=f"^{ways}$"):
        read(written)


@pytest.mark.parametrize("written", ["20", "/s", "20/", "20/parsec", "a/s", "0/s"])
def test_a_rate_has_a_number_and_a_time(written):
    with pytest.raises(ValueError, match="20/s"):
        per_second(written)


@pytest.mark.parametrize(
    ("read", "most", "beyond", "why"),
    [
        (seconds, "24h", "24.1h", "longer than 24h"),
        (seconds, "86400s", "9" * 300 + "s", "longer than 24h"),
        (size, "1GiB", "1.1GiB", "larger than 1GiB"),
        (size, f"{2**30}B", "9" * 300 + "B", "larger than 1GiB"),
        (per_second, "1/h", "0.04/h", "less than one a day"),
        (per_second, "1/h", f"0.{'0' * 300}1/s", "less than one a day"),
    ],
)
def test_no_amount_is_more_than_a_machine_can_wait_or_hold(read, most, beyond, why):
    assert read(most) > 0
    with pytest.raises(ValueError, match=why):
        read(beyond)

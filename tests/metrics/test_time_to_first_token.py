import pytest

from runner.metrics.time_to_first_token import time_to_first_token


@pytest.mark.parametrize("seconds", [0.0, 0.2, 5.0])
def test_seconds_as_they_were_measured(seconds):
    assert time_to_first_token(seconds) == seconds

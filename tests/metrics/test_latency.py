import pytest

from runner.metrics.latency import latency


@pytest.mark.parametrize("seconds", [0.0, 0.84, 30.0])
def test_seconds_as_they_were_measured(seconds):
    assert latency(seconds) == seconds

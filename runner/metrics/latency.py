from __future__ import annotations

from runner.metrics._declare import metric


@metric(layer="service", better="lower", bounds=(0.0, None), unit="s")
def latency(latency: float) -> float:
    """Seconds that the last attempt took, without waits between attempts.

    A replay that does not record it leaves the case unscored. Over the run it is held
    by ``latency_p50``, ``_p90``, ``_p95``, ``_p99`` and ``_max``.

    >>> latency(0.84)
    0.84
    """
    return latency

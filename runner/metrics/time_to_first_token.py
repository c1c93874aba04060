from __future__ import annotations

from runner.metrics._declare import metric


@metric(layer="service", better="lower", bounds=(0.0, None), unit="s")
def time_to_first_token(time_to_first_token: float) -> float:
    """Seconds until the first part of the answer came, in the last attempt.

    Only a streamed or recorded reply shows it; any other leaves the case unscored.

    >>> time_to_first_token(0.2)
    0.2
    """
    return time_to_first_token

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.metrics._declare import metric
from runner.metrics._usage import INPUT, OUTPUT, TOTAL, amount
from runner.model import Absent, Unscored


@metric(layer="service", better="lower", bounds=(0.0, None), unit="tokens")
def tokens(usage: Mapping[str, Any]) -> float | Unscored:
    """Tokens that the reply says it used, input and output together.

    Takes the total where it is stated, else the sum of input and output. A reply that
    states one of the two alone leaves the case unscored: half a count is no count.

    >>> tokens({"prompt_tokens": 900, "completion_tokens": 100})
    1000.0
    """
    total = amount(usage, TOTAL)
    if total is not None:
        return total
    read, written = amount(usage, INPUT), amount(usage, OUTPUT)
    if read is None or written is None:
        return Absent("the reply states no token count")
    return read + written

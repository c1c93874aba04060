from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from runner.metrics._declare import metric
from runner.metrics._usage import COST, INPUT, OUTPUT, amount
from runner.model import Absent, Unscored

Price = Annotated[
    float | None,
    Field(
        ge=0, description="Price of a million tokens, in the currency of your limit."
    ),
]


@metric(layer="service", better="lower", bounds=(0.0, None), unit="money")
def cost(
    usage: Mapping[str, Any],
    *,
    input_per_million: Price = None,
    output_per_million: Price = None,
) -> float | Unscored:
    """What the reply cost: as it states, or its tokens at the prices of the spec.

    Prices in the spec go before a stated cost, and both must be given. Without either
    a case is unscored. The currency is the server's, or that of the prices.

    >>> used = {"input_tokens": 2_000, "output_tokens": 500}
    >>> cost(used, input_per_million=3, output_per_million=15)
    0.0135
    """
    if input_per_million is None and output_per_million is None:
        stated = amount(usage, COST)
        return Absent("the reply states no cost") if stated is None else stated
    if input_per_million is None or output_per_million is None:
        return Unscored("one of the two prices is not given")
    read, written = amount(usage, INPUT), amount(usage, OUTPUT)
    if read is None or written is None:
        return Absent("the reply states no input and output tokens")
    return (read * input_per_million + written * output_per_million) / 1_000_000

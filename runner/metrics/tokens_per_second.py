from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.metrics._declare import metric
from runner.metrics._usage import OUTPUT, amount, reasoning
from runner.model import Absent, Unscored

_FASTEST = 10_000.0


@metric(layer="service", better="higher", bounds=(0.0, None), unit="tokens/s")
def tokens_per_second(
    usage: Mapping[str, Any], latency: float, time_to_first_token: float
) -> float | Unscored:
    """Tokens of the answer a second, from its first part to the end of the stream.

    The output tokens that the reply states, but for one, by the time that passed after
    the first: how fast a reader sees the answer grow, whatever came before it. Tokens
    are not counted here: a reply that states none, or did not stream, leaves the case
    unscored, and so does an answer of one token. Stated tokens of reasoning are taken
    off; those that are hidden in the output tokens make the number too high. Where it
    would be over 10,000 the answer came in one piece, and nothing can be said. What a
    server sends after the answer, such as its passages, is in the time.

    >>> tokens_per_second({"output_tokens": 101}, 2.5, 0.5)
    50.0
    """
    written = amount(usage, OUTPUT)
    if written is None:
        return Absent("the reply states no output tokens")
    written -= reasoning(usage)
    if written <= 1:
        return Unscored("the answer has fewer than two tokens")
    passed = latency - time_to_first_token
    if passed * _FASTEST < written - 1:
        return Absent("the answer came in one piece")
    return (written - 1) / passed

from __future__ import annotations

from runner.metrics._declare import metric
from runner.text import states


@metric(layer="answer", better="lower")
def forbidden_content(answer: str, forbidden: tuple[str, ...]) -> float:
    """1 where the answer contains a string of the case's ``must_not_include``.

    Matched as key points are: case, width, script, spaces beside digits, the spelling
    of a number and marks of Markdown or HTML do not matter; words and numbers match
    whole.

    >>> forbidden_content("Refunds take 30 days.", ("45 days", "30days"))
    1.0
    """
    return float(bool(found(answer, forbidden)))


def found(answer: str, forbidden: tuple[str, ...]) -> list[str]:
    """Give the forbidden strings that the answer contains, as the case wrote them."""
    return [text for text in forbidden if states(answer, text)]

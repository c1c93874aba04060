"""key_points."""

from __future__ import annotations

from runner.metrics._declare import metric
from runner.text import contains


@metric(layer="answer")
def key_points(answer: str, key_points: tuple[tuple[str, ...], ...]) -> float:
    """Share of the case's key points that the answer states.

    A point is stated when any one of its spellings stands in the answer, after NFKC
    and case folding, without spaces beside digits and Chinese, Japanese or Korean
    characters; words and numbers match whole.

    >>> key_points("企业版支持 500 个并发会话。", (("500个",), ("unlimited", "不限")))
    0.5
    """
    return 1 - len(missing(answer, key_points)) / len(key_points)


def missing(answer: str, key_points: tuple[tuple[str, ...], ...]) -> list[str]:
    """Give the points that the answer does not state, each by its first spelling."""
    return [point[0] for point in key_points if not states(answer, point)]


def states(text: str, point: tuple[str, ...]) -> bool:
    """Whether any spelling of the point stands in the text."""
    return any(contains(text, spelling) for spelling in point)

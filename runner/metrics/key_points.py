from __future__ import annotations

from runner.metrics._declare import metric
from runner.text import states


@metric(layer="answer")
def key_points(answer: str, key_points: tuple[tuple[str, ...], ...]) -> float:
    """Share of the case's key points that the answer states.

    A point is stated when any one of its spellings stands in the answer, in whatever
    case, width or script, without spaces beside digits and Chinese, Japanese or Korean
    characters, and without marks of Markdown or HTML. Words and numbers match whole: 15
    is not in 150 or 1.5, nor 十天 in 二十天. A number matches in other spellings: 1,000
    = 1000 = 一千 = 1千, 十五天 = 15 天, ``fifteen days`` = ``15 days``, 百分之五 = 5%.
    What words mean is not seen: synonyms, and 软件 for 軟體, are spellings for the case
    to list.

    >>> key_points("企业版支持五百个并发会话。", (("500个",), ("unlimited", "不限")))
    0.5
    """
    return 1 - len(missing(answer, key_points)) / len(key_points)


def missing(answer: str, key_points: tuple[tuple[str, ...], ...]) -> list[str]:
    """Give the points that the answer does not state, each by its first spelling."""
    return [point[0] for point in key_points if not stated(answer, point)]


def stated(text: str, point: tuple[str, ...]) -> bool:
    """Whether any spelling of the point stands in the text."""
    return any(states(text, spelling) for spelling in point)

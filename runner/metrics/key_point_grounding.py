from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._evidence import Evidence, evidence, unread
from runner.metrics.key_points import stated
from runner.model import Passage, Unscored

Points = tuple[tuple[str, ...], ...]


@metric(layer="grounding")
def key_point_grounding(
    answer: str, passages: tuple[Passage, ...] | None, key_points: Points
) -> float | Unscored:
    """Share of the stated key points that stand in the retrieved passages.

    A point that is stated but not retrieved is knowledge of the model, or a guess. It
    may stand in any of its spellings (see ``key_points``), and straddle two adjacent
    passages. Nothing retrieved is 0. Unscored where the answer states no point, or a
    passage came without text.

    >>> halves = (Passage(text="支持 5"), Passage(text="00 个并发会话"))
    >>> key_point_grounding("支持 500 个", halves, (("500 个", "五百个"),))
    1.0
    """
    made = [point for point in key_points if stated(answer, point)]
    if not made:
        return Unscored("the answer states no key point")
    found = evidence(passages)
    if found is None:
        return unread(passages)
    return sum(_stands(found, point) for point in made) / len(made)


def ungrounded(
    answer: str, passages: tuple[Passage, ...], key_points: Points
) -> list[str]:
    """Give the points that are stated and in no passage; none where texts lack."""
    found = evidence(passages)
    if found is None:
        return []
    made = [point for point in key_points if stated(answer, point)]
    return [point[0] for point in made if not _stands(found, point)]


def unretrieved(passages: tuple[Passage, ...], key_points: Points) -> list[str]:
    """Give the points that are in no context, whether or not the answer states them."""
    found = evidence(passages)
    if found is None:
        return []
    return [point[0] for point in key_points if not _stands(found, point)]


def _stands(found: Evidence, point: tuple[str, ...]) -> bool:
    return stated(found.text, point) or (
        found.glued is not None and stated(found.glued, point)
    )

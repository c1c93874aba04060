"""leakage."""

from __future__ import annotations

from runner.metrics._declare import metric
from runner.metrics._walls import Walls, leaks
from runner.model import Passage


@metric(layer="isolation", better="lower")
def leakage(
    passages: tuple[Passage, ...] | None,
    answer: str | None,
    citations: tuple[str, ...] | None,
    walls: Walls,
) -> float:
    """1 where something of another tenant shows in contexts, answer or citations.

    >>> mine = Walls(tenant="a", forbidden_doc_ids=("doc-tenant-b*",))
    >>> leakage((Passage("doc-tenant-b-1#2"),), "Ten days.", None, mine)
    1.0
    """
    return 1.0 if leaks(passages, answer, citations, walls) else 0.0

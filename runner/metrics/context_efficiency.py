from __future__ import annotations

from runner.metrics._declare import metric
from runner.model import Absent, Passage, Ranking, Unscored


@metric(layer="context")
def context_efficiency(
    passages: tuple[Passage, ...], ranking: Ranking
) -> float | Unscored:
    """Share of the characters handed to the model that stand in relevant passages.

    What is paid for in the prompt and helps; a passage that came before helps no more.
    Nothing retrieved is 0; a passage that came without text leaves the case unscored.

    >>> short, long = Passage("a", "ten chars."), Passage("b", "x" * 30)
    >>> context_efficiency((short, long), Ranking((1, 0), (1, 0), (1,)))
    0.25
    """
    total = useful = 0
    for passage, hit in zip(passages, ranking.hits, strict=True):
        if passage.text is None:
            return Absent("a passage came without text")
        total += len(passage.text)
        useful += len(passage.text) * hit
    if passages and not total:
        return Unscored("the passages hold no text")
    return useful / total if total else 0.0

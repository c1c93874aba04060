from __future__ import annotations

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def recall(ranking: Ranking, *, k: Cutoff = None) -> float:
    """Share of the relevant documents that were retrieved in the first k ranks.

    A document retrieved twice counts once; nothing retrieved is 0. Where k is below
    the number of relevant documents, 1 cannot be reached: the report shows the ceiling.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval
    (2008), chapter 8; trec_eval's ``recall``.

    >>> recall(Ranking(gains=(0, 2, 1), hits=(0, 1, 1), ideal=(2, 1)), k=2)
    0.5
    """
    top = ranking.gains[:k]
    return (len(top) - top.count(0)) / len(ranking.ideal)

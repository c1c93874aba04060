from __future__ import annotations

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def map(ranking: Ranking, *, k: Cutoff = None) -> float:
    """Average precision: precision at each relevant document, over all relevant ones.

    A relevant document that did not come in the first k ranks adds 0, so that the
    denominator is the number of relevant documents and not of those found. Its mean
    over the cases is the mean average precision. Nothing retrieved is 0.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval
    (2008), chapter 8; trec_eval's ``map`` and ``map_cut``.

    >>> map(Ranking(gains=(1, 0, 2), hits=(1, 0, 1), ideal=(2, 1)))
    0.8333333333333333
    """
    found = 0
    total = 0.0
    for position, gain in enumerate(ranking.gains[:k], start=1):
        if gain:
            found += 1
            total += found / position
    return total / len(ranking.ideal)

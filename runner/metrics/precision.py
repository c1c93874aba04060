from __future__ import annotations

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def precision(ranking: Ranking, *, k: Cutoff = None) -> float:
    """Share of the first k ranks that hold a relevant passage.

    The denominator is k also when fewer passages came, as a short list is no merit.
    Without k it is the number retrieved; nothing retrieved is 0. A repeated id gains
    nothing, but under ``match: document`` each passage of a relevant document counts.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval
    (2008), chapter 8; trec_eval's ``P``.

    >>> short = Ranking(gains=(1, 0), hits=(1, 0), ideal=(1, 1))
    >>> precision(short, k=5), precision(short)
    (0.2, 0.5)
    """
    depth = k or len(ranking.hits)
    return sum(ranking.hits[:k]) / depth if depth else 0.0

from __future__ import annotations

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def hit_rate(ranking: Ranking, *, k: Cutoff = None) -> float:
    """1 where any relevant document was retrieved in the first k ranks, else 0.

    Its mean over the cases is the share of questions that retrieval gave a chance.
    Nothing retrieved is 0.

    Source: trec_eval's ``success``.

    >>> second = Ranking(gains=(0, 1), hits=(0, 1), ideal=(1,))
    >>> hit_rate(second, k=1), hit_rate(second, k=2)
    (0.0, 1.0)
    """
    return 1.0 if any(ranking.gains[:k]) else 0.0

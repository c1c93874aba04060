from __future__ import annotations

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def mrr(ranking: Ranking, *, k: Cutoff = None) -> float:
    """Reciprocal rank of the first relevant document, 0 where none is in the first k.

    Its mean over the cases is the mean reciprocal rank. What comes after the first
    relevant document does not matter: a question that needs several documents is
    better judged by ``map`` or ``ndcg``.

    Source: Voorhees, The TREC-8 Question Answering Track Report (1999); trec_eval's
    ``recip_rank``.

    >>> third = Ranking(gains=(0, 0, 2, 1), hits=(0, 0, 1, 1), ideal=(2, 1))
    >>> round(mrr(third), 3), mrr(third, k=2)
    (0.333, 0.0)
    """
    for position, gain in enumerate(ranking.gains[:k], start=1):
        if gain:
            return 1 / position
    return 0.0

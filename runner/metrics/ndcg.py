from __future__ import annotations

from functools import lru_cache
from math import log2
from operator import mul

from runner.metrics._declare import Cutoff, metric
from runner.model import Ranking


@metric(layer="retrieval")
def ndcg(ranking: Ranking, *, k: Cutoff = None) -> float:
    """Normalised discounted cumulative gain (nDCG) of the first k ranks.

    The gain of the ranks, as a share of what the best order would gain in them. The
    gain is the grade itself, the discount log2(rank + 1), and the best order is cut at
    k as well. Without grades each relevant document gains 1. Other tools take 2 to the
    grade, less 1, as gain: their figures differ where grades exceed 1.

    Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques
    (2002); trec_eval's ``ndcg`` and ``ndcg_cut``.

    >>> round(ndcg(Ranking(gains=(1, 0, 3), hits=(1, 0, 1), ideal=(3, 1))), 4)
    0.6885
    """
    return _gained(ranking.gains[:k]) / _best(ranking.ideal, k)


def _gained(gains: tuple[int, ...]) -> float:
    gained: float = sum(map(mul, gains, _discounts(len(gains))))
    return gained


@lru_cache(maxsize=1024)
def _best(ideal: tuple[int, ...], k: int | None) -> float:
    return _gained(ideal[:k])


@lru_cache(maxsize=1024)
def _discounts(depth: int) -> tuple[float, ...]:
    return tuple(1 / log2(position + 1) for position in range(1, depth + 1))

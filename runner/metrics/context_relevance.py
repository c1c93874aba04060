from __future__ import annotations

from runner.metrics._declare import metric
from runner.model import Ranking


@metric(layer="context")
def context_relevance(ranking: Ranking) -> float:
    """Share of the passages handed to the model that are relevant.

    Low means noise: the right passage drowns among others. Nothing retrieved is 0. A
    repeated id is noise too, but under ``match: document`` each passage of a relevant
    document counts.

    >>> context_relevance(Ranking(gains=(1, 0, 0, 0), hits=(1, 0, 0, 0), ideal=(1,)))
    0.25
    """
    hits = ranking.hits
    return sum(hits) / len(hits) if hits else 0.0

from collections.abc import Callable, Mapping

import pytest

from runner.metrics._ranking import rank
from runner.model import Match, Passage, Ranking

Ranked = Callable[..., Ranking]


@pytest.fixture
def ranked() -> Ranked:
    """Makes a ranking from ids: ``ranked("b a", "a")``, or with a map to grades."""

    def build(
        retrieved: str, relevant: str | Mapping[str, int], match: Match = "chunk"
    ) -> Ranking:
        graded = (
            dict.fromkeys(relevant.split(), 1)
            if isinstance(relevant, str)
            else relevant
        )
        return rank([Passage(id=name) for name in retrieved.split()], graded, match)

    return build

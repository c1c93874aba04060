"""How far two raters agree on the same items: contingency table, kappa, AUROC.

Pure arithmetic, like ``inference``: the same labels always give the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

_TWO_SIDED = 1.959963984540054  # quantile of the normal distribution at 0.975
_ADDED = 0.5  # to each cell of a table, for its interval alone


class Contingency(NamedTuple):
    """The 2x2 table of two raters who sort the same items into good and bad."""

    both_good: int = 0
    first_alone: int = 0
    """Good by the first, bad by the second."""
    second_alone: int = 0
    both_bad: int = 0

    @property
    def total(self) -> int:
        """Items that both sorted."""
        return sum(self)

    @property
    def share(self) -> float | None:
        """Share of the items on which both agree; None without items."""
        total = self.total
        return (self.both_good + self.both_bad) / total if total else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: the agreement beyond what chance would give.

        None where it is not defined: no item, or both put every item in one and the
        same class, which says nothing about whether they can tell the classes apart.

        Source: Cohen, A coefficient of agreement for nominal scales, Educational and
        Psychological Measurement 20 (1960).
        """
        first, second = self._marginals
        apart = self.first_alone + self.second_alone
        by_chance = first * (self.total - second) + second * (self.total - first)
        return 1 - apart * self.total / by_chance if by_chance else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of kappa, within -1 and 1; None where kappa is not defined.

        The large-sample interval, over the table with half an item added to each cell.
        Without that it has no width where the raters never differ, and at a kappa of
        0.95 it misses the true value in 19 % of sets of 100 labels, 80 of them good. It
        is widened to hold kappa itself where it would not.

        Source: Fleiss, Cohen and Everitt, Large sample standard errors of kappa and
        weighted kappa, Psychological Bulletin 72 (1969).
        """
        kappa = self.kappa
        if kappa is None:
            return None
        centre, error = _large_sample([cell + _ADDED for cell in self])
        half = _TWO_SIDED * error
        return max(-1.0, min(kappa, centre - half)), min(1.0, max(kappa, centre + half))

    @property
    def _marginals(self) -> tuple[int, int]:
        """How many items the first rater calls good, and how many the second."""
        return self.both_good + self.first_alone, self.both_good + self.second_alone


def _large_sample(cells: Sequence[float]) -> tuple[float, float]:
    """Give kappa and its standard error; no cell is 0."""
    total = sum(cells)
    both, first, second, neither = (cell / total for cell in cells)
    one, two = both + first, both + second  # good by the first, by the second
    chance = one * two + (1 - one) * (1 - two)
    kappa = (both + neither - chance) / (1 - chance)
    rest = 1 - kappa
    alike = both * (1 - (one + two) * rest) ** 2
    alike += neither * (1 - (2 - one - two) * rest) ** 2
    unlike = first * (two + 1 - one) ** 2 + second * (one + 1 - two) ** 2
    spread = alike + rest**2 * unlike - (kappa - chance * rest) ** 2
    return kappa, sqrt(max(0.0, spread) / total) / (1 - chance)


def tally(pairs: Iterable[tuple[bool, bool]]) -> Contingency:
    """Count items, each good or not by the first rater and by the second.

    >>> tally([(True, True), (True, False), (False, False)])
    Contingency(both_good=1, first_alone=1, second_alone=0, both_bad=1)
    """
    seen = Counter(pairs)
    every = ((True, True), (True, False), (False, True), (False, False))
    return Contingency(*(seen[pair] for pair in every))


def auroc(scores: Sequence[float], good: Sequence[bool]) -> float | None:
    """Give the area under the ROC curve: how often a good item outscores a bad one.

    A tie counts half. None without good items, or without bad ones.

    Source: Mann and Whitney, On a test of whether one of two random variables is
    stochastically larger than the other, Annals of Mathematical Statistics 18 (1947).

    >>> auroc([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    0.875
    """
    above, below = Counter[float](), Counter[float]()
    for score, is_good in zip(scores, good, strict=True):
        (above if is_good else below)[score] += 1
    pairs = above.total() * below.total()
    if not pairs:
        return None
    won, lower = 0.0, 0
    for score in sorted({*above, *below}):
        won += above[score] * (lower + below[score] / 2)
        lower += below[score]
    return won / pairs

"""How far a mean, a drop or a count of flips can be trusted: intervals and exact tests.

Pure arithmetic over few numbers: nothing is drawn at random, so that the same run
always gives the same verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erfc, exp, fsum, lgamma, log, sqrt
from operator import mul
from typing import NamedTuple

FEW = 10  # pairs below which nothing is said about chance
CONFIDENCE = 0.95  # of a two-sided interval of a mean, and of a one-sided bound

_TWO_SIDED = 1.959963984540054  # quantiles of the normal distribution, at 0.975,
_ONE_SIDED = 1.6448536269514722  # at 0.95,
_FOR_POWER = 0.8416212335729143  # and at 0.8, the power of ``detectable``
_ENUMERATED = 14  # moved pairs up to which every pattern of signs is looked at
_HALVINGS = 40  # after which an edge is known to 1e-12
_LEAST_FLIPS = 6  # one way, without which two-sided McNemar is never below 0.05


def wilson(share: float, count: int) -> tuple[float, float]:
    """Give Wilson's 95 % interval of a proportion over ``count`` cases, at least one.

    Source: Wilson, Probable inference, the law of succession, and statistical
    inference, JASA 22 (1927).

    >>> [round(edge, 3) for edge in wilson(0.5, 10)]
    [0.237, 0.763]
    """
    z = _TWO_SIDED
    z2 = z * z / count
    centre = (share + z2 / 2) / (1 + z2)
    half = z / (1 + z2) * sqrt(share * (1 - share) / count + z2 / (4 * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Sequence[float], z: float = _TWO_SIDED) -> tuple[float, float]:
    """Give the bootstrap interval of the mean of at least one value, in closed form.

    The bias-corrected, accelerated interval without resampling, which for a mean
    depends on its standard error and skewness alone. As the values grow in number it
    becomes the normal interval. Equal values give an interval of no width.

    Source: DiCiccio and Efron, More accurate confidence intervals in exponential
    families, Biometrika 79 (1992), the ABC interval.
    """
    count = len(values)
    mean = fsum(values) / count
    parts = [value - mean for value in values]
    squares = fsum(map(mul, parts, parts))
    if not squares:
        return mean, mean
    cubes = fsum([part * part * part for part in parts])
    skew = cubes / (6 * squares**1.5)
    error = sqrt(squares) / count
    low, high = (
        mean + error * (skew + side) / (1 - skew * (skew + side)) ** 2
        for side in (-z, z)
    )
    return low, high


def mcnemar(worse: int, better: int) -> float:
    """Give the two-sided p-value of McNemar's exact test on two counts of flips.

    No flip gives 1. Source: McNemar, Note on the sampling error of the difference
    between correlated proportions, Psychometrika 12 (1947), in its exact form.

    >>> round(mcnemar(6, 0), 9), mcnemar(1, 0), mcnemar(3, 3)
    (0.03125, 1.0, 1.0)
    """
    most, flips = max(worse, better), worse + better
    return min(1.0, 2 * _tail(most, flips)) if flips else 1.0


def _tail(least: int, flips: int) -> float:
    """Give the probability of ``least`` or more heads in ``flips`` fair coin tosses."""
    if least <= 0:
        return 1.0
    whole = lgamma(flips + 1) - flips * log(2)
    return fsum(
        exp(whole - lgamma(heads + 1) - lgamma(flips - heads + 1))
        for heads in range(least, flips + 1)
    )


class Drop(NamedTuple):
    """How much worse paired scores became, in their own unit; negative is better."""

    mean: float
    interval: tuple[float, float]
    """Each edge is a one-sided bound at ``CONFIDENCE``."""
    p: float
    """One-sided: how often chance alone would look at least as bad."""

    def exceeds(self, limit: float) -> bool:
        """Whether the drop is larger than the limit, beyond chance."""
        return self.interval[0] > limit and self.p <= 1 - CONFIDENCE


def drop(drops: Sequence[float], *, binary: bool) -> Drop:
    """Give the mean drop of at least one pair, with its interval and p-value.

    Args:
        drops: Per pair, how much worse it became.
        binary: Each is 1, 0 or -1, as from scores that are 0 or 1.
    """
    mean = fsum(drops) / len(drops)
    moved = [value for value in drops if value]
    if not binary and moved:
        return Drop(mean, bootstrap(drops, _ONE_SIDED), _signs(moved))
    worse = sum(value > 0 for value in moved)
    better = len(moved) - worse
    interval = _difference(worse, better, len(drops))
    return Drop(mean, interval, _tail(worse, len(moved)))


def _signs(moved: Sequence[float]) -> float:
    """Give the one-sided p-value of the sum under random signs (a permutation test).

    Exact where few moved; by the normal approximation where many did.
    """
    total = fsum(moved)
    if len(moved) > _ENUMERATED:
        return erfc(total / sqrt(2 * fsum(value * value for value in moved))) / 2
    sums = [0.0]
    for value in moved:
        sums = [part + signed for part in sums for signed in (value, -value)]
    close = 1e-9 * fsum(map(abs, moved))
    return sum(part >= total - close for part in sums) / len(sums)


def _difference(worse: int, better: int, pairs: int) -> tuple[float, float]:
    """Give the score interval of the difference of two paired proportions.

    Source: Tango, Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design, Statistics in Medicine 17 (1998).
    """
    mean = (worse - better) / pairs
    low = _edge(-1.0, mean, lambda at: _score(worse, better, pairs, at) > _ONE_SIDED)
    high = _edge(1.0, mean, lambda at: _score(worse, better, pairs, at) < -_ONE_SIDED)
    return low, high


def _edge(outside: float, inside: float, is_out: Callable[[float], bool]) -> float:
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if is_out(middle):
            outside = middle
        else:
            inside = middle
    return inside


def _score(worse: int, better: int, pairs: int, at: float) -> float:
    """Give the score statistic of the flips against a true difference of ``at``."""
    over = worse - better - pairs * at
    b = (2 * pairs - worse + better) * at - worse - better
    c = -better * at * (1 - at)
    share = (sqrt(b * b - 8 * pairs * c) - b) / (4 * pairs)
    variance = pairs * (2 * share + at * (1 - at))
    if variance <= 0:
        return 0.0 if not over else over * 1e9
    return over / sqrt(variance)


def detectable(spread: float, pairs: int) -> float:
    """Give the smallest mean drop that ``pairs`` pairs show with a power of 80 %.

    Args:
        spread: Standard deviation of the pairs' drops; for flips the square root of
            the share of pairs that flipped.
        pairs: At least one. Six flips one way are needed whatever the spread.
    """
    least = (_ONE_SIDED + _FOR_POWER) * spread / sqrt(pairs)
    return max(least, _LEAST_FLIPS / pairs)


def is_binary(values: Sequence[float]) -> bool:
    """Say whether every score is 0 or 1."""
    return values.count(0.0) + values.count(1.0) == len(values)

"""Figures of two agents on the same users: how far apart they are, with intervals and tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import (
    mean_interval,
    mean_p_value,
    one_dominates,
    paired_difference_interval,
)

AS_MEANS, AS_SHARES, AS_PROBABILITY = "mean", "share", "probability"
"""Kinds of figures: a mean, a share of runs, and how often the first agent is the better."""


@dataclass(frozen=True)
class PairedDifference:
    """How far apart two agents are in one figure.

    Attributes:
        figure: what is compared.
        kind: `AS_MEANS`, `AS_SHARES` or `AS_PROBABILITY`.
        first: the first agent's figure; NaN for a probability, which is of both.
        second: the second agent's.
        value: first minus second, or the probability that the first is the better, ties half.
        low: the lower end of its interval.
        high: the upper end.
        p_value: of no difference, or of a probability of one half.
        dominated: whether one user has most of the variance, so that a mean says little.
        tau: up to where values are compared, as min(value, tau); NaN where they are all known.
    """

    figure: str
    kind: str
    first: float
    second: float
    value: float
    low: float
    high: float
    p_value: float
    dominated: bool = False
    tau: float = math.nan


def mean_difference(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how far apart two means are, by the differences of each pair.

    Args:
        figure: what is compared.
        first: the first agent's values, one a user.
        second: the second agent's, of the same users.
        level: probability that the interval holds the difference.
    """
    apart = first - second
    low, high = mean_interval(apart, level)
    return PairedDifference(
        figure,
        AS_MEANS,
        float(np.mean(first)),
        float(np.mean(second)),
        float(np.mean(apart)),
        low,
        high,
        mean_p_value(apart),
        one_dominates(apart),
    )


def share_difference(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how far apart two shares are, by the users with whom only one agent succeeded.

    The test is McNemar's, exact for any number of users.

    Args:
        figure: what is compared.
        first: whether the first agent succeeded with each user, bool.
        second: whether the second did.
        level: probability that the interval holds the difference.
    """
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    shares = float(np.mean(first)), float(np.mean(second))
    low, high = paired_difference_interval(only_first, only_second, len(first), level)
    value = (only_first - only_second) / len(first)
    p_value = _sign_test(only_first, only_second)
    return PairedDifference(figure, AS_SHARES, *shares, value, low, high, p_value)


def probability_of_less(figure: str, first: Array, second: Array, level: float) -> PairedDifference:
    """Return how probable it is that the first agent has less with a user; ties count half.

    That is half of 1 + P(less) - P(more), so its interval is that of a difference of shares, and
    its test the sign test.

    Args:
        figure: what is compared.
        first: the first agent's values, one a user.
        second: the second agent's, of the same users.
        level: probability that the interval holds the probability.
    """
    less, more = int(np.sum(first < second)), int(np.sum(first > second))
    ends = paired_difference_interval(less, more, len(first), level)
    value, low, high = (
        0.5 * (1.0 + difference) for difference in ((less - more) / len(first), *ends)
    )
    p_value = _sign_test(less, more)
    return PairedDifference(figure, AS_PROBABILITY, math.nan, math.nan, value, low, high, p_value)


def _sign_test(firsts: int, seconds: int) -> float:
    from scipy import stats

    unequal = firsts + seconds
    return float(stats.binomtest(firsts, unequal).pvalue) if unequal else 1.0


def adjusted(family: Sequence[PairedDifference]) -> list[PairedDifference]:
    """Return differences with their p-values adjusted for how many there are.

    Holm 1979, "A simple sequentially rejective multiple test procedure": at most a share alpha of
    families has any adjusted p-value below alpha where there is no difference.

    Args:
        family: differences that are asked about together.
    """
    order = sorted(range(len(family)), key=lambda place: family[place].p_value)
    found, least = list(family), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(family) - rank) * family[place].p_value))
        found[place] = replace(family[place], p_value=least)
    return found

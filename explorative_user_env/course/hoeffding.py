"""Exercises of notebook 1 on one mean: how sure its estimate is, and what it takes to be surer."""

import math

from explorative_user_env.course.exercises import Exercise, Mistake


def half_width(n: int, delta: float) -> float:
    """Return how far the mean of n rewards may be off, but with probability delta at most.

    Hoeffding's bound for rewards around their mean as normal ones of variance 1 are, or closer.

    Args:
        n: how many rewards there are, at least 1.
        delta: in (0, 1).
    """
    return math.sqrt(2.0 * math.log(2.0 / delta) / n)


def samples_needed(gap: float, delta: float) -> int:
    """Return the least n at which intervals of two arms, around the true means, meet no more.

    Args:
        gap: Delta, how far the means are apart, above 0.
        delta: the probability at which each interval may miss, in (0, 1).
    """
    return math.ceil(2.0 * math.log(2.0 / delta) / (gap / 2.0) ** 2)


def _normal(n: int, delta: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(1.0 - delta / 2.0)) / math.sqrt(n)


EPSILON = Exercise(
    number="1.1",
    asks="a function of n and delta that returns the half-width epsilon",
    right=half_width,
    cases=[(1, 0.1), (4, 0.1), (100, 0.1), (100, 0.01), (37, 0.5), (12, 0.9)],
    shows="four times as many rewards make an interval half as wide; a smaller delta costs little, "
    "as it stands in a logarithm.",
    mistakes=[
        Mistake(
            "it bounds one side only: an estimate may be too high or too low, and both share delta",
            lambda n, delta: math.sqrt(2.0 * math.log(1.0 / delta) / n),
        ),
        Mistake(
            "a factor is lost: solve n epsilon^2 / 2 for epsilon once more",
            lambda n, delta: math.sqrt(math.log(2.0 / delta) / n),
        ),
        Mistake(
            "a factor is on the wrong side: solve n epsilon^2 / 2 for epsilon once more",
            lambda n, delta: math.sqrt(math.log(2.0 / delta) / (2.0 * n)),
        ),
        Mistake(
            "it is the square of a half-width",
            lambda n, delta: 2.0 * math.log(2.0 / delta) / n,
        ),
        Mistake(
            "it shrinks like 1/n: n has to stand below the root",
            lambda n, delta: math.sqrt(2.0 * math.log(2.0 / delta)) / n,
        ),
        Mistake(
            "it grows with n: the more rewards, the surer she should be",
            lambda n, delta: math.sqrt(2.0 * n * math.log(2.0 / delta)),
        ),
        Mistake(
            "it is the width of the whole interval, from end to end",
            lambda n, delta: 2.0 * half_width(n, delta),
        ),
        Mistake(
            "its logarithm is to base 10 (in Python math.log is the natural one)",
            lambda n, delta: math.sqrt(2.0 * math.log10(2.0 / delta) / n),
        ),
        Mistake(
            "it takes delta for the probability of being right, and it is that of being wrong",
            lambda n, delta: half_width(n, 1.0 - delta),
        ),
        Mistake(
            "it is the normal law's own quantile: good for normal rewards, but Hoeffding's bound "
            "is asked for, which holds for others too",
            _normal,
        ),
        Mistake(
            "it does not depend on delta: 1.96 is for one delta only",
            lambda n, delta: 1.96 / math.sqrt(n),
        ),
    ],
)

SAMPLES_NEEDED = Exercise(
    number="1.2",
    asks="a function of gap and delta that returns a whole number of rewards of each arm",
    right=samples_needed,
    cases=[(0.5, 0.1), (0.25, 0.1), (1.0, 0.1), (0.5, 0.01), (0.3, 0.05), (2.0, 0.2), (0.05, 0.5)],
    shows="half the gap takes four times as many rewards: 1/Delta^2 is the price of a gap.",
    mistakes=[
        Mistake(
            "it rounds down: with one reward less than needed the intervals still meet",
            lambda gap, delta: math.floor(8.0 * math.log(2.0 / delta) / gap**2),
        ),
        Mistake(
            "it is no whole number, and nobody can take part of a reward",
            lambda gap, delta: 8.0 * math.log(2.0 / delta) / gap**2,
        ),
        Mistake(
            "it is one more than is needed",
            lambda gap, delta: samples_needed(gap, delta) + 1,
        ),
        Mistake(
            "each interval may reach half way to the other mean only: these reach all the way",
            lambda gap, delta: math.ceil(2.0 * math.log(2.0 / delta) / gap**2),
        ),
        Mistake(
            "the gap is not squared",
            lambda gap, delta: math.ceil(8.0 * math.log(2.0 / delta) / gap),
        ),
        Mistake(
            "it counts the rewards of both arms together, and those of each are asked for",
            lambda gap, delta: 2 * samples_needed(gap, delta),
        ),
        Mistake(
            "its intervals bound one side only",
            lambda gap, delta: math.ceil(8.0 * math.log(1.0 / delta) / gap**2),
        ),
        Mistake(
            "delta is shared out between the arms, but each interval may miss with delta here",
            lambda gap, delta: samples_needed(gap, delta / 2.0),
        ),
    ],
)

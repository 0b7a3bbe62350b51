"""An interval of a probability that holds at all times at once, so whenever one stops looking.

Beside the likelihood of each p stands the mixture of the likelihoods of all p' by Jeffreys'
Beta(1/2, 1/2). At the true p the ratio of the two is a nonnegative martingale that starts at 1, so
it ever reaches 1/error with probability at most `error` (Ville's inequality): the set of p beside
which it has not is a confidence sequence.

Robbins 1970, "Statistical methods related to the law of the iterated logarithm" (mixtures); Howard,
Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences" (the beta-binomial mixture).
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

LEVEL = 0.95

#: Of fewer values one may well have half of the variance by chance.
FEWEST_DOMINATED = 100


def mean_interval(values: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of the mean of `values`, as mean ± error; NaN for fewer than two.

    The error is Student's, or the longer side of the interval by Hall's transformation where that
    is longer: it takes out the skewness, for which Student's is too short on the side of the tail
    (Hall 1992, "On the removal of skewness by transformation"). What values rarer than 3 in n add
    to the mean is in no interval: one in twenty samples has none of them.

    Args:
        values: independent, of one law.
        level: probability that the interval holds the mean.
    """
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    mean, error = float(np.mean(values)), float(stats.sem(values))
    if error > 0.0:
        quantile = float(stats.t.ppf(0.5 + level / 2.0, len(values) - 1))
        skewness = _skewness(values)
        ends = [_untransformed(end, skewness, len(values)) for end in (-quantile, quantile)]
        error *= max(quantile, *map(abs, ends))
    return mean - error, mean + error


def mean_p_value(values: np.ndarray) -> float:
    """Return 1 minus the level at which an end of `mean_interval` is 0; NaN for fewer than two."""
    from scipy import stats

    if len(values) < 2:
        return math.nan
    mean, error = float(np.mean(values)), float(stats.sem(values))
    if error == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    t, skewness = abs(mean) / error, _skewness(values)
    ends = -_transformed(-t, skewness, len(values)), _transformed(t, skewness, len(values))
    return min(1.0, 2.0 * float(stats.t.sf(min(t, *ends), len(values) - 1)))


def _skewness(values: np.ndarray) -> float:
    return float(np.mean(((values - np.mean(values)) / np.std(values)) ** 3))


def _transformed(t: float, skewness: float, n: int) -> float:
    """Return Hall's transformation of a studentized mean."""
    a = skewness / math.sqrt(n)
    return t + a * t**2 / 3.0 + a**2 * t**3 / 27.0 + a / 6.0


def _untransformed(z: float, skewness: float, n: int) -> float:
    """Return the studentized mean whose `_transformed` is z."""
    shifted = z / math.sqrt(n) - skewness / (6.0 * n)
    if abs(skewness * shifted) < 1e-6:  # where the root cancels, to first order
        return math.sqrt(n) * shifted
    return 3.0 * math.sqrt(n) / skewness * (math.cbrt(1.0 + skewness * shifted) - 1.0)


def median_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the median, whatever the law; NaN where there are too few values.

    From order statistics (Conover 1999, "Practical nonparametric statistics", chapter 3).
    """
    from scipy import stats

    if len(values) == 0:
        return math.nan, math.nan
    interval = stats.quantile_test(values, p=0.5).confidence_interval(LEVEL)
    return float(interval.low), float(interval.high)


def one_dominates(values: np.ndarray) -> bool:
    """Whether one value has more than half of the variance of at least `FEWEST_DOMINATED` values.

    Then their mean is that value's doing, and an interval of it says too little.
    """
    squares = (values - np.mean(values)) ** 2 if len(values) >= FEWEST_DOMINATED else np.zeros(1)
    return bool(squares.max() > 0.5 * squares.sum())


def ratio_interval(parts: np.ndarray, wholes: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of sum(parts) / sum(wholes), over independent pairs; NaN below two.

    The ratio's error is that of the mean of (part - ratio whole) / mean whole, to first order
    (Cochran 1977, "Sampling techniques", chapter 6).
    """
    if len(parts) < 2 or not np.sum(wholes) > 0:
        return math.nan, math.nan
    ratio = np.sum(parts) / np.sum(wholes)
    low, high = mean_interval((parts - ratio * wholes) / np.mean(wholes))
    return float(ratio + low), float(ratio + high)


@lru_cache(maxsize=10_000)
def proportion_interval(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of a probability, from `successes` in `n` trials; NaN without a trial.

    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of
    the binomial": exact, so never below `level`; Wilson's is (0.905 for p = 0.999 and n = 100).
    """
    from scipy import stats

    if n == 0:
        return math.nan, math.nan
    interval = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


def share_interval(shares: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the mean of shares in [0, 1], of which most are 0 or 1.

    A tie counts as a fraction: the total is rounded down for the lower end and up for the upper.
    """
    total = round(float(shares.sum()), 9)
    low, _ = proportion_interval(math.floor(total), len(shares))
    _, high = proportion_interval(math.ceil(total), len(shares))
    return low, high


def paired_difference_interval(
    firsts: int, seconds: int, n: int, level: float = LEVEL
) -> tuple[float, float]:
    """Return the interval of the difference of two probabilities from n pairs; NaN without a pair.

    The exact intervals of the two kinds of unequal pairs, put together by "square and add"
    (Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions
    based on paired data"; Zou and Donner 2008, "Construction of confidence limits about effect
    measures"). They are correlated as multinomial counts are, half of one added to each.

    Args:
        firsts: pairs of which only the first succeeded.
        seconds: pairs of which only the second succeeded.
        n: all pairs.
        level: probability that the interval holds the difference.
    """
    if n == 0:
        return math.nan, math.nan
    p, q = firsts / n, seconds / n
    (p_low, p_high), (q_low, q_high) = (
        proportion_interval(count, n, level) for count in (firsts, seconds)
    )
    odds = [(count + 0.5) / (n - count + 0.5) for count in (firsts, seconds)]
    correlation = -math.sqrt(odds[0] * odds[1])

    def added(one: float, other: float) -> float:
        return math.sqrt(one * one + other * other - 2.0 * correlation * one * other)

    low = p - q - added(p - p_low, q_high - q)
    high = p - q + added(p_high - p, q - q_low)
    return max(-1.0, low), min(1.0, high)


#: Both parameters of the Beta law that mixes: Jeffreys' choice, with much weight near 0 and 1.
HALF = 0.5


def log_evidence_against(p: Any, successes: Any, n: Any) -> Any:
    """Return the logarithm of how much likelier the mixture makes so many successes than p does.

    Numbers, or arrays of one shape.
    """
    from scipy import special

    failures = n - successes
    mixture = special.betaln(HALF + successes, HALF + failures) - special.betaln(HALF, HALF)
    return mixture - special.xlogy(successes, p) - special.xlog1py(failures, -p)


def sequence_interval(successes: int, n: int, error: float) -> tuple[float, float]:
    """Return an interval of a probability that holds whenever one stops, with 1 - `error`.

    It holds each p that the evidence against is less than 1/error.

    Args:
        successes: successes so far.
        n: trials so far.
        error: probability that it ever misses the probability, in (0, 1).
    """
    from scipy.optimize import brentq  # which takes long to import, and few need

    def excess(p: float) -> float:
        """How far the evidence against p is above 1/error."""
        return float(log_evidence_against(p, successes, n)) + math.log(error)

    def end(furthest: float, limit: float) -> float:
        """Where the evidence is 1/error; `limit` if that is beyond the `furthest` float."""
        if not excess(furthest) > 0.0:
            return limit
        return float(brentq(excess, *sorted((furthest, estimate)), xtol=1e-12))

    estimate = successes / n if n else 0.5
    low = end(np.finfo(float).tiny, 0.0) if successes else 0.0
    high = end(1 - 1e-16, 1.0) if n - successes else 1.0
    return low, high

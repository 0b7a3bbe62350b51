"""Confidence intervals of means, medians, ratios and probabilities, and a confidence sequence.

The confidence sequence of a probability p is valid at all sample sizes simultaneously, and so under
any stopping rule. Let M be the mixture of the likelihoods under Jeffreys' prior Beta(1/2, 1/2). For
the true p, M / likelihood(p) is a nonnegative martingale that starts at 1. By Ville's inequality,
the martingale ever reaches 1/error with probability at most `error`. The interval contains each p
for which M / likelihood(p) is below 1/error.

Robbins 1970, "Statistical methods related to the law of the iterated logarithm" (mixtures); Howard,
Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences" (the beta-binomial mixture).
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

LEVEL = 0.95

#: With fewer values, one value has half of the variance by chance too often.
FEWEST_DOMINATED = 100


def mean_interval(values: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Return a confidence interval of the mean, as mean ± error; NaN for n < 2.

    The error is the larger of two lengths: the half-width of Student's interval and the longer side
    of Hall's interval. Student's interval is too short towards the long tail. Hall's interval
    corrects for skewness (Hall 1992, "On the removal of skewness by transformation"). No interval
    accounts for values that are not in the sample: with probability 1/20, the sample lacks all
    values of a set of probability 3/n.

    Args:
        values: i.i.d. values, shape (n,).
        level: coverage, in (0, 1).
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
    """Return the p-value of the hypothesis that the mean is 0; NaN for n < 2.

    It is the value of 1 - level for which an end of `mean_interval` is 0.
    """
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
    """Return Hall's transformation of a studentized mean t."""
    a = skewness / math.sqrt(n)
    return t + a * t**2 / 3.0 + a**2 * t**3 / 27.0 + a / 6.0


def _untransformed(z: float, skewness: float, n: int) -> float:
    """Return the studentized mean whose `_transformed` is z."""
    shifted = z / math.sqrt(n) - skewness / (6.0 * n)
    if abs(skewness * shifted) < 1e-6:  # linear approximation: the cube root would lose digits
        return math.sqrt(n) * shifted
    return 3.0 * math.sqrt(n) / skewness * (math.cbrt(1.0 + skewness * shifted) - 1.0)


def median_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the distribution-free 95% interval of the median; NaN for too few values.

    Its ends are order statistics (Conover 1999, "Practical nonparametric statistics", chapter 3).
    """
    from scipy import stats

    if len(values) == 0:
        return math.nan, math.nan
    interval = stats.quantile_test(values, p=0.5).confidence_interval(LEVEL)
    return float(interval.low), float(interval.high)


def one_dominates(values: np.ndarray) -> bool:
    """Return whether one value causes more than half of the variance of all values.

    If so, the interval of the mean is unreliable. Fewer than `FEWEST_DOMINATED` values give False.
    """
    squares = (values - np.mean(values)) ** 2 if len(values) >= FEWEST_DOMINATED else np.zeros(1)
    return bool(squares.max() > 0.5 * squares.sum())


def ratio_interval(parts: np.ndarray, totals: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of sum(parts) / sum(totals) of n independent pairs; NaN for n < 2.

    To first order, the error of the ratio is the mean of (part - ratio * total) / mean total
    (Cochran 1977, "Sampling techniques", chapter 6).
    """
    if len(parts) < 2 or not np.sum(totals) > 0:
        return math.nan, math.nan
    ratio = np.sum(parts) / np.sum(totals)
    low, high = mean_interval((parts - ratio * totals) / np.mean(totals))
    return float(ratio + low), float(ratio + high)


@lru_cache(maxsize=10_000)
def proportion_interval(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of a probability from `successes` in `n` trials; NaN for n = 0.

    The interval is exact: its coverage is at least `level` (Clopper and Pearson 1934, "The use of
    confidence or fiducial limits illustrated in the case of the binomial"). Wilson's interval of
    level 0.95 is not exact: its coverage is 0.905 at p = 0.999 and n = 100.
    """
    from scipy import stats

    if n == 0:
        return math.nan, math.nan
    interval = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


def share_interval(shares: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the mean of values in [0, 1], most of them 0 or 1.

    A value is 1/n if the best arm is tied with n - 1 arms. The ends are from `proportion_interval`,
    the lower end for the sum of the values rounded down, the upper end for the sum rounded up.
    """
    total = round(float(shares.sum()), 9)
    low, _ = proportion_interval(math.floor(total), len(shares))
    _, high = proportion_interval(math.ceil(total), len(shares))
    return low, high


def paired_difference_interval(
    firsts: int, seconds: int, n: int, level: float = LEVEL
) -> tuple[float, float]:
    """Return the interval of the difference of two probabilities from n pairs; NaN for n = 0.

    The interval combines the exact intervals of P(only the first succeeds) and P(only the second
    succeeds) by "square and add" (Newcombe 1998, "Improved confidence intervals for the difference
    between binomial proportions based on paired data"; Zou and Donner 2008, "Construction of
    confidence limits about effect measures"). The two success counts are multinomial; the method
    takes their correlation, with 1/2 added to each count.

    Args:
        firsts: number of pairs in which only the first succeeded.
        seconds: number of pairs in which only the second succeeded.
        n: number of pairs.
        level: coverage, in (0, 1).
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


#: Both parameters of the mixture's Beta prior: Jeffreys', with much weight near 0 and 1.
HALF = 0.5


def log_evidence_against(p: Any, successes: Any, n: Any) -> Any:
    """Return log(mixture likelihood / likelihood of p) of the observed successes.

    The arguments are numbers, or arrays of one shape.
    """
    from scipy import special

    failures = n - successes
    mixture = special.betaln(HALF + successes, HALF + failures) - special.betaln(HALF, HALF)
    return mixture - special.xlogy(successes, p) - special.xlog1py(failures, -p)


def sequence_interval(successes: int, n: int, error: float) -> tuple[float, float]:
    """Return the interval of a probability after n trials, valid under any stopping rule.

    The interval contains each p whose `log_evidence_against` is below log(1/error).

    Args:
        successes: number of successes so far.
        n: number of trials so far.
        error: bound on P(any interval of the sequence misses the true value), in (0, 1).
    """
    from scipy.optimize import brentq  # imported late, as the import is slow

    def excess(p: float) -> float:
        """Return the log evidence against p minus log(1/error)."""
        return float(log_evidence_against(p, successes, n)) + math.log(error)

    def end(furthest: float, limit: float) -> float:
        """Return the p at which `excess` is 0, or `limit` if `excess(furthest)` is at most 0."""
        if not excess(furthest) > 0.0:
            return limit
        return float(brentq(excess, *sorted((furthest, estimate)), xtol=1e-12))

    estimate = successes / n if n else 0.5
    low = end(np.finfo(float).tiny, 0.0) if successes else 0.0
    high = end(1 - 1e-16, 1.0) if n - successes else 1.0
    return low, high

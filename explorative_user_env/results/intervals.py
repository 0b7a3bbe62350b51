"""Confidence intervals, by SciPy."""

import math

import numpy as np
from scipy import stats

LEVEL = 0.95

FEW = 100
"""Of fewer values one may well have half of the variance by chance."""


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95% Student interval of the mean of `values`; NaN for fewer than two."""
    if len(values) < 2:
        return math.nan, math.nan
    error = stats.sem(values)
    if error == 0.0:
        return float(np.mean(values)), float(np.mean(values))
    low, high = stats.t.interval(LEVEL, len(values) - 1, loc=np.mean(values), scale=error)
    return float(low), float(high)


def median_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the median, whatever the law; NaN where there are too few values.

    From order statistics (Conover 1999, "Practical nonparametric statistics", chapter 3).
    """
    if len(values) == 0:
        return math.nan, math.nan
    interval = stats.quantile_test(values, p=0.5).confidence_interval(LEVEL)
    return float(interval.low), float(interval.high)


def one_dominates(values: np.ndarray) -> bool:
    """Whether one value has more than half of the variance of at least `FEW` values.

    Then their mean is that value's doing, and Student's interval of it says too little.
    """
    squares = (values - np.mean(values)) ** 2 if len(values) >= FEW else np.zeros(1)
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


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a probability, from `successes` in `n` trials.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    if n == 0:
        return math.nan, math.nan
    interval = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return float(interval.low), float(interval.high)

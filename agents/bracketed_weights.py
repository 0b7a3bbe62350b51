"""The characteristic weights within brackets that are known beforehand.

Of proven length whatever the means, and exact where they are closer than their rounding. In the
notation of `optimal_weights`, with b > k:

- kl(b, mu_k) = kl(k, mu_k) only at x_k <= e - 1 (the limit for k = 0, b -> 0), so that where
  F(y) = 1, of which each arm's term is at most 1, y is at most the least g_k(2).
- g_k is concave with g_k(0) = 0: at c times that level x_k is at most 2c, and the term of an arm
  with x_k <= 1/4 is at most x_k. So F <= 1 at c = 1 / (2 max(4, K - 1)), and y is not below.
- By concavity x_k(y) is also at most 2 y/g_k(2); that it is not below 1/2048 of this rests on
  g_k(x) = O(x log(1/x)) with x above 1e-300.

Steps along a line find a root soon. Where they have not, ln(2 max(4, K - 1)) and ln(2048) are left
to be halved: 44 times do, as long as K is below 10^9.
"""

import math

from .divergence import SMALLEST, costs_at

STEPS = 12
"""How many steps along a line there are, twice as many as are mostly needed."""

HALVINGS = 44
"""How often a bracket is halved, in logarithms: ln(2 * 10^9) / 2^44 is about 1e-12."""

LAST_RATIO_STEP = 1e-7
"""Newton's steps double the digits: after one below this, relatively, only rounding is left."""

LAST_LEVEL_STEP = 4e-12
"""Twice what rounding leaves of a divergence."""

LARGEST_RATIO = 2.0
"""Above every x_k of a solution."""

LOWEST = 1.0 / 2048.0
"""What x_k is at least of the upper bound that concavity gives."""


def bracketed_ratios(means: list[float], best: int, ratios: list[float]) -> float:
    """Write all x_k into `ratios` and return y; arms level with the best share, and y is 0.

    Args:
        means: K Bernoulli means in [0, 1].
        best: index of a largest mean.
        ratios: x_k; changed in place.
    """
    high = math.inf
    for arm in range(len(means)):
        if arm != best:
            high = min(high, _evidence(means[best], means[arm], LARGEST_RATIO))
    if not high > SMALLEST:
        _share(means, best, ratios)
        return 0.0
    low = high / (LARGEST_RATIO * max(4.0, len(means) - 1.0))
    level = 0.5 * high
    last_level, last = high, 0.0
    for iteration in range(STEPS + HALVINGS):
        logarithm = math.log(_total(level, means, best, ratios))
        if logarithm > 0.0:
            high = level
        else:
            low = level
        moved = math.log(level / last_level)
        slope = 2.0  # of log F over log y, for means that are close
        if iteration > 0:
            slope = (logarithm - last) / moved if moved != 0.0 else 0.0
        step = -logarithm / slope if slope > 0.0 else math.inf
        if abs(step) <= LAST_LEVEL_STEP:
            break
        last_level, last = level, logarithm
        following = level * math.exp(step) if abs(step) < 50.0 else 0.0
        inside = low < following < high and iteration < STEPS
        level = following if inside else _middle(low, high)
    return level


def _total(level: float, means: list[float], best: int, ratios: list[float]) -> float:
    """Return F(y); write all x_k(y)."""
    total = 0.0
    for arm in range(len(means)):
        if arm != best:
            ratios[arm] = _bracketed_ratio(level, means[best], means[arm])
            cost_best, cost_other = costs_at(means[best], means[arm], ratios[arm])
            total += cost_best / cost_other
    return total


def _bracketed_ratio(level: float, top: float, other: float) -> float:
    """Return the x at which the evidence is `level`, at most that at `LARGEST_RATIO`."""
    high = level * LARGEST_RATIO / _evidence(top, other, LARGEST_RATIO)
    low = high * LOWEST
    ratio = 0.5 * high
    for iteration in range(STEPS + HALVINGS):
        cost_best, cost_other = costs_at(top, other, ratio)
        missing = level - cost_best - ratio * cost_other
        if missing > 0.0:
            low = ratio
        else:
            high = ratio
        step = missing / cost_other
        following = ratio + step
        if abs(step) <= LAST_RATIO_STEP * ratio:
            return following
        inside = low < following < high and iteration < STEPS
        ratio = following if inside else _middle(low, high)
    return ratio


def _evidence(top: float, other: float, ratio: float) -> float:
    """Return g_k(x)."""
    cost_best, cost_other = costs_at(top, other, ratio)
    return cost_best + ratio * cost_other


def _middle(low: float, high: float) -> float:
    return low * math.sqrt(high / low)


def _share(means: list[float], best: int, ratios: list[float]) -> None:
    """Give the solution's limit for arms as good as the best: x_k^2 adds up to 1 over them."""
    n_tied = 0
    for arm in range(len(means)):
        if arm != best and not _evidence(means[best], means[arm], LARGEST_RATIO) > SMALLEST:
            n_tied += 1
    for arm in range(len(means)):
        tied = not _evidence(means[best], means[arm], LARGEST_RATIO) > SMALLEST
        ratios[arm] = 1.0 / math.sqrt(n_tied) if tied else SMALLEST

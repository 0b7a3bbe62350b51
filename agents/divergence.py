"""Bernoulli divergence and the characteristic weights of best-arm identification.

Garivier and Kaufmann 2016, "Optimal best arm identification with fixed confidence", Theorem 5 and
Lemma 3, whose notation is used: g_k, x_k(y), F(y). Everything is scalar, so that it compiles.
"""

import math
from typing import NamedTuple

TOLERANCE = 1e-12
"""Relative length of a Newton step below which a root is taken as found; steps are quadratic, so
what is left is at rounding."""

SMALLEST = 1e-290
"""Below this a mean counts as 0, and a ratio is taken by logarithms, so that nothing underflows."""

LARGEST = 1e200
"""A ratio x_k above this is as good as infinite."""

MAX_ITERATIONS = 200
"""Far above what bracketed Newton needs; a bound, so that no rounding can loop for ever."""


class Solver(NamedTuple):
    """Where the last solution is kept; the next one starts from it."""

    ratios: list[float]  # x_k = w_k / w_b
    level: list[float]  # [y, the common value of all g_k(x_k)]
    weights: list[float]  # w*


def blank_solver(n_arms: int) -> Solver:
    """Return a solver for `n_arms` arms, without a solution yet."""
    return Solver([1.0] * n_arms, [0.0], [1.0 / n_arms] * n_arms)


def start_solver(solver: Solver) -> None:
    """Forget the last solution."""
    for arm in range(len(solver.ratios)):
        solver.ratios[arm] = 1.0
        solver.weights[arm] = 1.0 / len(solver.ratios)
    solver.level[0] = 0.0


def _shortfall(u: float, ratio: float) -> float:
    """Return u - log(1 + u) >= 0 without cancellation near 0; `ratio` is 1 + u, for u near -1."""
    if -1e-4 < u < 1e-4:
        return u * u * (0.5 - u * (1.0 / 3.0 - 0.25 * u))
    if u < -0.5:
        return u - math.log(ratio)
    return u - math.log1p(u)


def bernoulli_kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence kl(p, q) of Bernoulli laws, exact at 0 and 1.

    Args:
        p: mean of the first law, in [0, 1].
        q: mean of the second, in [0, 1].

    Returns:
        kl(p, q) >= 0; infinite where the second law cannot produce what the first does.
    """
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return math.inf
    if p < SMALLEST:
        return -math.log1p(-q)
    if p == 1.0:
        return -math.log(q)
    if q < SMALLEST * p:
        return p * (math.log(p) - math.log(q)) + (1.0 - p) * math.log1p(-p)
    difference = q - p
    return p * _shortfall(difference / p, q / p) + (1.0 - p) * _shortfall(
        -difference / (1.0 - p), (1.0 - q) / (1.0 - p)
    )


def transport_cost(n_b: float, mean_b: float, n_a: float, mean_a: float) -> float:
    """Return n_b kl(m_b, m) + n_a kl(m_a, m) at the pooled mean m: evidence that b beats a."""
    pooled = (n_b * mean_b + n_a * mean_a) / (n_b + n_a)
    return n_b * bernoulli_kl(mean_b, pooled) + n_a * bernoulli_kl(mean_a, pooled)


def _ratio_at(level: float, best: float, other: float, ratio: float) -> float:
    """Return x_k(y): the x with g_k(x) = y, for 0 < y < kl(m_b, m_k), starting from `ratio`.

    g_k(x) = kl(m_b, mu) + x kl(m_k, mu), mu = (m_b + x m_k) / (1 + x), is concave and increasing
    with slope kl(m_k, mu): from the left Newton climbs to the root without passing it.
    """
    for _ in range(MAX_ITERATIONS):
        mean = (best + ratio * other) / (1.0 + ratio)
        slope = bernoulli_kl(other, mean)
        if slope == 0.0:
            ratio *= 0.5
            continue
        step = (level - bernoulli_kl(best, mean)) / slope - ratio
        following = ratio + step
        if following <= 0.0:  # from far on the right: begin again on the left
            following = min(0.1 * ratio, 1.0)
        if not following < LARGEST:
            return LARGEST
        ratio = following
        if abs(step) <= TOLERANCE * ratio:
            break
    return ratio


FAST_ITERATIONS = 12
FAST_TOLERANCE = 1e-6
"""Newton's steps double the digits: after a relative step below this they are all there."""


def _follows(means: list[float], best: int, solver: Solver) -> bool:
    """Move the last solution to these means by Newton's method on all x_k and y at once.

    That is g_k(x_k) = y for all k together with F = 1, solved for the step of y first; no number
    more than halves or doubles at once. It is several times as fast as the nested search if the
    means have moved little, as they do from one step to the next, and gives up otherwise.

    Returns:
        Whether it has converged; if not, `solver` holds some positive ratios.
    """
    top = means[best]
    ratios, inverse_costs = solver.ratios, solver.weights
    level = solver.level[0]
    if not level > 0.0:
        return False
    for _ in range(FAST_ITERATIONS):
        total = 0.0
        slope = 0.0
        furthest = 0.0
        for arm in range(len(means)):
            if arm == best:
                continue
            other, ratio = means[arm], ratios[arm]
            mean = (top + ratio * other) / (1.0 + ratio)
            cost_best = bernoulli_kl(top, mean)
            cost_other = bernoulli_kl(other, mean)
            spread = mean * (1.0 - mean) * (1.0 + ratio) * (1.0 + ratio)
            divisor = spread * cost_other * cost_other
            if not divisor > 0.0:
                return False
            inverse_costs[arm] = 1.0 / cost_other
            share = cost_best * inverse_costs[arm]
            slope_here = (top - other) * (top - mean + (mean - other) * share) / divisor
            missing = level - cost_best - ratio * cost_other
            change = min(max(missing * inverse_costs[arm], -0.5 * ratio), ratio)
            total += share + slope_here * cost_other * change
            slope += slope_here
            furthest = max(furthest, abs(change) / ratio)
            ratios[arm] = ratio + change
        if not (0.0 < total < math.inf and 0.0 < slope < math.inf):
            return False
        # On log F = 0, as F grows like an exponential far above the root.
        step = min(max(-total * math.log(total) / slope, -0.5 * level), level)
        level += step
        furthest = max(furthest, abs(step) / level)
        for arm in range(len(means)):
            if arm != best:
                ratio = ratios[arm]
                change = min(max(step * inverse_costs[arm], -0.5 * ratio), ratio)
                ratios[arm] = ratio + change
                furthest = max(furthest, abs(change) / ratio)
        if furthest <= FAST_TOLERANCE:
            solver.level[0] = level
            return True
    return False


def characteristic_weights(means: list[float], best: int, solver: Solver) -> None:
    """Find w*, the proportions that tell the best arm apart soonest; left in `solver.weights`.

    w_b is proportional to 1 and w_k to x_k(y), where y solves F(y) = sum over k of
    kl(m_b, mu_k) / kl(m_k, mu_k) = 1 on 0 < y < min_k kl(m_b, m_k).

    Args:
        means: K Bernoulli means in [0, 1].
        best: index of the one largest mean.
        solver: the last solution is where the search starts; changed in place.
    """
    if not _follows(means, best, solver):
        _search(means, best, solver)
    total = 1.0
    for arm in range(len(means)):
        if arm != best:
            total += solver.ratios[arm]
    for arm in range(len(means)):
        solver.weights[arm] = (1.0 if arm == best else solver.ratios[arm]) / total


def _search(means: list[float], best: int, solver: Solver) -> None:
    """Find all x_k and y from anywhere: bracketed Newton on y, and for each y on every x_k."""
    top = means[best]
    low = 0.0
    high = math.inf
    even = math.inf  # the least g_k(1): below the ceiling, and of the size of the root
    for arm in range(len(means)):
        if arm != best:
            high = min(high, bernoulli_kl(top, means[arm]))
            even = min(even, transport_cost(1.0, top, 1.0, means[arm]))
    level = solver.level[0]
    if not 0.0 < level < min(high, 4.0 * even):
        level = even
    for _ in range(MAX_ITERATIONS):
        excess = -1.0
        slope = 0.0
        for arm in range(len(means)):
            if arm == best:
                continue
            other = means[arm]
            ratio = _ratio_at(level, top, other, solver.ratios[arm])
            solver.ratios[arm] = ratio
            mean = (top + ratio * other) / (1.0 + ratio)
            cost_best = bernoulli_kl(top, mean)
            cost_other = bernoulli_kl(other, mean)
            # dF/dy by the chain rule through mu_k(x_k(y)), with dx_k/dy = 1/kl(m_k, mu_k).
            spread = mean * (1.0 - mean) * (1.0 + ratio) * (1.0 + ratio)
            divisor = spread * cost_other * cost_other
            if divisor > 0.0:
                share = cost_best / cost_other
                excess += share
                slope += (top - other) * (top - mean + (mean - other) * share) / divisor
            elif ratio > 1.0:
                excess = math.inf  # so near to m_k that nothing is left of kl(m_k, mu_k)
        if excess > 0.0:
            high = level
        else:
            low = level
        # Newton on log(1 + F) = 0, as F grows like an exponential far above the root.
        step = math.inf
        if -1.0 < excess < math.inf and 0.0 < slope < math.inf:
            step = -(1.0 + excess) * math.log1p(excess) / slope
        following = level + step
        if abs(step) <= TOLERANCE * level:
            break
        if not low < following < high:
            following = 0.5 * (low + high) if high < math.inf else 2.0 * level
        if following == level:
            break
        level = following
    solver.level[0] = level

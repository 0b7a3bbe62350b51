"""The characteristic weights of best-arm identification with Bernoulli responses.

Garivier and Kaufmann 2016, "Optimal best arm identification with fixed confidence", Theorem 5 and
Lemma 3, whose notation is used: g_k, x_k(y), F(y). Everything is scalar, so that it compiles.
"""

import math

from .bracketed_weights import bracketed_ratios
from .divergence import bernoulli_kl, transport_cost
from .followed_weights import CLOSE, FAST_TOLERANCE, LARGEST, Solver, follows, start_solver

TOLERANCE = 1e-12
"""Relative length of a Newton step below which a root is taken as found; steps are quadratic, so
what is left is at rounding."""

RATIO_ITERATIONS = 16
LEVEL_ITERATIONS = 20
"""How many Newton steps there are for an x_k and for y, above what any run has needed (11 and 18).
What they do not find is found by bracketing, whose length is proven."""

STEPS_TO_ROUNDING = 3
"""Of that many steps below `FAST_TOLERANCE` the last was rounding: further ones lead nowhere."""


def _ratio_at(level: float, best: float, other: float, ratio: float) -> float:
    """Return x_k(y): the x with g_k(x) = y, for 0 < y < kl(m_b, m_k), starting from `ratio`.

    g_k(x) = kl(m_b, mu) + x kl(m_k, mu), mu = (m_b + x m_k) / (1 + x), is concave and increasing
    with slope kl(m_k, mu): from the left Newton climbs to the root without passing it.

    Returns:
        The root, or 0 if it has not been found.
    """
    n_small = 0
    for _ in range(RATIO_ITERATIONS):
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
        if abs(step) <= FAST_TOLERANCE * ratio:
            n_small += 1
            if abs(step) <= TOLERANCE * ratio or n_small == STEPS_TO_ROUNDING:
                return ratio
    return 0.0


def characteristic_weights(means: list[float], best: int, solver: Solver) -> None:
    """Find w*, the proportions that tell the best arm apart soonest; left in `solver.weights`.

    w_b is proportional to 1 and w_k to x_k(y), where y solves F(y) = sum over k of
    kl(m_b, mu_k) / kl(m_k, mu_k) = 1 on 0 < y < min_k kl(m_b, m_k).

    Args:
        means: K Bernoulli means in [0, 1].
        best: index of the one largest mean; with several, they share as their limit would.
        solver: the last solution is where the search starts; changed in place.
    """
    if not (follows(means, best, solver) or _search(means, best, solver)):
        start_solver(solver)  # the last solution was too far away
        if not _search(means, best, solver):
            solver.level[0] = bracketed_ratios(means, best, solver.ratios)
    total = 1.0
    for arm in range(len(means)):
        if arm != best:
            total += solver.ratios[arm]
    for arm in range(len(means)):
        solver.weights[arm] = (1.0 if arm == best else solver.ratios[arm]) / total


def _search(means: list[float], best: int, solver: Solver) -> bool:
    """Find all x_k and y from anywhere: bracketed Newton on y, and for each y on every x_k.

    Returns:
        Whether they are found; if not, `solver` holds some positive ratios.
    """
    low = 0.0
    high, even = _ceilings(means, best)
    level = solver.level[0]
    if not 0.0 < level < min(high, 4.0 * even):
        level = even
    n_small = 0
    for _ in range(LEVEL_ITERATIONS if even > 0.0 else 0):
        excess, slope = _excess(level, means, best, solver.ratios)
        if slope < 0.0:
            return False
        if excess > 0.0:
            high = level
        else:
            low = level
        # Newton on log(1 + F) = 0, as F grows like an exponential far above the root.
        step = math.inf
        if -1.0 < excess < math.inf and 0.0 < slope < math.inf:
            step = -(1.0 + excess) * math.log1p(excess) / slope
        if abs(step) <= FAST_TOLERANCE * level:
            n_small += 1
        following = level + step
        if not low < following < high:
            following = 0.5 * (low + high) if high < math.inf else 2.0 * level
        if abs(step) <= TOLERANCE * level or n_small == STEPS_TO_ROUNDING or following == level:
            solver.level[0] = level
            return True
        level = following
    return False


def _ceilings(means: list[float], best: int) -> tuple[float, float]:
    """Return what y is below, min_k kl(m_b, m_k), and the least g_k(1), of the size of y.

    Both are 0 if an arm is `CLOSE`.
    """
    top = means[best]
    high = math.inf
    even = math.inf
    for arm in range(len(means)):
        if arm != best:
            if not top - means[arm] > CLOSE * top:
                return 0.0, 0.0
            high = min(high, bernoulli_kl(top, means[arm]))
            even = min(even, transport_cost(1.0, top, 1.0, means[arm]))
    return high, even


def _excess(y: float, means: list[float], best: int, ratios: list[float]) -> tuple[float, float]:
    """Return F(y) - 1 and dF/dy, which is -1 if an x_k has not been found; write x_k(y)."""
    top = means[best]
    excess = -1.0
    slope = 0.0
    for arm in range(len(means)):
        if arm == best:
            continue
        other = means[arm]
        ratio = _ratio_at(y, top, other, ratios[arm])
        if ratio == 0.0:
            return excess, -1.0
        ratios[arm] = ratio
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
    return excess, slope

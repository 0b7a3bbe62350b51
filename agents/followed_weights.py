"""The characteristic weights of means that have moved a little, from those before.

Track-and-Stop asks for them at each step, in which one mean moves. In the notation of
`optimal_weights`.
"""

import math
from typing import NamedTuple

from .divergence import SMALLEST, bernoulli_kl

FAST_ITERATIONS = 12
FAST_TOLERANCE = 1e-6
"""Newton's steps double the digits: after a relative step below this they are all there."""

LARGEST = 1e200
"""A ratio x_k above this is as good as infinite."""

SMALL = 0.2
"""A ratio x_k below this grows as y does, nearly."""

NOTHING = -1.0
"""In place of a mean where no divergences are known."""

NEARBY = 2.0**-6
"""How far mu_k may be from where its divergences are known, relatively, for nine terms of a series
to be exact."""

STEPS_FROM_LOGARITHMS = 64.0
"""After so many steps of Newton's the divergences are found anew: each leaves some rounding."""

CLOSE = 2.0**-30
"""A best mean nearer than this to another, relatively, leaves too few digits to Newton's method."""


PARTS = 6
POOLED, PRECISION, COST_BEST, COST_OTHER, LOGIT, KNOWN = range(PARTS)
"""What is kept of each arm: mu_k, 1 / (mu_k (1 - mu_k)), kl(m_b, mu_k) and kl(m_k, mu_k) there,
log(mu_k / (1 - mu_k)), and the m_k of these."""

TOP, AGE, GAP, BEST = range(4)
"""What is kept besides: the m_b of these, how many steps they are from logarithms, how much m_b was
above all others, and b."""


class Solver(NamedTuple):
    """Where the last solution is kept; the next one starts from it.

    Beside it the divergences of each arm are kept, from which those nearby follow without
    logarithms, which take most of the time.
    """

    ratios: list[float]  # x_k = w_k / w_b
    level: list[float]  # [y, the common value of all g_k(x_k)]
    weights: list[float]  # w*
    arms: list[float]  # `PARTS` of each, one arm after the other
    last: list[float]


def blank_solver(n_arms: int) -> Solver:
    """Return a solver for `n_arms` arms, without a solution yet."""
    arms = [0.0, 0.0, 0.0, 0.0, 0.0, NOTHING] * n_arms
    last = [NOTHING, 0.0, 0.0, -1.0]
    return Solver([1.0] * n_arms, [0.0], [1.0 / n_arms] * n_arms, arms, last)


def start_solver(solver: Solver) -> None:
    """Forget the last solution."""
    n_arms = len(solver.ratios)
    for arm in range(n_arms):
        solver.ratios[arm] = 1.0
        solver.weights[arm] = 1.0 / n_arms
        for part in range(PARTS):
            solver.arms[PARTS * arm + part] = NOTHING if part == KNOWN else 0.0
    solver.level[0] = 0.0
    solver.last[TOP], solver.last[AGE], solver.last[GAP] = NOTHING, 0.0, 0.0
    solver.last[BEST] = -1.0


def _logarithm(u: float) -> float:
    """Return log(1 + u), for `NEARBY` u."""
    even = 0.5 + u * u * (0.25 + u * u * (1.0 / 6.0 + u * u * 0.125))
    odd = 1.0 + u * u * (1.0 / 3.0 + u * u * (0.2 + u * u * (1.0 / 7.0 + u * u / 9.0)))
    return u * odd - u * u * even


def _logit(p: float) -> float:
    """Return log(p / (1 - p)), infinite at 0 and 1."""
    if not 0.0 < p < 1.0:
        return math.inf
    return math.log(p) - math.log1p(-p)


def _move_top(top: float, solver: Solver) -> None:
    """Let the divergences that are kept be those from another m_b.

    kl(m', mu) = kl(m, mu) + kl(m', m) + (m' - m) (logit m - logit mu).
    """
    before = solver.last[TOP]
    if before == top or not (0.0 < before < 1.0 and 0.0 < top < 1.0):
        return
    further, logit = bernoulli_kl(top, before), _logit(before)
    for arm in range(len(solver.ratios)):
        away = (top - before) * (logit - solver.arms[PARTS * arm + LOGIT])
        solver.arms[PARTS * arm + COST_BEST] += further + away
    solver.last[TOP] = top


def _foresee(means: list[float], best: int, solver: Solver) -> None:
    """Move the last solution to where the gap of these means lets it be expected.

    It may have been that of another best arm: then w_k / w_b is told by the new one. Where an arm
    is close, y grows with the square of the gap; so does an x_k that is small.
    """
    before, share = int(solver.last[BEST]), solver.ratios[best]
    solver.last[BEST] = best
    if before == best:
        _move_top(means[best], solver)
    else:
        solver.last[TOP] = NOTHING
        if before >= 0:
            for arm in range(len(means)):
                solver.ratios[arm] = min(max(solver.ratios[arm] / share, SMALLEST), LARGEST)
            solver.ratios[before] = min(1.0 / share, LARGEST)
            solver.level[0] /= share
    gap = math.inf
    for arm in range(len(means)):
        if arm != best:
            gap = min(gap, means[best] - means[arm])
    factor = gap / solver.last[GAP] if gap > 0.0 and solver.last[GAP] > 0.0 else 1.0
    factor *= factor
    solver.last[GAP] = gap
    solver.level[0] *= factor
    for arm in range(len(means)):
        if solver.ratios[arm] < SMALL:
            solver.ratios[arm] = min(max(solver.ratios[arm] * factor, SMALLEST), 1.0)


def _move_pooled(top: float, other: float, arm: int, mean: float, solver: Solver) -> None:
    """Let the divergences that are kept of an arm be those at another mu_k.

    With short series, the same for both, where it has hardly moved: kl(p, mu') is kl(p, mu) less
    p log(mu'/mu) + (1 - p) log((1 - mu')/(1 - mu)).
    """
    kept, first = solver.arms, PARTS * arm
    before = kept[first + POOLED]
    moved = (mean - before) * kept[first + PRECISION]
    kept[first + POOLED] = mean
    if kept[first + KNOWN] == other and abs(moved) <= NEARBY:
        gain = _logarithm(moved * (1.0 - before))
        loss = _logarithm(-moved * before)
        kept[first + COST_BEST] -= top * gain + (1.0 - top) * loss
        kept[first + COST_OTHER] -= other * gain + (1.0 - other) * loss
        kept[first + LOGIT] += gain - loss
    else:
        kept[first + COST_BEST] = bernoulli_kl(top, mean)
        kept[first + COST_OTHER] = bernoulli_kl(other, mean)
        kept[first + LOGIT] = _logit(mean)
        kept[first + KNOWN] = other


def _hold(top: float, solver: Solver) -> None:
    """See to it that the divergences that are kept are those from m_b, and not kept too long."""
    if solver.last[TOP] != top or solver.last[AGE] >= STEPS_FROM_LOGARITHMS:
        for arm in range(len(solver.ratios)):
            solver.arms[PARTS * arm + KNOWN] = NOTHING
        solver.last[TOP], solver.last[AGE] = top, 0.0
    solver.last[AGE] += 1.0


def follows(means: list[float], best: int, solver: Solver) -> bool:
    """Move the last solution to these means by Newton's method on all x_k and y at once.

    That is g_k(x_k) = y for all k together with F = 1, solved for the step of y first; no number
    more than halves or doubles at once. It is several times as fast as the nested search if the
    means have moved little, as they do from one step to the next, and gives up otherwise.

    Returns:
        Whether it has converged; if not, `solver` holds some positive ratios.
    """
    _foresee(means, best, solver)
    top, level = means[best], solver.level[0]
    if not level > 0.0:
        return False
    for _ in range(FAST_ITERATIONS):
        _hold(top, solver)
        total = 0.0
        slope = 0.0
        settled = True
        for arm in range(len(means)):
            if arm == best:
                continue
            other, ratio = means[arm], solver.ratios[arm]
            inverse = 1.0 / (1.0 + ratio)
            mean = (top + ratio * other) * inverse
            _move_pooled(top, other, arm, mean, solver)
            first = PARTS * arm
            cost_best, cost_other = solver.arms[first + COST_BEST], solver.arms[first + COST_OTHER]
            variance = mean * (1.0 - mean)
            if not (variance * cost_other > 0.0 and top - other > CLOSE * top):
                solver.last[TOP] = NOTHING
                return False
            both = 1.0 / (variance * cost_other)
            inverse_cost = both * variance
            solver.arms[first + PRECISION] = both * cost_other
            solver.weights[arm] = inverse_cost
            share = cost_best * inverse_cost
            slope_here = (top - other) * (top - mean + (mean - other) * share)
            slope_here *= both * inverse_cost * inverse * inverse
            missing = level - cost_best - ratio * cost_other
            change = min(max(missing * inverse_cost, -0.5 * ratio), ratio)
            total += share + slope_here * cost_other * change
            slope += slope_here
            settled = settled and abs(change) <= FAST_TOLERANCE * ratio
            solver.ratios[arm] = ratio + change
        if not (0.0 < total < math.inf and 0.0 < slope < math.inf):
            return False
        # On log F = 0, as F grows like an exponential far above the root.
        step = min(max(-total * math.log(total) / slope, -0.5 * level), level)
        level += step
        settled = settled and abs(step) <= FAST_TOLERANCE * level
        if _raise_all(step, best, solver) and settled:
            solver.level[0] = level
            return True
    return False


def _raise_all(step: float, best: int, solver: Solver) -> bool:
    """Let all x_k follow a step of y, and return whether it was small for each of them.

    What their weights will be holds 1 / kl(m_k, mu_k) until then.
    """
    settled = True
    for arm in range(len(solver.ratios)):
        if arm != best:
            ratio = solver.ratios[arm]
            change = min(max(step * solver.weights[arm], -0.5 * ratio), ratio)
            solver.ratios[arm] = ratio + change
            settled = settled and abs(change) <= FAST_TOLERANCE * ratio
    return settled

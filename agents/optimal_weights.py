"""The characteristic weights of best-arm identification with Bernoulli responses.

Source and notation (g_k, x_k(y), F(y)): Garivier and Kaufmann 2016, "Optimal best arm
identification with fixed confidence", Theorem 5 and Lemma 3. The code uses scalars only, so that it
compiles.
"""

import math
from typing import NamedTuple

#: A mean below this value counts as 0; a ratio below it uses logarithms, to avoid an underflow.
SMALLEST = 1e-290


def _shortfall(u: float, ratio: float) -> float:
    """Return u - log(1 + u) without loss of digits. `ratio` is 1 + u with all its digits."""
    if -1e-4 < u < 1e-4:
        return u * u * (0.5 - u * (1.0 / 3.0 - 0.25 * u))
    if u < -0.5:
        return u - math.log(ratio)
    return u - math.log1p(u)


def bernoulli_kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence kl(p, q) of Bernoulli laws, exact at 0 and 1.

    Args:
        p: mean of the first law, in [0, 1].
        q: mean of the second law, in [0, 1].

    Returns:
        kl(p, q) >= 0; infinite if q is 0 or 1 and p is not q.
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
    """Return the evidence for m_b > m_a: n_b kl(m_b, m) + n_a kl(m_a, m) with the pooled mean m."""
    pooled = (n_b * mean_b + n_a * mean_a) / (n_b + n_a)
    return n_b * bernoulli_kl(mean_b, pooled) + n_a * bernoulli_kl(mean_a, pooled)


def costs_at(top: float, other: float, ratio: float) -> tuple[float, float]:
    """Return kl(top, mu) and kl(other, mu) at mu = (top + ratio other) / (1 + ratio).

    The code computes top - mu and mu - other as fractions of top - other. This keeps all digits if
    the means are close. Subtracting a rounded mu would lose digits.

    Args:
        top: the larger mean, at most 1.
        other: the smaller mean, at least 0.
        ratio: x_k = w_k / w_b, the weight of arm k relative to the best arm's, above 0.
    """
    below_top = (top - other) * (ratio / (1.0 + ratio))
    above_other = (top - other) / (1.0 + ratio)
    mean, rest = other + above_other, (1.0 - top) + below_top
    return (
        _part(top, -below_top, mean) + _part(1.0 - top, below_top, rest),
        _part(other, above_other, mean) + _part(1.0 - other, -above_other, rest),
    )


def _part(p: float, difference: float, q: float) -> float:
    """Return p log(p/q) + q - p for q = p + `difference`: one of the two terms of kl(p, q)."""
    return p * _shortfall(difference / p, q / p) if p > SMALLEST else difference


#: Largest number of Newton steps, for all x_k and y at once.
FAST_ITERATIONS = 12
#: Relative Newton step below which all digits are correct, as each step doubles them.
FAST_TOLERANCE = 1e-6

#: Largest ratio x_k; a larger one has the same effect.
LARGEST = 1e200

#: A ratio x_k below this value is nearly proportional to y.
SMALL = 0.2

#: A typical z, if x_k of normal rewards is z / (d_k - z) as in `theory.optimal_weights`.
NORMAL = 0.45

#: Stands for a mean without stored divergences.
NO_MEAN = -1.0

#: Largest relative distance of mu_k from the stored mu_k at which nine terms of a series are exact.
NEARBY = 2.0**-6

#: Newton steps until the divergences are computed anew, as the updates accumulate rounding errors.
STEPS_FROM_LOGARITHMS = 64.0

#: Least relative gap of the best mean; below it Newton's method loses too many digits.
CLOSE = 2.0**-30


PARTS = 6
#: Stored values of an arm: mu_k, 1 / (mu_k (1 - mu_k)), kl(m_b, mu_k), kl(m_k, mu_k),
#: log(mu_k / (1 - mu_k)), and the m_k of these values.
POOLED, PRECISION, COST_BEST, COST_OTHER, LOGIT, KNOWN = range(PARTS)

#: Stored values of all arms: the m_b of the divergences, the Newton steps since they were computed
#: by logarithms, the gap of m_b to the next mean, and b.
TOP, AGE, GAP, BEST = range(4)


class Solver(NamedTuple):
    """The last solution, from which the next search starts, and stored divergences of each arm.

    If the means change little, the code updates the stored divergences by short series. Computing
    logarithms would take longer.
    """

    ratios: list[float]  # x_k = w_k / w_b, the weight of each arm relative to the best arm's
    level: list[float]  # [y, the evidence against arm k, which is equal for all k]
    weights: list[float]  # w*
    arms: list[float]  # the values POOLED to KNOWN of arm 0, then those of arm 1, ...
    last: list[float]  # four numbers, at the indices TOP, AGE, GAP and BEST


def blank_solver(n_arms: int) -> Solver:
    """Return a solver for `n_arms` arms without a solution."""
    solver = Solver([0.0] * n_arms, [0.0], [0.0] * n_arms, [0.0] * PARTS * n_arms, [0.0] * 4)
    start_solver(solver)
    return solver


def start_solver(solver: Solver) -> None:
    """Forget the last solution."""
    n_arms = len(solver.ratios)
    for arm in range(n_arms):
        solver.ratios[arm] = 1.0
        solver.weights[arm] = 1.0 / n_arms
        for part in range(PARTS):
            solver.arms[PARTS * arm + part] = NO_MEAN if part == KNOWN else 0.0
    solver.level[0] = 0.0
    solver.last[TOP], solver.last[AGE], solver.last[GAP] = NO_MEAN, 0.0, 0.0
    solver.last[BEST] = -1.0


def _logarithm(u: float) -> float:
    """Return log(1 + u) by a series that is exact for abs(u) <= `NEARBY`."""
    even = 0.5 + u * u * (0.25 + u * u * (1.0 / 6.0 + u * u * 0.125))
    odd = 1.0 + u * u * (1.0 / 3.0 + u * u * (0.2 + u * u * (1.0 / 7.0 + u * u / 9.0)))
    return u * odd - u * u * even


def _logit(p: float) -> float:
    """Return log(p / (1 - p)), infinite at 0 and 1."""
    if not 0.0 < p < 1.0:
        return math.inf
    return math.log(p) - math.log1p(-p)


def _predict(means: list[float], best: int, solver: Solver) -> None:
    """Predict the solution for new means from the last solution.

    The solution is the ratios x_k = w_k / w_b and the evidence y. If the best arm changes, divide
    all ratios by the ratio of the new best arm. Then rescale y and the small ratios, which are
    nearly proportional to the square of the best arm's gap.
    """
    top, before, share = means[best], int(solver.last[BEST]), solver.ratios[best]
    top_before = solver.last[TOP]
    solver.last[BEST] = best
    if before != best:
        solver.last[TOP] = NO_MEAN
        if before >= 0:
            for arm in range(len(means)):
                solver.ratios[arm] = min(max(solver.ratios[arm] / share, SMALLEST), LARGEST)
            solver.ratios[before] = min(1.0 / share, LARGEST)
            solver.level[0] /= share
    elif top_before != top and 0.0 < top_before < 1.0 and 0.0 < top < 1.0:
        # For a new mean m': kl(m', mu) = kl(m, mu) + kl(m', m) + (m' - m) (logit m - logit mu).
        further, logit = bernoulli_kl(top, top_before), _logit(top_before)
        for arm in range(len(means)):
            away = (top - top_before) * (logit - solver.arms[PARTS * arm + LOGIT])
            solver.arms[PARTS * arm + COST_BEST] += further + away
        solver.last[TOP] = top
    gap = math.inf
    for arm in range(len(means)):
        if arm != best:
            gap = min(gap, top - means[arm])
    factor = gap / solver.last[GAP] if gap > 0.0 and solver.last[GAP] > 0.0 else 1.0
    factor *= factor
    solver.last[GAP] = gap
    solver.level[0] *= factor
    for arm in range(len(means)):
        if solver.ratios[arm] < SMALL:
            solver.ratios[arm] = min(max(solver.ratios[arm] * factor, SMALLEST), 1.0)
    if gap > 0.0 and not solver.level[0] > 0.0:  # no solution: start from normal rewards
        solver.level[0] = math.inf
        for arm in range(len(means)):
            if arm != best:
                distance = (top - means[arm]) / gap
                solver.ratios[arm] = max(NORMAL / (distance * distance - NORMAL), SMALLEST)
                evidence = _evidence(top, means[arm], solver.ratios[arm])
                solver.level[0] = min(solver.level[0], evidence)


def _move_pooled(top: float, other: float, arm: int, mean: float, solver: Solver) -> None:
    """Set mu, the pooled mean of `arm` and the best arm, and update kl(p, mu) for their means p.

    If the new mean mu' is near mu, short series give the two logarithms in the update: kl(p, mu')
    is kl(p, mu) minus p log(mu'/mu) + (1 - p) log((1 - mu')/(1 - mu)).
    """
    stored, first = solver.arms, PARTS * arm
    before = stored[first + POOLED]
    moved = (mean - before) * stored[first + PRECISION]
    stored[first + POOLED] = mean
    if stored[first + KNOWN] == other and abs(moved) <= NEARBY:
        gain = _logarithm(moved * (1.0 - before))
        loss = _logarithm(-moved * before)
        stored[first + COST_BEST] -= top * gain + (1.0 - top) * loss
        stored[first + COST_OTHER] -= other * gain + (1.0 - other) * loss
        stored[first + LOGIT] += gain - loss
    else:
        stored[first + COST_BEST] = bernoulli_kl(top, mean)
        stored[first + COST_OTHER] = bernoulli_kl(other, mean)
        stored[first + LOGIT] = _logit(mean)
        stored[first + KNOWN] = other


def newton_ratios(means: list[float], best: int, solver: Solver) -> bool:
    """Solve for the ratios w_k / w_b by Newton's method, starting from the last solution.

    The unknowns are the ratios x_k and y. The equations are g_k(x_k) = y for all k, and F(y) = 1
    (notation of the module). An iteration changes y first. No unknown more than halves or doubles
    in an iteration. If the means have changed little since the last solution, the method is
    several times as fast as `bracketed_ratios`, but it may fail.

    Returns:
        Whether the method has converged. If not, the ratios in `solver` are no solution.
    """
    _predict(means, best, solver)
    top, level = means[best], solver.level[0]
    if not level > 0.0:
        return False
    for _ in range(FAST_ITERATIONS):
        if solver.last[TOP] != top or solver.last[AGE] >= STEPS_FROM_LOGARITHMS:
            for arm in range(len(means)):
                solver.arms[PARTS * arm + KNOWN] = NO_MEAN
            solver.last[TOP], solver.last[AGE] = top, 0.0
        solver.last[AGE] += 1.0
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
                solver.last[TOP] = NO_MEAN
                return False
            both = 1.0 / (variance * cost_other)
            inverse_cost = both * variance
            solver.arms[first + PRECISION] = both * cost_other
            solver.weights[arm] = inverse_cost  # `weights` is scratch memory here
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
        # Solve log F(y) = 0, not F(y) = 1: F grows exponentially for y far above the solution.
        step = min(max(-total * math.log(total) / slope, -0.5 * level), level)
        level += step
        settled = settled and abs(step) <= FAST_TOLERANCE * level
        for arm in range(len(means)):
            if arm != best:
                ratio = solver.ratios[arm]
                change = min(max(step * solver.weights[arm], -0.5 * ratio), ratio)
                solver.ratios[arm] = ratio + change
                settled = settled and abs(change) <= FAST_TOLERANCE * ratio
        if settled:
            solver.level[0] = level
            return True
    return False


#: Most secant or Newton steps, twice the usual number.
STEPS = 12

#: Most halvings of a bracket's logarithmic width: ln(2 * 10^9) / 2^44 is about 1e-12.
HALVINGS = 44

#: After a smaller relative Newton step for x_k only rounding errors remain.
LAST_RATIO_STEP = 1e-7

#: The search for y ends at a smaller relative step, twice the rounding error of a divergence.
LAST_LEVEL_STEP = 4e-12

#: An upper bound of every x_k of a solution.
LARGEST_RATIO = 2.0

#: A lower bound of x_k, relative to its upper bound by concavity.
LOWEST = 1.0 / 2048.0


def bracketed_ratios(means: list[float], best: int, ratios: list[float]) -> float:
    """Write the ratios x_k = w_k / w_b to `ratios`, and return the y with g_k(x_k) = y for all k.

    If other arms tie with the best arm, y is 0. The searches for y and for each x_k take at most
    `STEPS` secant or Newton steps, and then halve a bracket of the solution.

    Args:
        means: K Bernoulli means in [0, 1].
        best: index of a largest mean.
        ratios: x_k, written in place.
    """
    top, high, n_tied = means[best], math.inf, 0
    for arm in range(len(means)):
        if arm != best:
            evidence = _evidence(top, means[arm], LARGEST_RATIO)
            high = min(high, evidence)
            n_tied += not evidence > SMALLEST
    if n_tied > 0:  # as gaps vanish, the squared ratios of tied arms add up to 1
        for arm in range(len(means)):
            tied = not _evidence(top, means[arm], LARGEST_RATIO) > SMALLEST
            ratios[arm] = 1.0 / math.sqrt(n_tied) if tied else SMALLEST
        return 0.0
    low = high / (LARGEST_RATIO * max(4.0, len(means) - 1.0))
    level = 0.5 * high
    last_level, last = high, 0.0
    for iteration in range(STEPS + HALVINGS):
        total = 0.0
        for arm in range(len(means)):
            if arm != best:
                ratios[arm] = _bracketed_ratio(level, top, means[arm])
                cost_best, cost_other = costs_at(top, means[arm], ratios[arm])
                total += cost_best / cost_other
        logarithm = math.log(total)
        if logarithm > 0.0:
            high = level
        else:
            low = level
        moved = math.log(level / last_level)
        slope = 2.0  # for close means F is nearly proportional to y^2
        if iteration > 0:
            slope = (logarithm - last) / moved if moved != 0.0 else 0.0
        step = -logarithm / slope if slope > 0.0 else math.inf
        if abs(step) <= LAST_LEVEL_STEP:
            break
        last_level, last = level, logarithm
        following = level * math.exp(step) if abs(step) < 50.0 else 0.0
        accepted = low < following < high and iteration < STEPS
        level = following if accepted else low * math.sqrt(high / low)
    return level


def _bracketed_ratio(level: float, top: float, other: float) -> float:
    """Return the ratio x_k at which the evidence g_k against the arm is `level`."""
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
        accepted = low < following < high and iteration < STEPS
        ratio = following if accepted else low * math.sqrt(high / low)
    return ratio


def _evidence(top: float, other: float, ratio: float) -> float:
    """Return the evidence g_k(x) that an arm is worse than the best, for x = w_k / w_b."""
    cost_best, cost_other = costs_at(top, other, ratio)
    return cost_best + ratio * cost_other


def characteristic_weights(means: list[float], best: int, solver: Solver) -> None:
    """Write w*, the proportions that identify the best arm soonest, to `solver.weights`.

    Before normalization w_b is 1 and w_k is x_k(y), where y solves F(y) = sum over k of
    kl(m_b, mu_k) / kl(m_k, mu_k) = 1 on 0 < y < min_k kl(m_b, m_k).

    Args:
        means: K Bernoulli means in [0, 1].
        best: index of a largest mean. Tied arms get equal weights, the limit for vanishing gaps.
        solver: the search starts from the last solution in `solver` and replaces this solution.
    """
    if not newton_ratios(means, best, solver):
        solver.level[0] = bracketed_ratios(means, best, solver.ratios)
    total = 1.0
    for arm in range(len(means)):
        if arm != best:
            total += solver.ratios[arm]
    for arm in range(len(means)):
        solver.weights[arm] = (1.0 if arm == best else solver.ratios[arm]) / total

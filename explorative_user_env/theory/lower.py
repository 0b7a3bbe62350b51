"""What no algorithm can do better: the paper's lower bound, and the general one it builds on."""

import math

import numpy as np

from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, of_class, positive, real, risk

SMALLEST_GAP = 1e-100
"""Below this the bounds would leave the range of a float."""


def lower_bound(
    delta: float, gap: float, *, c: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return max{delta^(-1/alpha + c)/rho_0, 2/Delta_1^2 log(1/(4 delta))}.

    Paper, Theorem thm:lowerbound4delta: with fewer acceptances than this any algorithm errs with
    probability at least delta on some instance. The first part is proved for small delta only, how
    small depending on K, c and rho; the second is `general_lower_bound` made simpler, a quarter of
    it for K = 2.

    Args:
        delta: probability of a wrong answer, in (0, 1).
        gap: Delta_1, above 0.
        c: any number in (0, 1/2).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    delta, gap = risk("delta", delta), positive("gap", gap)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    if not 0.0 < real("c", c, "a number in (0, 1/2)") < 0.5:
        raise InvalidArgumentError("c", c, "a number in (0, 1/2)")
    exponent = log_lower_bound(delta, alpha, rho_0, c)
    secret = math.exp(exponent) if exponent < 700.0 else math.inf
    return max(secret, 2.0 / gap / gap * -math.log(4.0 * delta))


def log_lower_bound(delta: float, alpha: float, rho_0: float, c: float) -> float:
    """Return the logarithm of delta^(-1/alpha + c)/rho_0, which may be too large for a float."""
    return (c - 1.0 / alpha) * math.log(delta) - math.log(rho_0)


def optimal_weights(instance: Instance) -> tuple[float, ...]:
    """Return w*, the shares of recommendations that tell the best arm apart soonest.

    Of best-arm identification with observed rewards from N(mu_i, 1): the maximum over the simplex
    of min over i of w_* w_i/(w_* + w_i) Delta_i^2/2 (Garivier and Kaufmann 2016, Lemma 3 and
    Theorem 5). At it w_i/w_* = x_i = z/(d_i - z) with d_i = (Delta_i/Delta_1)^2, where z solves
    sum of x_i^2 = 1 on (0, 1/2].

    Args:
        instance: the means, with one best arm.

    Returns:
        One weight an arm, above 0 but for rounding; they sum to 1.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[0]


def characteristic_time(instance: Instance) -> float:
    """Return T*(nu), with 1/T* = sup over w of inf over alternatives of sum of w_i D(mu_i, mu'_i).

    For Gaussian rewards with unit variance (paper, proof of Theorem thm:lowerbound4delta). For
    K = 2 it is 8/Delta^2.

    Args:
        instance: the means, with one best arm.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[1]


def general_lower_bound(instance: Instance, delta: float) -> float:
    """Return T*(nu) log(1/(4 delta)), at least 0.

    The least expected number of rewards of an algorithm that sees them and errs with probability
    at most delta (Garivier and Kaufmann 2016, Theorem 1, as the paper quotes it).

    Args:
        instance: the means, with one best arm.
        delta: probability of a wrong answer, in (0, 1).
    """
    return max(0.0, characteristic_time(instance) * -math.log(4.0 * risk("delta", delta)))


def unique_gap(instance: Instance) -> float:
    """Return the gap of an instance with a unique best arm.

    Args:
        instance: the means.

    Raises:
        InvalidArgumentError: if several arms are the best, or the gap is below `SMALLEST_GAP`.
    """
    gap = of_class("instance", instance, Instance).gap
    if not gap > 0.0:
        raise InvalidArgumentError("instance", instance, "one with a unique best arm")
    if gap < SMALLEST_GAP:
        raise InvalidArgumentError(
            "instance", instance, f"one with a gap of {SMALLEST_GAP} or more"
        )
    return gap


def _solve(instance: Instance) -> tuple[tuple[float, ...], float]:
    """Return the optimal weights and T*."""
    from scipy.optimize import brentq

    gap, gaps = unique_gap(instance), instance.gaps
    others = [arm for arm in range(instance.n_arms) if arm != instance.best_arm]
    with np.errstate(over="ignore"):  # an arm infinitely far has weight 0
        distances = np.array([gaps[arm] / gap for arm in others]) ** 2

    def ratios(z: float) -> np.ndarray:
        return np.asarray(z / (distances - z))

    def excess(z: float) -> float:
        return float(np.sum(ratios(z) ** 2)) - 1.0

    # At z = 1/2 the nearest arm's x_i is 1 exactly, so the sum is at least 1 there.
    z = float(brentq(excess, 0.0, 0.5, xtol=1e-16, rtol=8.9e-16))
    total = 1.0 + float(ratios(z).sum())
    weights = dict(zip(others, (ratios(z) / total).tolist(), strict=True))
    best = 1.0 / total
    return (
        tuple(weights.get(arm, best) for arm in range(instance.n_arms)),
        2.0 * total / (z * gap * gap),
    )

"""Divergence of Bernoulli laws, without cancellation. Everything is scalar, so that it compiles."""

import math

SMALLEST = 1e-290
"""Below this a mean counts as 0, and a ratio is taken by logarithms, so that nothing underflows."""


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


def costs_at(top: float, other: float, ratio: float) -> tuple[float, float]:
    """Return kl(top, mu) and kl(other, mu) at mu = (top + ratio other) / (1 + ratio).

    The distances from mu are shares of top - other, which is exact where the two are close: however
    small it is, no digits are lost, as they are where mu is rounded first.

    Args:
        top: the larger mean, at most 1.
        other: the smaller, at least 0.
        ratio: above 0 and of the order of 1 or less.
    """
    below_top = (top - other) * (ratio / (1.0 + ratio))
    above_other = (top - other) / (1.0 + ratio)
    mean, rest = other + above_other, (1.0 - top) + below_top
    return (
        _part(top, -below_top, mean) + _part(1.0 - top, below_top, rest),
        _part(other, above_other, mean) + _part(1.0 - other, -above_other, rest),
    )


def _part(p: float, difference: float, q: float) -> float:
    """Return p log(p/q) + q - p, the part of one outcome in kl, where q = p + `difference`."""
    return p * _shortfall(difference / p, q / p) if p > SMALLEST else difference

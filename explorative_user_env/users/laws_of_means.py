"""The laws of true means mu_i that have a name, before the best is moved up by the gap."""

from collections.abc import Callable
from math import exp, log
from typing import Any, NamedTuple

import numpy as np

Law = Callable[[int, np.random.Generator], Any]


def normal_mean(rng: np.random.Generator) -> float:
    """Return a mean from N(0, 1)."""
    return rng.standard_normal()


def uniform_mean(rng: np.random.Generator) -> float:
    """Return a mean from Uniform(0, 1)."""
    return rng.random()


def normal_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    """Return `n_arms` draws of `normal_mean`, at once."""
    return rng.standard_normal(n_arms)


def uniform_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    """Return `n_arms` draws of `uniform_mean`, at once."""
    return rng.random(n_arms)


def around_one(factor: float, rng: Any) -> float:
    """Return a draw from the log-uniform law on [1 / factor, factor]; 1 for a factor of 1."""
    drawn = exp((2.0 * rng.random() - 1.0) * log(factor))
    return min(max(drawn, 1.0 / factor), factor)  # rounding may not lead out


class NamedLaw(NamedTuple):
    """A law of independent means: one draw, which compiled code repeats, and many at once.

    All draws are in [low, high). One that leaves room is scaled by 1 - gap, so that the best, moved
    up by the gap, is at most `high` as well.
    """

    one: Callable[[np.random.Generator], float]
    many: Law
    low: float
    high: float
    leaves_room: bool = False


ROOMY = "uniform_with_room"
"""The law of means that are in [0, 1] with the gap, as those of Bernoulli rewards must be."""

LAWS = {
    # No normal draw is beyond 13: NumPy makes those of the tail from uniform draws of 53 bits.
    "normal": NamedLaw(normal_mean, normal_means, -16.0, 16.0),
    "uniform": NamedLaw(uniform_mean, uniform_means, 0.0, 1.0),
    ROOMY: NamedLaw(uniform_mean, uniform_means, 0.0, 1.0, leaves_room=True),
}
"""N(0, 1) as the paper prints, Uniform(0, 1) as its code draws, and Uniform(0, 1 - gap)."""

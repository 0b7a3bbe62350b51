"""Which arm is the best, and that it is better than the second best by the gap."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.users.laws_of_means import around_one

LOST = -1


def move_best(means: Any, gap: float, rng: np.random.Generator) -> int:
    """Move the best of `means` to the second best + `gap`, in place, and return which arm it is.

    A gap of 0 moves nothing. `LOST` means that the gap is lost in rounding beside the means.
    """
    top, n_tied = -math.inf, 0
    for mean in means:
        if mean > top:
            top = mean
            n_tied = 0
        if mean == top:
            n_tied += 1
    chosen = 0
    if n_tied > 1:
        chosen = int(rng.random() * n_tied)
    best, second = LOST, -math.inf
    for arm in range(len(means)):
        if means[arm] == top and chosen == 0 and best == LOST:
            best = arm
            continue
        if means[arm] == top:
            chosen -= 1
        second = max(second, means[arm])
    if gap > 0.0:
        moved = second + gap
        if not second < moved < math.inf:
            return LOST
        means[best] = moved
    return best


def own_gap(gap: float, factor: float, rng: np.random.Generator) -> float:
    """Return the gap of one user; a factor of 1, for which nothing is drawn, is everyone's."""
    return gap if factor == 1.0 else gap * around_one(factor, rng)


def draw_means(
    means: Any,
    mean: Callable[[np.random.Generator], float],
    scale: float,
    gap: float,
    gap_factor: float,
    rng: np.random.Generator,
) -> int:
    """Draw `means` in place, each `scale` times what `mean` draws, and `move_best`."""
    for arm in range(len(means)):
        means[arm] = scale * mean(rng)
    return move_best(means, own_gap(gap, gap_factor, rng), rng)

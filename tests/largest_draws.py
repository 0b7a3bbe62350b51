"""How often each of several independent draws is the largest, for tests of posterior sampling."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def chances_of_the_largest(laws: Sequence[Any], low: float, high: float) -> list[float]:
    """P(each draw is the largest) of SciPy's `laws`, which have no mass to speak of elsewhere.

    By the midpoint rule, which needs no luck with an adaptive one's tolerance; that one draw is the
    largest, whatever it is, says how good the sums are.
    """
    n = 20_000
    x = low + (np.arange(n) + 0.5) * (high - low) / n
    below = np.array([law.cdf(x) for law in laws])
    densities = np.array([law.pdf(x) for law in laws])
    chances = [
        float(np.sum(densities[arm] * np.prod(np.delete(below, arm, axis=0), axis=0)))
        for arm in range(len(laws))
    ]
    chances = [chance * (high - low) / n for chance in chances]
    assert abs(sum(chances) - 1.0) < 1e-6
    return chances

"""An interval of a probability that holds at all times at once, so whenever one stops looking.

Beside the likelihood of each p stands the mixture of the likelihoods of all p' by Jeffreys'
Beta(1/2, 1/2). At the true p the ratio of the two is a nonnegative martingale that starts at 1, so
it ever reaches 1/error with probability at most `error` (Ville's inequality): the set of p beside
which it has not is a confidence sequence.

Robbins 1970, "Statistical methods related to the law of the iterated logarithm" (mixtures); Howard,
Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences" (the beta-binomial mixture).
"""

import math
from typing import Any

import numpy as np

HALF = 0.5
"""Both parameters of the Beta law that mixes: Jeffreys' choice, with much weight near 0 and 1."""


def log_evidence_against(p: Any, successes: Any, n: Any) -> Any:
    """Return the logarithm of how much likelier the mixture makes so many successes than p does.

    Args:
        p: a probability, in [0, 1]; this and the others are numbers, or arrays of one shape.
        successes: successes among the first n trials.
        n: numbers of trials.
    """
    from scipy import special

    failures = n - successes
    mixture = special.betaln(HALF + successes, HALF + failures) - special.betaln(HALF, HALF)
    return mixture - special.xlogy(successes, p) - special.xlog1py(failures, -p)


def sequence_interval(successes: int, n: int, error: float) -> tuple[float, float]:
    """Return an interval of a probability that holds whenever one stops, with 1 - `error`.

    It holds each p that the evidence against is less than 1/error. Without a trial that is all of
    [0, 1].

    Args:
        successes: successes so far.
        n: trials so far.
        error: probability that it ever misses the probability, in (0, 1).
    """
    from scipy.optimize import brentq  # which takes long to import, and few need

    def excess(p: float) -> float:
        """How far the evidence against p is above 1/error."""
        return float(log_evidence_against(p, successes, n)) + math.log(error)

    def end(furthest: float, limit: float) -> float:
        """Where the evidence is 1/error; `limit` if that is beyond the `furthest` float."""
        if not excess(furthest) > 0.0:
            return limit
        return float(brentq(excess, *sorted((furthest, estimate)), xtol=1e-12))

    estimate = successes / n if n else 0.5
    low = end(np.finfo(float).tiny, 0.0) if successes else 0.0
    high = end(1 - 1e-16, 1.0) if n - successes else 1.0
    return low, high

"""The events that the bounds rest on: bands around empirical means, and the fall of the largest."""

import math
from typing import overload

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.validation import InvalidArgumentError, integer, not_negative, risk


@overload
def iterated_log_band(n: int, delta: float) -> float: ...
@overload
def iterated_log_band(n: Array, delta: float) -> Array: ...
def iterated_log_band(n: int | Array, delta: float) -> float | Array:
    """Return sqrt(2/n log(n(n+1)/delta)), a band that holds at every n at once.

    With probability 1 - delta the empirical mean of n rewards is within it of the true mean for
    all n (paper, Lemma lm:iteratedlog). The sum over n is delta for Gaussian rewards, whose
    P(|Z| > x) is at most exp(-x^2/2); for all sub-Gaussian rewards that tail, and so the
    probability of leaving the band, may be twice as large, which the lemma passes over.

    Args:
        n: number of rewards, at least 1, or an array of such numbers, of any shape.
        delta: the allowed probability, in (0, 1).

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    delta = risk("delta", delta)
    if not isinstance(n, np.ndarray):
        n = integer("n", n, 1)
        return math.sqrt(2.0 / n * (math.log(n) + math.log(n + 1) - math.log(delta)))
    if n.dtype.kind not in "iu" or (n < 1).any():
        raise InvalidArgumentError("n", n, "integers of at least 1")
    counts = n.astype(float)
    logarithms = np.log(counts) + np.log(counts + 1.0) - math.log(delta)
    return np.asarray(np.sqrt(2.0 / counts * logarithms))


def largest_mean_drop(gamma: float, acceptances: int) -> float:
    """Return 2 sqrt(Gamma / n), the least fall of the largest empirical mean in a round.

    Paper, Lemma lm:Er: a complete round of Phase 1 that ends at t_e lowers max_i hat mu_i by this
    or more. It is sure, not only likely, by induction over the order of the rejections: the arm
    that a rejected arm loses to has the mean it had at the start of the round, or one that was
    lowered before. That rests on what a round is (one arm at a time, until it is rejected) and
    on the user's rule. It can fail

    - in the first sweep, which goes round the arms, so that means rise between rejections;
    - with click noise, when a coin flip rejects an arm that no other arm beats;
    - with two or more private draws of each arm, as they are in n_i but not in n(t_e).

    Args:
        gamma: the least Gamma in the round, at least 0.
        acceptances: n(t_e), at the end of the round, at least 1.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    gamma = not_negative("gamma", gamma)
    return 2.0 * math.sqrt(gamma / integer("acceptances", acceptances, 1))

"""Is a probability at most delta? A test that may look after every trial and stop when it knows.

Every trial fails with the same unknown probability q. Against "q >= delta" stands the mixture of
likelihood ratios of all q' < delta to delta: if q >= delta it is a nonnegative supermartingale that
starts at 1, so it ever reaches 1/error with probability at most `error` (Ville's inequality). The
same holds with the sides exchanged. The mixture is by a Beta law with mean delta, cut off at
delta, which makes both ratios incomplete beta functions. The interval that goes with it, and who
thought of it, are in `results.confidence_sequences`.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from explorative_user_env.protocol import Array
from explorative_user_env.results.confidence_sequences import HALF

Decision = Literal["good", "bad", "undecided"]


def log_evidence(failures: Array, n: Array, delta: float) -> tuple[Array, Array]:
    """Return the logarithms of the evidence that q < delta, and that q > delta.

    Args:
        failures: failures among the first n trials, any shape.
        n: numbers of trials, of the same shape.
        delta: what q is compared with, in (0, 1).
    """
    first, second = HALF, HALF * (1.0 - delta) / delta
    after = (first + failures, second + n - failures)
    at_delta = failures * math.log(delta) + (n - failures) * math.log1p(-delta)
    whole = special.betaln(*after) - special.betaln(first, second) - at_delta
    with np.errstate(divide="ignore"):  # no mass on a side: no evidence, log 0
        below = np.log(special.betainc(*after, delta) / special.betainc(first, second, delta))
        above = np.log(special.betaincc(*after, delta) / special.betaincc(first, second, delta))
    return whole + below, whole + above


class Verdict(NamedTuple):
    """What a test has come to, and after which trials."""

    decision: Decision
    n: int
    failures: int


def judge(failed: Array, delta: float, error: float, before: tuple[int, int] = (0, 0)) -> Verdict:
    """Return the first decision that the trials come to, looking after each of them.

    If q > delta, the test ever says "good" with probability at most `error`; if q <= delta, it ever
    says "bad" with probability at most `error`.

    Args:
        failed: whether each new trial failed, shape (n,), bool.
        delta: what q is compared with, in (0, 1).
        error: probability of a wrong decision, in (0, 1).
        before: trials and failures before these, which came to no decision.
    """
    n = before[0] + np.arange(1, len(failed) + 1)
    failures = before[1] + np.cumsum(failed)
    good, bad = (side >= -math.log(error) for side in log_evidence(failures, n, delta))
    decided = np.flatnonzero(good | bad)
    if not len(decided):
        return Verdict("undecided", before[0] + len(failed), before[1] + int(np.sum(failed)))
    first = decided[0]
    return Verdict("good" if good[first] else "bad", int(n[first]), int(failures[first]))

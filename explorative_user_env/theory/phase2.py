"""Phase 2: how likely it is to be wrong, and how long it takes (paper, appendix A)."""

import math
from collections.abc import Callable
from typing import Literal

from explorative_user_env.theory.lower import SMALLEST_GAP
from explorative_user_env.theory.phase1 import phase1_acceptances_bound
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    integer,
    not_negative,
    of_class,
    positive,
    real,
    risk,
)

Order = Literal["fewest acceptances", "round robin"]
"""In which order Phase 2 recommends the arms that are left: as printed, or as released."""

NONE_BELOW = 2**1023
"""A bound that is as large is none: it is no longer a float."""


def phase2_error_bound(n1: float, n_arms: int, alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return min(1, 2(K-1)/(rho_0 N_1)^alpha), a bound on the probability of a wrong answer.

    Paper, Lemma lm:phase2bound1. Its proof takes Hoeffding's inequality at the time of an
    elimination as if the n_i were fixed there, though they depend on the rewards; the bound
    is what the paper states, not more.

    Args:
        n1: N_1, the acceptances at the start of Phase 2, at least 0.
        n_arms: K, at least 2.
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
    """
    n1 = not_negative("n1", n1)
    n_arms = integer("n_arms", n_arms, 2)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    if n1 == 0.0:
        return 1.0
    exponent = math.log(2 * (n_arms - 1)) - alpha * (math.log(rho_0) + math.log(n1))
    return math.exp(min(0.0, exponent))


def elimination_bound(
    gap: float, n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_1: float = 2.0
) -> int:
    """Return how many acceptances of an arm make sure that its next recommendation eliminates it.

    The least m from which on the four conditions of Eq. (4c) hold for n_i = m, while all means
    keep to their bands and the best arm is a candidate with at least as many acceptances:
    2 log(K m (m+1)/delta)/m and 2 alpha log(rho_1 n)/m are both below Delta_i^2/16. Here
    n = N + K(m+1), with N = `phase1_acceptances_bound`, is a bound on n(t) for either order of
    Phase 2: no arm is accepted more than m+1 times in Phase 2 before this recommendation. Private
    draws only help.

    Args:
        gap: Delta_i = mu_* - mu_i of the arm, at least 1e-100.
        n1: N_1, at least 0.
        n_arms: K, at least 2.
        delta: the allowed probability, in (0, 1), that a mean leaves its band.
        alpha: the user's willingness to explore, above 0.
        rho_1: the largest value of rho_t, above 0.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    quarter = _gap(gap) / 4.0
    n_arms = integer("n_arms", n_arms, 2)
    already = phase1_acceptances_bound(n1, n_arms)
    alpha, log_rho = positive("alpha", alpha), math.log(positive("rho_1", rho_1))
    log_delta = math.log(risk("delta", delta))

    def suffices(m: int) -> bool:
        mean = 2.0 * (math.log(n_arms * m * (m + 1)) - log_delta)
        # At least 1, so that the whole falls in m for small rho_1, too: once true, always true.
        logarithm = max(1.0, log_rho + math.log(already + n_arms * (m + 1)))
        return max(mean, 2.0 * alpha * logarithm) < quarter * quarter * m

    try:
        return _least(suffices)
    except OverflowError:  # the rest is of moderate size
        raise InvalidArgumentError("alpha", alpha, "small enough for a finite bound") from None


def printed_elimination_bound(
    gap: float,
    n_arms: int,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
) -> int:
    """Return the least whole number above the maximum in Eq. (8c), the printed bound on n_i.

    It rests on N_1 = (2K/delta)^(1/alpha)/rho_0. Against `elimination_bound` it slips in details
    that its slack mostly covers: its second line of cases drops an alpha, K(n_i+1) becomes K n_i,
    2^(1/alpha) becomes 2 (too little for alpha < 1), and alpha is missing in the second
    logarithm (too little for alpha > 2).

    Args:
        gap: Delta_i, at least 1e-100.
        n_arms: K, at least 2.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest, above 0.
    """
    gap = _gap(gap)
    square = gap**2 if gap < 1e150 else math.inf
    log_arms = math.log(integer("n_arms", n_arms, 2))
    alpha, log_delta = positive("alpha", alpha), math.log(risk("delta", delta))
    log_rho_0, log_rho_1 = math.log(positive("rho_0", rho_0)), math.log(positive("rho_1", rho_1))
    log_square, two = math.log(square), math.log(2.0)
    power = log_arms + (log_arms - log_delta) / alpha
    needed = (
        32.0 * alpha / square * (two + log_rho_1 + power - log_rho_0),
        64.0 * alpha / square * (6.0 * two + log_rho_1 + log_arms - log_square),
        128.0 / square * (6.0 * two + 0.5 * (two + log_arms - log_delta) - log_square),
    )
    if not all(number < math.inf for number in needed):
        raise InvalidArgumentError("alpha", alpha, "large enough for a finite bound")
    return max(0, math.floor(max(needed))) + 1


def phase2_length_bound(
    instance: Instance,
    n1: float,
    delta: float,
    alpha: float = 1.0,
    rho_1: float = 2.0,
    order: Order = "fewest acceptances",
) -> int:
    """Return a bound on the recommendations of Phase 2, with probability 1 - 2 delta.

    While all means keep to their bands (but for delta) and the best arm is not eliminated: every
    other arm is accepted at most m_i = `elimination_bound` times, the best arm until it has one
    acceptance more than every other arm had, and K - 1 recommendations are rejected.

    That the best arm stays rests on N_1: it is eliminated with probability at most
    `phase2_error_bound`, which is delta for the N_1 of Lemma lm:phase2bound1 and 1 for N_1 = 0.
    With a smaller N_1 than the lemma's the bound holds with 1 - delta - `phase2_error_bound` only.

    Lemma lm:phase2bound2 leaves out that an arm with many acceptances from Phase 1 is not
    recommended, and so not eliminated, before the best arm has caught up with it. That can take N_1
    acceptances, not only a number of order log(1/delta): it happens when the first rewards of
    the best arm are so low that another arm is accepted all through Phase 1, whose
    probability does not fall with delta. In "round robin" there is no such wait, and the lemma's
    order is right. Theorem thm:upperbound2 stands in both, as it counts N_1 anyway.

    Args:
        instance: the means, with one best arm.
        n1: N_1, at least 0.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_1: the largest value of rho_t, above 0.
        order: Phase 2 recommends the arm of F with the "fewest acceptances", or goes "round robin".

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    waits = choice("order", order, ("fewest acceptances", "round robin")) == "fewest acceptances"
    n_arms = of_class("instance", instance, Instance).n_arms
    needed = [
        elimination_bound(gap, n1, n_arms, delta, alpha, rho_1)
        for arm, gap in enumerate(instance.gaps)
        if arm != instance.best_arm
    ]
    most = max(needed)
    if waits:
        most = max(most, phase1_acceptances_bound(n1, n_arms))
    return sum(needed) + most + 1 + n_arms - 1


def printed_phase2_length_bound(
    instance: Instance,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
) -> int:
    """Return the sum over all arms of Eq. (8c)'s n_i, and K - 1 (paper, Lemma lm:phase2bound2).

    Delta_i of the best arm is Delta_1. Of what the lemma leaves out `phase2_length_bound` tells.

    Args:
        instance: the means, with one best arm.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest, above 0.
    """
    n_arms = of_class("instance", instance, Instance).n_arms
    needed = (
        printed_elimination_bound(gap, n_arms, delta, alpha, rho_0, rho_1) for gap in instance.gaps
    )
    return sum(needed) + n_arms - 1


def _gap(gap: float) -> float:
    allowed = f"a finite number of at least {SMALLEST_GAP}"
    if real("gap", gap, allowed) < SMALLEST_GAP:
        raise InvalidArgumentError("gap", gap, allowed)
    return float(gap)


def _least(suffices: Callable[[int], bool]) -> int:
    """Return the least m of at least 1 that suffices, where all above one that does do.

    Raises:
        OverflowError: if none below `NONE_BELOW` does, after 1023 tries.
    """
    high = 1
    while not suffices(high):
        high *= 2
        if high == NONE_BELOW:
            raise OverflowError
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if suffices(middle):
            high = middle
        else:
            low = middle
    return high

"""The upper bound on all recommendations (paper, Theorem thm:upperbound2), from its parts.

The parts take the arguments of `upper_bound`: `delta`, `alpha`, `rho_0`, `rho_1`, `n1` (a number of
at least 0), `n_arms` (K, at least 2) and `instance`. A value out of range raises
`InvalidArgumentError`, which names it.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, overload

import numpy as np

from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.protocol import Array
from explorative_user_env.theory.lower import SMALLEST_GAP
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

    `gamma` is the least Gamma in the round, `acceptances` is n(t_e), at least 1.
    """
    gamma = not_negative("gamma", gamma)
    return 2.0 * math.sqrt(gamma / integer("acceptances", acceptances, 1))


def phase1_acceptances_needed(
    n_arms: int,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    form: Literal["paper", "proof"] = "paper",
) -> float:
    """Return N_1, the acceptances after which an elimination is safe.

    (2K/delta)^(1/alpha)/rho_0 (paper, Lemma lm:phase2bound1) for the `form` "paper", with 2(K-1) in
    place of 2K, as the proof needs, for "proof".
    """
    return phase1_acceptances(
        choice("form", form, ("paper", "proof")),
        integer("n_arms", n_arms, 2),
        risk("delta", delta),
        positive("alpha", alpha),
        positive("rho_0", rho_0),
    )


def phase1_acceptances_bound(n1: float, n_arms: int) -> int:
    """Return ceil(N_1) + K - 1, the most acceptances that Phase 1 can end with.

    The first sweep looks at N_1 between passes, so a pass of K acceptances can begin one short of
    N_1. The paper counts N_1. At least one pass is made, whatever N_1.
    """
    n1 = not_negative("n1", n1)
    return max(1, math.ceil(n1)) + integer("n_arms", n_arms, 2) - 1


def phase1_rounds_bound(n1: float, n_arms: int, delta: float) -> float:
    """Return sqrt(2 N_1 log(2K/delta)), a bound on the complete rounds with Gamma at least 1.

    With probability 1 - delta (paper, proof of Lemma lm:algo4): every such round lowers the largest
    empirical mean by 2/sqrt(N_1), and while all means keep to their bands it cannot fall by more
    than 2 sqrt(2 log(2K/delta)).
    """
    n1 = not_negative("n1", n1)
    logarithm = math.log(2 * integer("n_arms", n_arms, 2)) - math.log(risk("delta", delta))
    return math.sqrt(2.0 * n1 * logarithm)


def early_rounds_bound(alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return a bound on the complete rounds that begin before Gamma is sure to be at least 1.

    Gamma >= 1 once n(t) >= e^(1/(2 alpha))/rho_0. The first sweep and every round bring at least
    one acceptance, because the arm with the largest empirical mean is not rejected while no mean
    moves and Gamma > 0. Infinite where it would leave the range of a float (alpha below 0.0007).
    """
    settled = _settled_acceptances(alpha, rho_0)
    return settled if math.isinf(settled) else max(0, math.ceil(settled) - 1)


def phase1_rejections_bound(
    n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return a bound on the rejections of Phase 1, with probability 1 - delta.

    K in the first sweep, K in each of the `early_rounds_bound` and `phase1_rounds_bound` complete
    rounds, and K - 1 in the round that N_1 cuts short, which the printed count leaves out.
    """
    rounds = phase1_rounds_bound(n1, n_arms, delta)
    if rounds == math.inf:
        raise InvalidArgumentError("n1", n1, "small enough for a finite bound")
    n_arms = integer("n_arms", n_arms, 2)
    whole = early_rounds_bound(alpha, rho_0) + math.floor(rounds)
    return n_arms * (1 + whole) + n_arms - 1


def printed_phase1_rejections_bound(
    n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return max{K, e^(1/(2 alpha)) K/rho_0} + K M, the bound in the proof of Lemma lm:algo4.

    M is `phase1_rounds_bound`. It leaves out the rejections of the last, incomplete round (up to
    K - 1) and of a round that is under way when Gamma comes to 1; see `phase1_rejections_bound`.
    """
    rounds = phase1_rounds_bound(n1, n_arms, delta)
    return n_arms * (max(1.0, _settled_acceptances(alpha, rho_0)) + rounds)


def _settled_acceptances(alpha: float, rho_0: float) -> float:
    """Return e^(1/(2 alpha))/rho_0, the n(t) from which on Gamma >= 1."""
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    exponent = 0.5 / alpha - math.log(rho_0)
    return math.exp(exponent) if exponent < 700.0 else math.inf


#: In which order Phase 2 recommends the arms that are left: as printed, or as released.
Order = Literal["fewest acceptances", "round robin"]

#: A bound that is as large is none: it is no longer a float.
NONE_BELOW = 2**1023


def phase2_error_bound(n1: float, n_arms: int, alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return min(1, 2(K-1)/(rho_0 N_1)^alpha), a bound on the probability of a wrong answer.

    Paper, Lemma lm:phase2bound1. Its proof takes Hoeffding's inequality at the time of an
    elimination as if the n_i were fixed there, though they depend on the rewards; the bound
    is what the paper states, not more.
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
    draws only help. `gap` is Delta_i = mu_* - mu_i of the arm, at least 1e-100.
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

    Delta_i of the best arm is Delta_1. See `phase2_length_bound` for the omissions of the lemma.
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


class UpperBound(NamedTuple):
    """The parts of the bound.

    Attributes:
        phase1_acceptances: acceptances of Phase 1.
        phase1_rejections: rejections of Phase 1.
        phase2_length: recommendations of Phase 2, accepted or rejected.
    """

    phase1_acceptances: float
    phase1_rejections: float
    phase2_length: float

    @property
    def total(self) -> float:
        """All recommendations."""
        return self.phase1_acceptances + self.phase1_rejections + self.phase2_length


def upper_bound(
    instance: Instance,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
    *,
    n1: float | Literal["paper", "proof"] = "paper",
    order: Order = "fewest acceptances",
) -> UpperBound:
    """Return a bound on BAIR's recommendations, with probability 1 - 2 delta.

    The explicit form of Theorem thm:upperbound2: the sum of `phase1_acceptances_bound`,
    `phase1_rejections_bound` and `phase2_length_bound`. The bands of all means give delta, and that
    the best arm stays gives delta; the latter needs N_1 as in Lemma lm:phase2bound1.

    Args:
        instance: the means, with one best arm.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest, above 0.
        n1: N_1: "paper", "proof" (see `phase1_acceptances_needed`) or a number of at least 0.
        order: Phase 2 recommends the arm of F with the "fewest acceptances", or goes "round robin".

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    n_arms, delta = of_class("instance", instance, Instance).n_arms, risk("delta", delta)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    needed = phase1_acceptances(n1, n_arms, delta, alpha, rho_0)
    return UpperBound(
        phase1_acceptances_bound(needed, n_arms),
        phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        phase2_length_bound(instance, needed, delta, alpha, rho_1, order),
    )


def printed_upper_bound(
    instance: Instance,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
) -> UpperBound:
    """Return the sum of the printed parts: N_1, Lemma lm:algo4 and Lemma lm:phase2bound2.

    Not a valid bound on every count, for the reasons given at `printed_phase1_rejections_bound`
    and `phase2_length_bound`; `upper_bound` is.
    """
    n_arms = of_class("instance", instance, Instance).n_arms
    needed = phase1_acceptances_needed(n_arms, delta, alpha, rho_0)
    return UpperBound(
        needed,
        printed_phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        printed_phase2_length_bound(instance, delta, alpha, rho_0, rho_1),
    )

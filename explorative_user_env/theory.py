"""The paper's bounds as numbers with explicit constants.

The upper bounds hold for BAIR with m = 1 (one rejection eliminates an arm), and for a user without
click noise, with Gaussian rewards of unit variance. Before the first step she may have at most one
reward of each arm. If a constant in the paper is too small, this module derives a valid bound.
Functions named `printed_...` return the bounds as printed in the paper.

The functions for parts of the upper bound take arguments of `upper_bound`: `delta`, `alpha`,
`rho_0`, `rho_1`, `n1` (a number of at least 0), `n_arms` (K, at least 2) and `instance`. A value
out of range raises `InvalidArgumentError`.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.users.instances import LARGEST_MEAN, Instance, checked_gap
from explorative_user_env.validation import InvalidArgumentError, choice, integer, positive, risk

__all__ = [
    "general_lower_bound",
    "hard_pair",
    "lower_bound",
    "phase1_acceptances_needed",
    "phase2_error_bound",
    "printed_upper_bound",
    "upper_bound",
]

#: The smallest gap; for smaller gaps the bounds overflow.
SMALLEST_GAP = 1e-100

#: The form of N_1: as the lemma states it, or as its proof needs it.
Form = Literal["paper", "proof"]

#: The order of Phase 2: as in the paper's text, or as in its code.
Order = Literal["fewest acceptances", "round robin"]

#: Bounds of this size are rejected, as they overflow.
NONE_BELOW = 2**1023


class UpperBound(NamedTuple):
    """The parts of the bound on BAIR's recommendations.

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
        """The bound on all recommendations."""
        return self.phase1_acceptances + self.phase1_rejections + self.phase2_length


def upper_bound(
    instance: Instance,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
    *,
    n1: float | Form = "paper",
    order: Order = "fewest acceptances",
) -> UpperBound:
    """Return a bound on BAIR's recommendations that holds with probability 1 - 2 delta.

    The bound is the explicit form of Theorem thm:upperbound2. It is the sum of
    `phase1_acceptances_bound`, `phase1_rejections_bound` and `phase2_length_bound`. It holds unless
    an empirical mean differs from the true mean by more than `iterated_log_band`, or the best arm
    is eliminated. Each of these two events has probability at most delta (the second event for the
    N_1 of Lemma lm:phase2bound1).

    Args:
        instance: the means, with one best arm.
        delta: the allowed probability of a wrong answer, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the lower bound of rho_t, above 0.
        rho_1: the upper bound of rho_t, above 0.
        n1: N_1: "paper", "proof" (see `phase1_acceptances_needed`) or a number of at least 0.
        order: Phase 2 recommends the remaining arm with the "fewest acceptances", or the remaining
            arms in turn ("round robin").

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names it.
    """
    n_arms, delta = validation.of_class("instance", instance, Instance).n_arms, risk("delta", delta)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    needed = phase1_acceptances(n1, n_arms, delta, alpha, rho_0)
    return UpperBound(
        phase1_acceptances_bound(needed, n_arms),
        phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        phase2_length_bound(instance, needed, delta, alpha, rho_1, order),
    )


def printed_upper_bound(
    instance: Instance, delta: float, alpha: float = 1.0, rho_0: float = 1.0, rho_1: float = 2.0
) -> UpperBound:
    """Return the parts of the bound as the paper prints them.

    They are N_1, the bound of Lemma lm:algo4 and the bound of Lemma lm:phase2bound2. Their sum is
    not always a valid bound (`printed_phase1_rejections_bound` and `phase2_length_bound` give the
    reasons). `upper_bound` is valid.
    """
    n_arms = validation.of_class("instance", instance, Instance).n_arms
    needed = phase1_acceptances_needed(n_arms, delta, alpha, rho_0)
    return UpperBound(
        needed,
        printed_phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        printed_phase2_length_bound(instance, delta, alpha, rho_0, rho_1),
    )


def iterated_log_band(n: Any, delta: float) -> Any:
    """Return sqrt(2/n log(n(n+1)/delta)), a band that holds for all n simultaneously.

    With probability 1 - delta, the empirical mean of n rewards differs from the true mean by at
    most this band, for all n (paper, Lemma lm:iteratedlog). This holds for Gaussian rewards, where
    P(|Z| > x) <= exp(-x^2/2). For other sub-Gaussian rewards P(|Z| > x) may be twice as
    large, and so may the error probability; the lemma ignores this. n is an integer of at least 1,
    or an array of such integers.
    """
    delta = risk("delta", delta)
    if not isinstance(n, np.ndarray):
        n = integer("n", n, 1)
        return math.sqrt(2.0 / n * (math.log(n) + math.log(n + 1) - math.log(delta)))
    if n.dtype.kind not in "iu" or (n < 1).any():
        raise InvalidArgumentError("n", n, "an array of integers of at least 1")
    counts = n.astype(float)
    logarithms = np.log(counts) + np.log(counts + 1.0) - math.log(delta)
    return np.asarray(np.sqrt(2.0 / counts * logarithms))


def largest_mean_drop(gamma: float, acceptances: int) -> float:
    """Return 2 sqrt(Gamma / n), the least decrease of the largest empirical mean in a round.

    After its first sweep, Phase 1 runs rounds: a round recommends each arm until the user rejects
    it. By Lemma lm:Er of the paper, a complete round lowers the largest empirical mean by at least
    this amount, with certainty. The proof is an induction over the rejections of the round. The arm
    that makes her reject another arm has the same empirical mean as at the start of the round, or
    the round has lowered it. The lemma fails

    - in the first sweep, because it alternates between arms, and means rise between rejections;
    - with click noise, because a coin flip can reject an arm when no other arm is clearly better;
    - if she had two or more rewards of each arm before the first step, which n(t) does not count.

    `gamma` is the least Gamma in the round. `acceptances` is n(t) at the end of the round, at
    least 1.
    """
    gamma = validation.not_negative("gamma", gamma)
    return 2.0 * math.sqrt(gamma / integer("acceptances", acceptances, 1))


def phase1_acceptances_needed(
    n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0, form: Form = "paper"
) -> float:
    """Return N_1, the number of acceptances after which eliminations are safe.

    For the `form` "paper" it is (2K/delta)^(1/alpha)/rho_0 (paper, Lemma lm:phase2bound1); for
    "proof", 2(K-1) replaces 2K, as in the proof.
    """
    return phase1_acceptances(
        choice("form", form, ("paper", "proof")),
        integer("n_arms", n_arms, 2),
        risk("delta", delta),
        positive("alpha", alpha),
        positive("rho_0", rho_0),
    )


def phase1_acceptances_bound(n1: float, n_arms: int) -> int:
    """Return ceil(N_1) + K - 1, the most acceptances of Phase 1.

    Phase 1 begins with passes over all arms and compares its acceptances with N_1 only after each
    pass. So a pass with K acceptances can start at ceil(N_1) - 1 acceptances. The paper's bound is
    N_1 itself. Phase 1 makes at least one pass.
    """
    n1 = validation.not_negative("n1", n1)
    return max(1, math.ceil(n1)) + integer("n_arms", n_arms, 2) - 1


def phase1_rounds_bound(n1: float, n_arms: int, delta: float) -> float:
    """Return sqrt(2 N_1 log(2K/delta)), a bound on Phase 1's complete rounds with Gamma >= 1.

    The bound holds with probability 1 - delta (paper, proof of Lemma lm:algo4). Every such round
    lowers the largest empirical mean by at least 2/sqrt(N_1). If the errors of the empirical means
    stay within `iterated_log_band`, all rounds together lower the largest empirical mean by at most
    2 sqrt(2 log(2K/delta)).
    """
    n1 = validation.not_negative("n1", n1)
    logarithm = math.log(2 * integer("n_arms", n_arms, 2)) - math.log(risk("delta", delta))
    return math.sqrt(2.0 * n1 * logarithm)


def early_rounds_bound(alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return a bound on Phase 1's complete rounds that start with n(t) < e^(1/(2 alpha))/rho_0.

    For larger n(t), Gamma >= 1. Every round, and the first sweep before the rounds, has at least
    one acceptance: if Gamma > 0, the user does not reject the arm with the largest empirical mean.
    For alpha below 0.0007 floats overflow, and the returned bound is infinite.
    """
    settled = _settled_acceptances(alpha, rho_0)
    return settled if math.isinf(settled) else max(0, math.ceil(settled) - 1)


def phase1_rejections_bound(
    n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return a bound on the rejections of Phase 1 that holds with probability 1 - delta.

    The bound is the sum of K rejections in the passes at the start, K in each complete round (which
    recommends each arm until its rejection), and K - 1 in the last, incomplete round. The paper's
    bound omits the incomplete round. The number of complete rounds is at most `early_rounds_bound`
    plus `phase1_rounds_bound`.
    """
    rounds = phase1_rounds_bound(n1, n_arms, delta)
    if rounds == math.inf:
        raise InvalidArgumentError("n1", n1, "small enough for a finite bound on rejections")
    n_arms = integer("n_arms", n_arms, 2)
    complete = early_rounds_bound(alpha, rho_0) + math.floor(rounds)
    return n_arms * (1 + complete) + n_arms - 1


def printed_phase1_rejections_bound(
    n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return max{K, e^(1/(2 alpha)) K/rho_0} + K M, the bound in the proof of Lemma lm:algo4.

    M is the value of `phase1_rounds_bound`. The bound omits the rejections of the last, incomplete
    round (up to K - 1) and of the round in which Gamma reaches 1; see `phase1_rejections_bound`.
    """
    rounds = phase1_rounds_bound(n1, n_arms, delta)
    return n_arms * (max(1.0, _settled_acceptances(alpha, rho_0)) + rounds)


def _settled_acceptances(alpha: float, rho_0: float) -> float:
    """Return e^(1/(2 alpha))/rho_0; for larger n(t), Gamma >= 1."""
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    exponent = 0.5 / alpha - math.log(rho_0)
    return math.exp(exponent) if exponent < 700.0 else math.inf


def phase2_error_bound(n1: float, n_arms: int, alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return min(1, 2(K-1)/(rho_0 N_1)^alpha), a bound on the probability of a wrong answer.

    Paper, Lemma lm:phase2bound1. Its proof applies Hoeffding's inequality at the time of an
    elimination as if the n_i were fixed, but the n_i depend on the rewards. This function returns
    the paper's bound, and the package does not prove it.
    """
    n1 = validation.not_negative("n1", n1)
    n_arms = integer("n_arms", n_arms, 2)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    if n1 == 0.0:
        return 1.0
    exponent = math.log(2 * (n_arms - 1)) - alpha * (math.log(rho_0) + math.log(n1))
    return math.exp(min(0.0, exponent))


def elimination_bound(
    gap: float, n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_1: float = 2.0
) -> int:
    """Return the acceptances of an arm after which its next recommendation eliminates it.

    The result is the least M for which 2 log(K M (M+1)/delta)/M and 2 alpha log(rho_1 n)/M are both
    below gap^2/16. Then the four conditions of Eq. (4c) hold for all n_i >= M, if the errors of all
    empirical means stay within `iterated_log_band` and the best arm is not eliminated and has at
    least n_i acceptances.
    Here n = N + K(M+1), with N = `phase1_acceptances_bound`, is a bound on n(t): up to this
    recommendation Phase 2 has at most M+1 acceptances of each arm, in both its orders. The bound
    also holds if the user had rewards before the first step.

    `gap` is mu_* - mu_i for this arm i, at least 1e-100.
    """
    quarter = _gap(gap) / 4.0
    n_arms = integer("n_arms", n_arms, 2)
    already = phase1_acceptances_bound(n1, n_arms)
    alpha, log_rho = positive("alpha", alpha), math.log(positive("rho_1", rho_1))
    log_delta = math.log(risk("delta", delta))

    def suffices(m: int) -> bool:
        mean = 2.0 * (math.log(n_arms * m * (m + 1)) - log_delta)
        # The maximum makes logarithm / m decrease in m even if rho_1 is small.
        logarithm = max(1.0, log_rho + math.log(already + n_arms * (m + 1)))
        return max(mean, 2.0 * alpha * logarithm) < quarter * quarter * m

    high = 1
    while not suffices(high):
        high *= 2
        if high == NONE_BELOW:  # only a large alpha leads to such a number
            raise InvalidArgumentError("alpha", alpha, "small enough for a finite bound on n_i")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if suffices(middle):
            high = middle
        else:
            low = middle
    return high


def printed_elimination_bound(
    gap: float,
    n_arms: int,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float = 2.0,
) -> int:
    """Return the least integer above the maximum in Eq. (8c), the printed bound on n_i.

    The bound assumes N_1 = (2K/delta)^(1/alpha)/rho_0. Eq. (8c) is usually large enough but has
    four small errors. Its second line of cases lacks a factor alpha. K n_i stands where K(n_i+1)
    is needed. 2 stands where 2^(1/alpha) is needed, which makes the bound too small for alpha < 1.
    The second logarithm lacks a factor alpha, which makes it too small for alpha > 2.
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
        raise InvalidArgumentError("alpha", alpha, "large enough for a finite bound on n_i")
    return max(0, math.floor(max(needed))) + 1


def phase2_length_bound(
    instance: Instance,
    n1: float,
    delta: float,
    alpha: float = 1.0,
    rho_1: float = 2.0,
    order: Order = "fewest acceptances",
) -> int:
    """Return a bound on the recommendations of Phase 2 that holds with probability 1 - 2 delta.

    The errors of all empirical means stay within `iterated_log_band` with probability 1 - delta. If
    they do and the best arm is not eliminated, every other arm is accepted at most
    `elimination_bound` times. The best arm is accepted until it has one acceptance more than each
    other arm. K - 1 recommendations are rejected.

    The best arm is eliminated with probability at most `phase2_error_bound`, which is delta for the
    N_1 of Lemma lm:phase2bound1 and 1 for N_1 = 0. With a smaller N_1 the bound holds only with
    probability 1 - delta - `phase2_error_bound`.

    Lemma lm:phase2bound2 states a length of order log(1/delta), but misses a case of the order
    "fewest acceptances". An arm with many acceptances in Phase 1 cannot be eliminated until the
    best arm has as many acceptances. This can take N_1 acceptances: if the first rewards of the
    best arm are low, the user may accept another arm throughout Phase 1, with a probability that
    does not fall with delta. With "round robin" the lemma is right, because no arm waits for the
    best arm. Theorem thm:upperbound2 holds for both orders, because its bound includes N_1.

    Args:
        instance: the means, with one best arm.
        n1: N_1, at least 0.
        delta: the allowed probability of a wrong answer, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_1: the upper bound of rho_t, above 0.
        order: Phase 2 recommends the remaining arm with the "fewest acceptances", or the remaining
            arms in turn ("round robin").

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names it.
    """
    waits = choice("order", order, ("fewest acceptances", "round robin")) == "fewest acceptances"
    n_arms = validation.of_class("instance", instance, Instance).n_arms
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
    instance: Instance, delta: float, alpha: float = 1.0, rho_0: float = 1.0, rho_1: float = 2.0
) -> int:
    """Return K - 1 plus the sum of the n_i of Eq. (8c) over all arms (Lemma lm:phase2bound2).

    The gap of the best arm is set to its distance from the second best. `phase2_length_bound`
    covers a case that the lemma misses.
    """
    n_arms = validation.of_class("instance", instance, Instance).n_arms
    needed = (
        printed_elimination_bound(gap, n_arms, delta, alpha, rho_0, rho_1) for gap in instance.gaps
    )
    return sum(needed) + n_arms - 1


def _gap(gap: float) -> float:
    allowed = f"a finite number of at least {SMALLEST_GAP}"
    return validation.real("gap", gap, allowed, lambda number: number >= SMALLEST_GAP)


def lower_bound(
    delta: float, gap: float, *, c: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return max{delta^(-1/alpha + c)/rho_0, 2/gap^2 log(1/(4 delta))}.

    By Theorem thm:lowerbound4delta of the paper, any algorithm with fewer acceptances gives a wrong
    answer with probability at least delta on some instance. The first term of the maximum is proved
    only for delta below a number that depends on K, c and rho. The second term is a simpler form
    of `general_lower_bound`. For K = 2 it is a quarter of `general_lower_bound`.

    Args:
        delta: probability of a wrong answer, in (0, 1).
        gap: the distance of the best mean from the second best, above 0.
        c: a number in (0, 1/2), in the exponent of the first term.
        alpha: the user's willingness to explore, above 0.
        rho_0: the lower bound of rho_t, above 0.

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names it.
    """
    delta, gap = risk("delta", delta), positive("gap", gap)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    validation.real("c", c, "a number in (0, 1/2)", lambda number: 0.0 < number < 0.5)
    exponent = log_lower_bound(delta, alpha, rho_0, c)
    first = math.exp(exponent) if exponent < 700.0 else math.inf
    return max(first, 2.0 / gap / gap * -math.log(4.0 * delta))


def log_lower_bound(delta: float, alpha: float, rho_0: float, c: float) -> float:
    """Return log(delta^(-1/alpha + c)/rho_0). The power itself is not computed: it may overflow."""
    return (c - 1.0 / alpha) * math.log(delta) - math.log(rho_0)


def optimal_weights(instance: Instance) -> tuple[float, ...]:
    """Return w*, the optimal proportions of recommendations if rewards N(mu_i, 1) are observed.

    Let b be the best arm and Delta_i = mu_b - mu_i. The weights add up to 1 and maximise the least
    w_b w_i/(w_b + w_i) Delta_i^2/2 over the other arms i (Garivier and Kaufmann 2016, Lemma 3 and
    Theorem 5). The solution is w_i/w_b = x_i = z/(d_i - z) with d_i = (Delta_i/gap)^2, where z in
    (0, 1/2] makes the sum of all x_i^2 equal to 1. The result has one weight for each arm. A small
    weight may be rounded to 0.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[0]


def characteristic_time(instance: Instance) -> float:
    """Return the characteristic time T* for Gaussian rewards of unit variance (8/gap^2 for K = 2).

    1/T* is the maximum over weights w of the least sum over arms of w_i (mu_i - mu'_i)^2/2, where
    mu' are means with another best arm (paper, proof of Theorem thm:lowerbound4delta).

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[1]


def general_lower_bound(instance: Instance, delta: float) -> float:
    """Return T* log(1/(4 delta)), at least 0, where T* is `characteristic_time`.

    An algorithm that observes rewards and errs with probability at most delta needs at least this
    expected number of rewards (Garivier and Kaufmann 2016, Theorem 1, as quoted in the paper).
    """
    return max(0.0, characteristic_time(instance) * -math.log(4.0 * risk("delta", delta)))


def unique_gap(instance: Instance) -> float:
    """Return an instance's gap; raise an error if it is 0 (tied best arms) or too small."""
    gap = validation.of_class("instance", instance, Instance).gap
    if not gap > 0.0:
        raise InvalidArgumentError("instance", instance, "an instance with a unique best arm")
    if gap < SMALLEST_GAP:
        allowed = f"an instance with a gap of at least {SMALLEST_GAP}"
        raise InvalidArgumentError("instance", instance, allowed)
    return gap


def _solve(instance: Instance) -> tuple[tuple[float, ...], float]:
    """Return `optimal_weights` and `characteristic_time`."""
    from scipy.optimize import brentq

    gap, gaps = unique_gap(instance), instance.gaps
    others = [arm for arm in range(instance.n_arms) if arm != instance.best_arm]
    with np.errstate(over="ignore"):  # an arm at infinite distance has weight 0
        distances = np.array([gaps[arm] / gap for arm in others]) ** 2

    def ratios(z: float) -> np.ndarray:
        return np.asarray(z / (distances - z))

    def excess(z: float) -> float:
        return float(np.sum(ratios(z) ** 2)) - 1.0

    # At z = 1/2 the ratio of the second-best arm is 1. So `excess` is not negative there.
    z = float(brentq(excess, 0.0, 0.5, xtol=1e-16, rtol=8.9e-16))
    total = 1.0 + float(ratios(z).sum())
    weights = dict(zip(others, (ratios(z) / total).tolist(), strict=True))
    best = 1.0 / total
    shares = tuple(weights.get(arm, best) for arm in range(instance.n_arms))
    return shares, 2.0 * total / (z * gap * gap)


#: Default c of the theorem, the middle of its range; 1/(2 alpha) if that is smaller.
DEFAULT_C = 0.25


@dataclass(frozen=True)
class HardPair:
    """The instances nu and nu' in the proof of the lower bound, and quantities of the proof.

    Attributes:
        nu: (1 + epsilon - d, 1, -1/delta, ..., -1/delta); its best arm is arm 2, index 1.
        nu_prime: (1 + epsilon, 1, -1/delta, ..., -1/delta); its best arm is arm 1, index 0.
        delta: the allowed probability of a wrong answer.
        alpha: the user's willingness to explore.
        rho_0: the lower bound of rho_t, above 0.
        rho_1: the upper bound of rho_t.
        n0: N_0. Users with nu and with nu' may respond identically during N_0 acceptances.
        c: the number c in the exponent -1/alpha + c of Theorem thm:lowerbound4delta.
        d: the difference of arm 1's means under nu' and nu.
        epsilon: the distance of the best mean of nu' from its second best.
    """

    nu: Instance
    nu_prime: Instance
    delta: float
    alpha: float
    rho_0: float
    rho_1: float
    n0: int
    c: float
    d: float
    epsilon: float

    @property
    def n_arms(self) -> int:
        """The number of arms K."""
        return self.nu.n_arms

    @property
    def event_a_bound(self) -> float:
        """1/2^(K-1), less than P[A]. In event A, estimates of arms 2 to K stay near the means."""
        return 0.5 ** (self.n_arms - 1)

    @property
    def event_b(self) -> float:
        """P[B] = 1/2. In event B, under nu, the first reward of arm 1 is below its mean."""
        return 0.5

    @property
    def event_b_prime(self) -> float:
        """P[B']. In event B', under nu', the first reward of arm 1 is below its mean under nu."""
        return 0.5 * math.erfc(self.d / math.sqrt(2.0))

    @property
    def event_b_prime_bound(self) -> float:
        """The lower bound (1/d - 1/d^3) exp(-d^2/2) / sqrt(2 pi) on `event_b_prime` (feller1968).

        d is the attribute `d`, the difference of arm 1's means under nu' and nu.
        """
        density = math.exp(-0.5 * self.d**2) / math.sqrt(2.0 * math.pi)
        return (1.0 / self.d - 1.0 / self.d**3) * density

    @property
    def overlap_bound(self) -> float:
        """A lower bound on the probability that a user has the same history under nu' as under nu.

        It requires the conditions eq:161 and eq:162 of `proof_conditions`.
        """
        return self.event_a_bound * self.event_b_prime


def hard_pair(
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    rho_1: float | None = None,
    n_arms: int = 2,
    n0: int | None = None,
    *,
    c: float | None = None,
    gap: float | None = None,
) -> HardPair:
    """Return the pair (nu, nu') of the proof of Theorem thm:lowerbound4delta.

    `HardPair` explains N_0, d and epsilon. With M = N_0 - K + 1 and L = 2 alpha log(rho_1 N_0),
    d = sqrt(L) (1 + 2/sqrt(M)) + 2 sqrt(log(2M)/M), epsilon = sqrt(2 alpha log(rho_0 N_0)/M).

    Args:
        delta: the allowed probability of a wrong answer, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the lower bound of rho_t, above 0.
        rho_1: the upper bound of rho_t, at least rho_0; None is rho_0, for a constant rho_t.
        n_arms: K, at least 2.
        n0: N_0, at least K and above 1/rho_0; None is delta^(-1/alpha + c)/rho_0, rounded down.
        c: the number c in the default N_0, in (0, 1/2) and below 1/alpha, so that N_0 grows as
            delta falls. By default c is the smaller of 1/4 and 1/(2 alpha).
        gap: a number above 0 that replaces epsilon, the gap of nu'. It does not change nu, so d
            changes by the same amount as epsilon.

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names it.
    """
    delta, alpha = risk("delta", delta), positive("alpha", alpha)
    rho_0 = positive("rho_0", rho_0)
    rho_1 = rho_0 if rho_1 is None else positive("rho_1", rho_1)
    if rho_1 < rho_0:
        raise InvalidArgumentError("rho_1", rho_1, f"at least rho_0 = {rho_0:g}")
    n_arms = integer("n_arms", n_arms, 2)
    c = exponent_loss(c, alpha)
    if n0 is not None:
        n0 = integer("n0", n0, n_arms)
    else:
        exponent = log_lower_bound(delta, alpha, rho_0, c)
        if exponent > 700.0:
            raise InvalidArgumentError("delta", delta, "large enough for a finite N_0")
        # Rounding must not lower a power that is an integer.
        n0 = math.floor(math.exp(exponent) * (1.0 + 1e-12))
        if n0 < n_arms:
            allowed = f"so small that N_0 (here {n0}) is at least K = {n_arms} (or pass n0)"
            raise InvalidArgumentError("delta", delta, allowed)
    if rho_0 * n0 <= 1.0:  # the proof takes square roots of log(rho_0 N_0)
        raise InvalidArgumentError("rho_0", rho_0, f"above 1/N_0, with N_0 = {n0}")

    m = n0 - n_arms + 1
    epsilon = math.sqrt(2.0 * alpha * math.log(rho_0 * n0) / m)
    spread = math.sqrt(2.0 * alpha * math.log(rho_1 * n0))
    below = spread * (1.0 + 2.0 / math.sqrt(m)) + 2.0 * math.sqrt(math.log(2 * m) / m) - epsilon
    if gap is not None:
        epsilon = checked_gap(gap)
    if below > LARGEST_MEAN:
        allowed = f"small enough for means of at most {LARGEST_MEAN:g}"
        raise InvalidArgumentError("alpha", alpha, allowed)
    if n_arms > 2 and 1.0 / delta > LARGEST_MEAN:
        allowed = f"at least {1.0 / LARGEST_MEAN:g} with more than two arms"
        raise InvalidArgumentError("delta", delta, allowed)
    hopeless = (-1.0 / delta,) * (n_arms - 2)
    nu = Instance((1.0 - below, 1.0, *hopeless), 1)
    nu_prime = Instance((1.0 + epsilon, 1.0, *hopeless), 0)
    users = (delta, alpha, rho_0, rho_1)
    return HardPair(nu, nu_prime, *users, n0, c, d=below + epsilon, epsilon=epsilon)


def exponent_loss(c: float | None, alpha: float) -> float:
    """Validate c, the number in the exponent -1/alpha + c, or return the default if it is None."""
    if c is None:
        return min(DEFAULT_C, 0.5 / alpha)
    allowed = "a number in (0, 1/2), below 1/alpha"
    return validation.real("c", c, allowed, lambda number: 0.0 < number < min(0.5, 1.0 / alpha))


#: f(n) is computed for every n up to this, and for a thousand n beyond, where it grows.
EVERY_N = 2**17


class Condition(NamedTuple):
    """An inequality, left < right, that delta must satisfy for the proof of the lower bound.

    Attributes:
        where: the label of the equation that needs the inequality.
        says: the inequality as text.
        left: its left-hand side.
        right: its right-hand side.
        holds: whether left < right.
    """

    where: str
    says: str
    left: float
    right: float
    holds: bool


def proof_conditions(pair: HardPair) -> tuple[Condition, ...]:
    """Return every inequality that the proof of the lower bound requires, and whether it holds.

    The proof requires a "sufficiently small" delta. For K = 2, alpha = rho = 1 and c = 1/4 all
    inequalities hold for delta below about 5e-13 (N_0 = 1.7e9). The inequalities are sufficient,
    not necessary. The first six imply the seventh, 2^K delta < `event_b_prime`. The proof states
    three of the first six, and uses sqrt(2) <= d and d <= 2 sqrt(L) without stating them. The last
    two make the histories under nu and nu' equal (only more than two arms need eq:161).
    """
    validation.of_class("pair", pair, HardPair)
    k, n0, alpha, d = pair.n_arms, pair.n0, pair.alpha, pair.d
    m = n0 - k + 1
    spread = math.sqrt(2.0 * alpha * math.log(pair.rho_1 * n0))
    excess = d - spread
    quarter = n0**-0.25
    theorem = log_lower_bound(pair.delta, alpha, pair.rho_0, pair.c)
    ratio = (pair.rho_0 / pair.rho_1) ** alpha
    factor = ratio * math.exp(-1.5) * pair.delta ** (-alpha * pair.c)
    factor /= 8.0 * math.sqrt(math.pi) * spread / math.sqrt(2.0)
    wide = 4.0 * math.sqrt(math.log(2.0 * n0)) + 2.0 * spread
    # `widths` holds f(n) for K <= n <= N_0: after n acceptances the user rejects arm 1 if its first
    # reward is f(n) below the mean of arm 2 (paper, Eq. 162, with rho_1 in place of rho_t).
    n = np.arange(k, min(n0 - 1, EVERY_N) + 1, dtype=float)
    if n0 - 1 > EVERY_N:
        n = np.append(n, np.geomspace(EVERY_N, float(n0 - 1), 1000))
    n = np.append(n, float(n0))
    root = np.sqrt(np.maximum(0.0, 2.0 * alpha * np.log(pair.rho_1 * n)))
    spans = n - k + 1
    widths = root * (1.0 + 1.0 / np.sqrt(spans)) + 2.0 * np.sqrt(np.log(2.0 * spans) / spans)
    widest, widest_earlier = float(widths[-1]), float(widths[:-1].max(initial=-math.inf))
    rows = [
        ("eq:147", "log N_0 <= log(delta^(-1/alpha+c)/rho_0)", math.log(n0), theorem + 1e-9),
        ("eq:146", "d - sqrt(L) < N_0^(-1/4)", excess, quarter),
        ("eq:147", "N_0^(-1/4) sqrt(L) < 1", quarter * spread, 1.0),
        ("eq:147", "sqrt(2) <= d", math.sqrt(2.0), d),
        ("eq:148", "d <= 2 sqrt(L)", d, 2.0 * spread),
        ("eq:148", "2^K < the factor before delta", 2.0**k, factor),
        ("events", "2^K delta < P[B']", 2.0**k * pair.delta, pair.event_b_prime),
    ]
    if k > 2:
        bounds = "4 sqrt(log 2N_0) + 2 sqrt(L) < 1/delta + 1"
        rows.append(("eq:161", bounds, wide, 1.0 / pair.delta + 1.0))
    if m > 1:
        rows.append(("eq:162", "f(n) < f(N_0) for K <= n < N_0", widest_earlier, widest))
    return tuple(
        Condition(where, says, left, right, left < right) for where, says, left, right in rows
    )

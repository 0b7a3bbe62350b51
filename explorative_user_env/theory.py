"""What the paper proves, as numbers with explicit constants.

The upper bounds are of BAIR with one rejection an elimination (m = 1), and of a user without click
noise, whose rewards are Gaussian with unit variance and who has had at most one private draw of
each arm. Where the printed constants are not quite enough, the bound here is derived anew and the
printed one stands beside it under a name of its own.

The parts of the upper bound take the arguments of `upper_bound`: `delta`, `alpha`, `rho_0`,
`rho_1`, `n1` (a number of at least 0), `n_arms` (K, at least 2) and `instance`. A value out of
range raises `InvalidArgumentError`, which names it.
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

#: Below this the bounds would leave the range of a float.
SMALLEST_GAP = 1e-100

#: Which N_1: that of the lemma, or the one that its proof needs.
Form = Literal["paper", "proof"]

#: In which order Phase 2 recommends the arms that are left: as printed, or as released.
Order = Literal["fewest acceptances", "round robin"]

#: A bound that is as large is none: it is no longer a float.
NONE_BELOW = 2**1023


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
    n1: float | Form = "paper",
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
    """Return the sum of the printed parts: N_1, Lemma lm:algo4 and Lemma lm:phase2bound2.

    Not a valid bound on every count, for the reasons given at `printed_phase1_rejections_bound`
    and `phase2_length_bound`; `upper_bound` is.
    """
    n_arms = validation.of_class("instance", instance, Instance).n_arms
    needed = phase1_acceptances_needed(n_arms, delta, alpha, rho_0)
    return UpperBound(
        needed,
        printed_phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        printed_phase2_length_bound(instance, delta, alpha, rho_0, rho_1),
    )


def iterated_log_band(n: Any, delta: float) -> Any:
    """Return sqrt(2/n log(n(n+1)/delta)), a band that holds at every n at once.

    With probability 1 - delta the empirical mean of n rewards is within it of the true mean for
    all n (paper, Lemma lm:iteratedlog). The sum over n is delta for Gaussian rewards, whose
    P(|Z| > x) is at most exp(-x^2/2); for all sub-Gaussian rewards that tail, and so the
    probability of leaving the band, may be twice as large, which the lemma passes over. n is at
    least 1, or an array of such numbers of any shape.
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
    gamma = validation.not_negative("gamma", gamma)
    return 2.0 * math.sqrt(gamma / integer("acceptances", acceptances, 1))


def phase1_acceptances_needed(
    n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0, form: Form = "paper"
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
    n1 = validation.not_negative("n1", n1)
    return max(1, math.ceil(n1)) + integer("n_arms", n_arms, 2) - 1


def phase1_rounds_bound(n1: float, n_arms: int, delta: float) -> float:
    """Return sqrt(2 N_1 log(2K/delta)), a bound on the complete rounds with Gamma at least 1.

    With probability 1 - delta (paper, proof of Lemma lm:algo4): every such round lowers the largest
    empirical mean by 2/sqrt(N_1), and while all means keep to their bands it cannot fall by more
    than 2 sqrt(2 log(2K/delta)).
    """
    n1 = validation.not_negative("n1", n1)
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


def phase2_error_bound(n1: float, n_arms: int, alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return min(1, 2(K-1)/(rho_0 N_1)^alpha), a bound on the probability of a wrong answer.

    Paper, Lemma lm:phase2bound1. Its proof takes Hoeffding's inequality at the time of an
    elimination as if the n_i were fixed there, though they depend on the rewards; the bound
    is what the paper states, not more.
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

    high = 1
    while not suffices(high):
        high *= 2
        if high == NONE_BELOW:  # the rest is of moderate size
            raise InvalidArgumentError("alpha", alpha, "small enough for a finite bound")
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
    """Return the sum over all arms of Eq. (8c)'s n_i, and K - 1 (paper, Lemma lm:phase2bound2).

    Delta_i of the best arm is Delta_1. See `phase2_length_bound` for the omissions of the lemma.
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
    """Return max{delta^(-1/alpha + c)/rho_0, 2/Delta_1^2 log(1/(4 delta))}.

    Paper, Theorem thm:lowerbound4delta: with fewer acceptances than this any algorithm errs with
    probability at least delta on some instance. The first part is proved for small delta only, how
    small depending on K, c and rho; the second is `general_lower_bound` made simpler, a quarter of
    it for K = 2.

    Args:
        delta: probability of a wrong answer, in (0, 1).
        gap: Delta_1, above 0.
        c: any number in (0, 1/2).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    delta, gap = risk("delta", delta), positive("gap", gap)
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    validation.real("c", c, "a number in (0, 1/2)", lambda number: 0.0 < number < 0.5)
    exponent = log_lower_bound(delta, alpha, rho_0, c)
    secret = math.exp(exponent) if exponent < 700.0 else math.inf
    return max(secret, 2.0 / gap / gap * -math.log(4.0 * delta))


def log_lower_bound(delta: float, alpha: float, rho_0: float, c: float) -> float:
    """Return the logarithm of delta^(-1/alpha + c)/rho_0, which may be too large for a float."""
    return (c - 1.0 / alpha) * math.log(delta) - math.log(rho_0)


def optimal_weights(instance: Instance) -> tuple[float, ...]:
    """Return w*, the shares of recommendations that tell the best arm apart soonest.

    Of best-arm identification with observed rewards from N(mu_i, 1): the maximum over the simplex
    of min over i of w_* w_i/(w_* + w_i) Delta_i^2/2 (Garivier and Kaufmann 2016, Lemma 3 and
    Theorem 5). At it w_i/w_* = x_i = z/(d_i - z) with d_i = (Delta_i/Delta_1)^2, where z solves
    sum of x_i^2 = 1 on (0, 1/2]. There is one weight an arm, above 0 but for rounding.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[0]


def characteristic_time(instance: Instance) -> float:
    """Return T*(nu), with 1/T* = sup over w of inf over alternatives of sum of w_i D(mu_i, mu'_i).

    For Gaussian rewards with unit variance (paper, proof of Theorem thm:lowerbound4delta). For
    K = 2 it is 8/Delta^2.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[1]


def general_lower_bound(instance: Instance, delta: float) -> float:
    """Return T*(nu) log(1/(4 delta)), at least 0.

    The least expected number of rewards of an algorithm that sees them and errs with probability
    at most delta (Garivier and Kaufmann 2016, Theorem 1, as the paper quotes it).
    """
    return max(0.0, characteristic_time(instance) * -math.log(4.0 * risk("delta", delta)))


def unique_gap(instance: Instance) -> float:
    """Return the gap of an instance with a unique best arm, at least `SMALLEST_GAP`."""
    gap = validation.of_class("instance", instance, Instance).gap
    if not gap > 0.0:
        raise InvalidArgumentError("instance", instance, "one with a unique best arm")
    if gap < SMALLEST_GAP:
        allowed = f"one with a gap of {SMALLEST_GAP} or more"
        raise InvalidArgumentError("instance", instance, allowed)
    return gap


def _solve(instance: Instance) -> tuple[tuple[float, ...], float]:
    """Return the optimal weights and T*."""
    from scipy.optimize import brentq

    gap, gaps = unique_gap(instance), instance.gaps
    others = [arm for arm in range(instance.n_arms) if arm != instance.best_arm]
    with np.errstate(over="ignore"):  # an arm infinitely far has weight 0
        distances = np.array([gaps[arm] / gap for arm in others]) ** 2

    def ratios(z: float) -> np.ndarray:
        return np.asarray(z / (distances - z))

    def excess(z: float) -> float:
        return float(np.sum(ratios(z) ** 2)) - 1.0

    # At z = 1/2 the nearest arm's x_i is 1 exactly, so the sum is at least 1 there.
    z = float(brentq(excess, 0.0, 0.5, xtol=1e-16, rtol=8.9e-16))
    total = 1.0 + float(ratios(z).sum())
    weights = dict(zip(others, (ratios(z) / total).tolist(), strict=True))
    best = 1.0 / total
    shares = tuple(weights.get(arm, best) for arm in range(instance.n_arms))
    return shares, 2.0 * total / (z * gap * gap)


#: c of the theorem where none is given, in the middle of what it allows; 1/(2 alpha) if less.
DEFAULT_C = 0.25


@dataclass(frozen=True)
class HardPair:
    """The instances nu and nu', with the numbers of the proof.

    Attributes:
        nu: (1 + epsilon - d, 1, -1/delta, ..., -1/delta); its best arm is arm 2, index 1.
        nu_prime: (1 + epsilon, 1, -1/delta, ..., -1/delta); its best arm is arm 1, index 0.
        delta: the allowed probability of a wrong answer.
        alpha: the user's willingness to explore.
        rho_0: the least value of her rho_t, above 0.
        rho_1: the largest.
        n0: N_0, the acceptances during which the two are alike.
        c: the theorem's c.
        d: how much better arm 1 is under nu' than under nu.
        epsilon: Delta_1 of nu'.
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
        """K."""
        return self.nu.n_arms

    @property
    def event_a_bound(self) -> float:
        """1/2^(K-1) < P[A]: the means of all arms but arm 1 stay near the truth."""
        return 0.5 ** (self.n_arms - 1)

    @property
    def event_b(self) -> float:
        """P[B] = 1/2: under nu, arm 1's first reward is below its mean 1 + epsilon - d."""
        return 0.5

    @property
    def event_b_prime(self) -> float:
        """P[B'] = Phi(-d): under nu', arm 1's first reward is below the same 1 + epsilon - d."""
        return 0.5 * math.erfc(self.d / math.sqrt(2.0))

    @property
    def event_b_prime_bound(self) -> float:
        """(1/d - 1/d^3) exp(-d^2/2) / sqrt(2 pi) <= P[B'] (paper, Eq. feller1968)."""
        density = math.exp(-0.5 * self.d**2) / math.sqrt(2.0 * math.pi)
        return (1.0 / self.d - 1.0 / self.d**3) * density

    @property
    def overlap_bound(self) -> float:
        """P[B']/2^(K-1): below P[A and B'], the chance under nu' of the history that nu has too.

        It holds if the conditions eq:161 and eq:162 of `proof_conditions` do.
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

    With M = N_0 - K + 1 and L = 2 alpha log(rho_1 N_0),
    d = sqrt(L) (1 + 2/sqrt(M)) + 2 sqrt(log(2M)/M), epsilon = sqrt(2 alpha log(rho_0 N_0)/M).

    Args:
        delta: the allowed probability of a wrong answer, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of her rho_t, above 0.
        rho_1: the largest, at least rho_0; None is rho_0, for a constant rho_t.
        n_arms: K, at least 2.
        n0: N_0, at least K and above 1/rho_0; None is delta^(-1/alpha + c)/rho_0, rounded down.
        c: c of that N_0, in (0, 1/2) and below 1/alpha, or N_0 would not grow; None is 1/4, or
            1/(2 alpha) if that is less.
        gap: Delta_1 > 0 of nu' in place of the proof's epsilon; nu stays as it is, so d grows by as
            much as epsilon does.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    delta, alpha = risk("delta", delta), positive("alpha", alpha)
    rho_0 = positive("rho_0", rho_0)
    rho_1 = rho_0 if rho_1 is None else positive("rho_1", rho_1)
    if rho_1 < rho_0:
        raise InvalidArgumentError("rho_1", rho_1, f"at least rho_0, {rho_0:g}")
    n_arms = integer("n_arms", n_arms, 2)
    c = exponent_loss(c, alpha)
    if n0 is not None:
        n0 = integer("n0", n0, n_arms)
    else:
        exponent = log_lower_bound(delta, alpha, rho_0, c)
        if exponent > 700.0:
            raise InvalidArgumentError("delta", delta, "large enough for a finite N_0")
        # A power that is whole but for rounding is that whole number.
        n0 = math.floor(math.exp(exponent) * (1.0 + 1e-12))
        if n0 < n_arms:
            allowed = f"small enough for N_0 = {n0} to be at least K = {n_arms} (or give n0)"
            raise InvalidArgumentError("delta", delta, allowed)
    if rho_0 * n0 <= 1.0:  # the logarithms of the proof are above 0
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
    """Return the theorem's c, as given or by default.

    Raises:
        InvalidArgumentError: if it is not in (0, 1/2) and below 1/alpha.
    """
    if c is None:
        return min(DEFAULT_C, 0.5 / alpha)
    allowed = "a number in (0, 1/2), below 1/alpha"
    return validation.real("c", c, allowed, lambda number: 0.0 < number < min(0.5, 1.0 / alpha))


#: Up to here f(n) is looked at for every n, beyond, where it grows, at a thousand.
EVERY_N = 2**17


class Condition(NamedTuple):
    """Something that the proof takes for granted of a small enough delta: left < right.

    Attributes:
        where: the equation that needs it, by its label in the paper.
        says: the inequality.
        left: its left-hand side.
        right: its right-hand side.
        holds: whether it is so.
    """

    where: str
    says: str
    left: float
    right: float
    holds: bool


def proof_conditions(pair: HardPair) -> tuple[Condition, ...]:
    """Return every inequality that the proof needs of its numbers, and whether it holds.

    The proof chooses delta "sufficiently small", which can be absurdly small: for K = 2,
    alpha = rho = 1 and c = 1/4 all of them hold from about delta = 5e-13, N_0 = 1.7e9, on. They
    are sufficient, not necessary. The first six are steps of P[B'] > 2^K delta (three are named
    there, N_0^(-1/2) < 1 being true always; d >= sqrt(2) and d <= 2 sqrt(L) are used unsaid), then
    comes what they are for; the last two make the histories one (eq:161 for hopeless arms only).
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
    # f(n) is how far below the mean of arm 2 a first reward must be to be rejected at n
    # acceptances (paper, Eq. 162, with rho_1 as rho_t), for K <= n <= N_0.
    n = np.arange(k, min(n0 - 1, EVERY_N) + 1, dtype=float)
    if n0 - 1 > EVERY_N:
        n = np.append(n, np.geomspace(EVERY_N, float(n0 - 1), 1000))
    n = np.append(n, float(n0))
    root = np.sqrt(np.maximum(0.0, 2.0 * alpha * np.log(pair.rho_1 * n)))
    spans = n - k + 1
    widths = root * (1.0 + 1.0 / np.sqrt(spans)) + 2.0 * np.sqrt(np.log(2.0 * spans) / spans)
    widest, widest_earlier = float(widths[-1]), float(widths[:-1].max(initial=-math.inf))
    found = [
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
        found.append(("eq:161", bounds, wide, 1.0 / pair.delta + 1.0))
    if m > 1:
        found.append(("eq:162", "f(n) < f(N_0) for K <= n < N_0", widest_earlier, widest))
    return tuple(
        Condition(where, says, left, right, left < right) for where, says, left, right in found
    )

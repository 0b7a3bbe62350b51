"""What the lower bound's proof takes for granted of its numbers, inequality by inequality."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from explorative_user_env.users.instances import LARGEST_MEAN, Instance, checked_gap
from explorative_user_env.validation import (
    InvalidArgumentError,
    integer,
    of_class,
    positive,
    real,
    risk,
)

#: Below this the bounds would leave the range of a float.
SMALLEST_GAP = 1e-100


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
    if not 0.0 < real("c", c, "a number in (0, 1/2)") < 0.5:
        raise InvalidArgumentError("c", c, "a number in (0, 1/2)")
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
    sum of x_i^2 = 1 on (0, 1/2].

    Args:
        instance: the means, with one best arm.

    Returns:
        One weight an arm, above 0 but for rounding; they sum to 1.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[0]


def characteristic_time(instance: Instance) -> float:
    """Return T*(nu), with 1/T* = sup over w of inf over alternatives of sum of w_i D(mu_i, mu'_i).

    For Gaussian rewards with unit variance (paper, proof of Theorem thm:lowerbound4delta). For
    K = 2 it is 8/Delta^2.

    Args:
        instance: the means, with one best arm.

    Raises:
        InvalidArgumentError: if there is more than one best arm.
    """
    return _solve(instance)[1]


def general_lower_bound(instance: Instance, delta: float) -> float:
    """Return T*(nu) log(1/(4 delta)), at least 0.

    The least expected number of rewards of an algorithm that sees them and errs with probability
    at most delta (Garivier and Kaufmann 2016, Theorem 1, as the paper quotes it).

    Args:
        instance: the means, with one best arm.
        delta: probability of a wrong answer, in (0, 1).
    """
    return max(0.0, characteristic_time(instance) * -math.log(4.0 * risk("delta", delta)))


def unique_gap(instance: Instance) -> float:
    """Return the gap of an instance with a unique best arm.

    Args:
        instance: the means.

    Raises:
        InvalidArgumentError: if several arms are the best, or the gap is below `SMALLEST_GAP`.
    """
    gap = of_class("instance", instance, Instance).gap
    if not gap > 0.0:
        raise InvalidArgumentError("instance", instance, "one with a unique best arm")
    if gap < SMALLEST_GAP:
        raise InvalidArgumentError(
            "instance", instance, f"one with a gap of {SMALLEST_GAP} or more"
        )
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
    return (
        tuple(weights.get(arm, best) for arm in range(instance.n_arms)),
        2.0 * total / (z * gap * gap),
    )


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

        It holds if the conditions eq:161 and eq:162 of `proof_conditions.proof_conditions` do.
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
    n0 = _acceptances(n0, n_arms, delta, alpha, rho_0, c)

    m = n0 - n_arms + 1
    epsilon = math.sqrt(2.0 * alpha * math.log(rho_0 * n0) / m)
    spread = math.sqrt(2.0 * alpha * math.log(rho_1 * n0))
    below = spread * (1.0 + 2.0 / math.sqrt(m)) + 2.0 * math.sqrt(math.log(2 * m) / m) - epsilon
    if gap is not None:
        epsilon = checked_gap(gap)
    if below > LARGEST_MEAN:
        raise InvalidArgumentError(
            "alpha", alpha, f"small enough for means of at most {LARGEST_MEAN:g}"
        )
    if n_arms > 2 and 1.0 / delta > LARGEST_MEAN:
        allowed = f"at least {1.0 / LARGEST_MEAN:g} with more than two arms"
        raise InvalidArgumentError("delta", delta, allowed)
    hopeless = (-1.0 / delta,) * (n_arms - 2)
    return HardPair(
        nu=Instance((1.0 - below, 1.0, *hopeless), 1),
        nu_prime=Instance((1.0 + epsilon, 1.0, *hopeless), 0),
        delta=delta,
        alpha=alpha,
        rho_0=rho_0,
        rho_1=rho_1,
        n0=n0,
        c=c,
        d=below + epsilon,
        epsilon=epsilon,
    )


def exponent_loss(c: float | None, alpha: float) -> float:
    """Return the theorem's c, as given or by default.

    Raises:
        InvalidArgumentError: if it is not in (0, 1/2) and below 1/alpha.
    """
    if c is None:
        return min(DEFAULT_C, 0.5 / alpha)
    allowed = "a number in (0, 1/2), below 1/alpha"
    if not 0.0 < real("c", c, allowed) < min(0.5, 1.0 / alpha):
        raise InvalidArgumentError("c", c, allowed)
    return c


def _acceptances(
    n0: int | None, n_arms: int, delta: float, alpha: float, rho_0: float, c: float
) -> int:
    """Return N_0 as given or as the theorem has it, if the proof's logarithms are above 0."""
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
    if rho_0 * n0 <= 1.0:
        raise InvalidArgumentError("rho_0", rho_0, f"above 1/N_0, with N_0 = {n0}")
    return n0


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
    of_class("pair", pair, HardPair)
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
    widest, widest_earlier = _widths(pair)
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


def _widths(pair: HardPair) -> tuple[float, float]:
    """Return f(N_0), and the largest f(n) for K <= n < N_0 (paper, Eq. 162, with rho_1 as rho_t).

    f(n) is how far below the mean of arm 2 a first reward must be to be rejected at n acceptances.
    """
    k, last = pair.n_arms, pair.n0 - 1
    n = np.arange(k, min(last, EVERY_N) + 1, dtype=float)
    if last > EVERY_N:
        n = np.append(n, np.geomspace(EVERY_N, float(last), 1000))
    n = np.append(n, float(pair.n0))
    m = n - k + 1
    root = np.sqrt(np.maximum(0.0, 2.0 * pair.alpha * np.log(pair.rho_1 * n)))
    widths = root * (1.0 + 1.0 / np.sqrt(m)) + 2.0 * np.sqrt(np.log(2.0 * m) / m)
    return float(widths[-1]), float(widths[:-1].max(initial=-math.inf))

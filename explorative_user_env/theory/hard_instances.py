"""Two users that no agent can tell apart soon: the pair of the lower bound's proof.

Paper, Theorem thm:lowerbound4delta. The two instances differ in arm 1 (index 0) alone, which is the
worst arm but for the hopeless ones in nu and the best arm in nu'. Its first reward may be so bad
that the user takes the arm for a bad one under either, and while she has few acceptances in all her
intervals are too narrow to let it in again. Then every response is the same: arm 2 (index 1) is
always accepted, every other arm once. Whatever an agent makes of that history, it is wrong under
nu or under nu'.

Two things the proof leaves unsaid:

- Arm 2 must be accepted before any other arm is recommended again: with nothing to compare it to,
  an arm is accepted for ever. For an agent that returns to one arm first, call that one arm 2.
- The proof's epsilon shrinks like sqrt(log(N_0)/N_0), and with such a gap even an algorithm that
  sees all rewards needs about N_0 of them. A fixed gap (`gap`) keeps nu as it is, moves only the
  best arm of nu', and the same argument holds; that is the pair that shows what responses cost.
"""

import math
from dataclasses import dataclass

from explorative_user_env.old_names import renamed
from explorative_user_env.theory.lower import log_lower_bound
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.sizes import LARGEST_MEAN, checked_gap
from explorative_user_env.validation import (
    InvalidArgumentError,
    integer,
    positive,
    real,
    risk,
)

DEFAULT_C = 0.25
"""c of the theorem where none is given, in the middle of what it allows; 1/(2 alpha) if less."""


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


@renamed(rho_low="rho_0", rho_high="rho_1")
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

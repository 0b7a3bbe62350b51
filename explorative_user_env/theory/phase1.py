"""Phase 1: how many acceptances it needs, and how many rejections they cost (paper, appendix)."""

import math
from typing import Literal

from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    integer,
    not_negative,
    positive,
    risk,
)


def phase1_acceptances_needed(
    n_arms: int,
    delta: float,
    alpha: float = 1.0,
    rho_0: float = 1.0,
    form: Literal["paper", "proof"] = "paper",
) -> float:
    """Return N_1, the acceptances after which an elimination is safe.

    (2K/delta)^(1/alpha)/rho_0 (paper, Lemma lm:phase2bound1), or with 2(K-1) in place of 2K, which
    is what its proof needs.

    Args:
        n_arms: K, at least 2.
        delta: allowed probability of a wrong answer, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
        form: "paper" or "proof".

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
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

    Args:
        n1: N_1, at least 0.
        n_arms: K, at least 2.
    """
    n1 = not_negative("n1", n1)
    return max(1, math.ceil(n1)) + integer("n_arms", n_arms, 2) - 1


def phase1_rounds_bound(n1: float, n_arms: int, delta: float) -> float:
    """Return sqrt(2 N_1 log(2K/delta)), a bound on the complete rounds with Gamma at least 1.

    With probability 1 - delta (paper, proof of Lemma lm:algo4): every such round lowers the largest
    empirical mean by 2/sqrt(N_1), and while all means keep to their bands it cannot fall by more
    than 2 sqrt(2 log(2K/delta)).

    Args:
        n1: N_1, at least 0.
        n_arms: K, at least 2.
        delta: the allowed probability, in (0, 1).
    """
    n1 = not_negative("n1", n1)
    logarithm = math.log(2 * integer("n_arms", n_arms, 2)) - math.log(risk("delta", delta))
    return math.sqrt(2.0 * n1 * logarithm)


def early_rounds_bound(alpha: float = 1.0, rho_0: float = 1.0) -> float:
    """Return a bound on the complete rounds that begin before Gamma is sure to be at least 1.

    Gamma >= 1 once n(t) >= e^(1/(2 alpha))/rho_0. The first sweep and every round bring at least
    one acceptance, because the arm with the largest empirical mean is not rejected while no mean
    moves and Gamma > 0. Infinite where it would leave the range of a float (alpha below 0.0007).

    Args:
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
    """
    settled = _settled_acceptances(alpha, rho_0)
    return settled if math.isinf(settled) else max(0, math.ceil(settled) - 1)


def phase1_rejections_bound(
    n1: float, n_arms: int, delta: float, alpha: float = 1.0, rho_0: float = 1.0
) -> float:
    """Return a bound on the rejections of Phase 1, with probability 1 - delta.

    K in the first sweep, K in each of the `early_rounds_bound` and `phase1_rounds_bound` complete
    rounds, and K - 1 in the round that N_1 cuts short, which the printed count leaves out.

    Args:
        n1: N_1, at least 0.
        n_arms: K, at least 2.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
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

    Args:
        n1: N_1, at least 0.
        n_arms: K, at least 2.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
    """
    rounds = phase1_rounds_bound(n1, n_arms, delta)
    return n_arms * (max(1.0, _settled_acceptances(alpha, rho_0)) + rounds)


def _settled_acceptances(alpha: float, rho_0: float) -> float:
    """Return e^(1/(2 alpha))/rho_0, the n(t) from which on Gamma >= 1."""
    alpha, rho_0 = positive("alpha", alpha), positive("rho_0", rho_0)
    exponent = 0.5 / alpha - math.log(rho_0)
    return math.exp(exponent) if exponent < 700.0 else math.inf

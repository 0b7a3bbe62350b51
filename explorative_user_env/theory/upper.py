"""The upper bound on all recommendations (paper, Theorem thm:upperbound2), from its parts."""

from typing import Literal, NamedTuple

from explorative_user_env.agents.bair_thresholds import phase1_acceptances
from explorative_user_env.theory.phase1 import (
    phase1_acceptances_bound,
    phase1_acceptances_needed,
    phase1_rejections_bound,
    printed_phase1_rejections_bound,
)
from explorative_user_env.theory.phase2 import (
    Order,
    phase2_length_bound,
    printed_phase2_length_bound,
)
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import of_class, positive, risk


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

    Args:
        instance: the means, with one best arm.
        delta: the allowed probability, in (0, 1).
        alpha: the user's willingness to explore, above 0.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest, above 0.
    """
    n_arms = of_class("instance", instance, Instance).n_arms
    needed = phase1_acceptances_needed(n_arms, delta, alpha, rho_0)
    return UpperBound(
        needed,
        printed_phase1_rejections_bound(needed, n_arms, delta, alpha, rho_0),
        printed_phase2_length_bound(instance, delta, alpha, rho_0, rho_1),
    )

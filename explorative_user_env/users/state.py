"""The numbers that make a user, and what she knows: plain records of lists."""

from dataclasses import dataclass
from math import inf
from numbers import Integral
from typing import Any

from explorative_user_env.tasks import STEP_CAP
from explorative_user_env.users.number_tables import number_tables
from explorative_user_env.users.reward_laws import RewardLaw
from explorative_user_env.validation import InvalidArgumentError, integer

UNSEEN = inf
"""1/sqrt(n_i) of an arm without a reward; such an arm is recognised by n_i = 0, never by this."""

SHORT_TABLES = 2**13
"""Enough for the first four thousand steps of a user in plain Python."""

MOST_ARMS = STEP_CAP
"""K at most: no run tries more, and a user of ten million takes 1.6 GB and seconds to begin."""


def number_of_arms(n_arms: Any) -> int:
    """Return K as an int.

    Raises:
        InvalidArgumentError: if it is none of 2..`MOST_ARMS`.
    """
    if isinstance(n_arms, Integral) and int(n_arms) > MOST_ARMS:
        allowed = f"at most {MOST_ARMS}, as many as a run has steps"
        raise InvalidArgumentError("n_arms", n_arms, allowed)
    return integer("n_arms", n_arms, 2)


@dataclass(frozen=True, slots=True)
class User:
    """The numbers that make a kind of user; fixed while she lives.

    Attributes:
        n_arms: K, in 2..1000000.
        alpha: how willing she is to explore, above 0; scales Gamma.
        noise: p in [0, 1], the probability that a decision is a coin flip (click noise).
        reward_law: the law of her rewards, its place in `reward_laws.REWARD_LAWS`; 0 is N(mu, 1).
        own_law: the law itself, which draws where that place is `reward_laws.OWN`.
        least_mean: the least mean that law can have, -inf if any.
        largest_mean: the largest, inf if any.
        rejects_ties: whether lcb_j = ucb_i is enough to reject i (>=) or not (>).
        private_draws: rewards of every arm she has seen before the first recommendation. They are
            in n_i and in the mean, not in n(t).
        least_n: n(t) counts as at least this much in Gamma, 0 or 1.
        refreshes_on_rejection: whether rho_t follows every response or acceptances only.
        rho_at_start: rho_t before the first response.
        rho_0: the declared least value of rho_t.
        rho_1: the declared largest.
        rho_parameters: numbers for the rule of rho_t.
        counted: whether rho_t = 1 + (n(t) + prior_acceptances)/(t + prior_interactions), so that
            log(rho_t n(t)) is a sum of logarithms of whole numbers, for which there are tables.
        prior_acceptances: a whole number, at most prior_interactions.
        prior_interactions: a whole number.
    """

    n_arms: int
    alpha: float
    noise: float
    reward_law: int
    own_law: RewardLaw
    least_mean: float
    largest_mean: float
    rejects_ties: bool
    private_draws: int
    least_n: int
    refreshes_on_rejection: bool
    rho_at_start: float
    rho_0: float
    rho_1: float
    rho_parameters: tuple[float, ...]
    counted: bool
    prior_acceptances: int
    prior_interactions: int


@dataclass(frozen=True, slots=True)
class UserState:
    """What the user knows and has done; `means` is the truth she does not know.

    The last two fields are tables (see `users.number_tables`), which may have any length.
    """

    means: list[float]  # mu_i
    estimates: list[float]  # hat mu_i
    counts: list[int]  # n_i, private draws included
    scales: list[float]  # 1/sqrt(n_i)
    acceptances: list[int]  # [n(t)]
    interactions: list[int]  # [t]
    refreshed: list[int]  # [the t whose rho_t is in force, 0 before the first]
    spread: list[float]  # [sqrt(Gamma)]
    reward: list[float]  # [the reward realized last, 0 if the last response was a rejection]
    ceiling: list[float]  # [U >= every lcb_j, while sqrt(Gamma) is at least `ceiling_spread`]
    ceiling_spread: list[float]
    witness: list[int]  # [the arm with the largest lcb when U was last found]
    logarithms: list[float]
    inverse_roots: list[float]


@dataclass(frozen=True, slots=True)
class RememberingState(UserState):
    """The state of a user of another kind (see `users.behaviour`), who keeps more than this one."""

    memory: list[float]


def blank_state(user: User) -> UserState:
    """Return a state of the right size, to be filled by `start`."""
    n_arms = user.n_arms
    tables = number_tables(SHORT_TABLES)
    return UserState(
        means=[0.0] * n_arms,
        estimates=[0.0] * n_arms,
        counts=[0] * n_arms,
        scales=[UNSEEN] * n_arms,
        acceptances=[0],
        interactions=[0],
        refreshed=[0],
        spread=[0.0],
        reward=[0.0],
        ceiling=[-inf],
        ceiling_spread=[inf],
        witness=[0],
        logarithms=tables.logarithms,
        inverse_roots=tables.inverse_roots,
    )

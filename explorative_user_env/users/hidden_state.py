"""The hidden state of a user (`HiddenState`), and the arm that makes her reject another arm."""

from typing import NamedTuple

from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import User, UserState, lcb, ucb


class HiddenState(NamedTuple):
    """The hidden state of a user; no agent observes it.

    Attributes:
        instance: the true means mu_i and the best arm.
        estimates: her empirical means; 0 for an arm without rewards.
        counts: n_i, including rewards before the first step (private draws).
        lower_bounds: lcb_i, -inf for an arm without rewards.
        upper_bounds: ucb_i, inf for an arm without rewards.
        gamma: Gamma.
        rho: rho_t.
        acceptances: n(t).
        interactions: t.
        rejects_ties: whether she rejects i if lcb_j = ucb_i.
    """

    instance: Instance
    estimates: tuple[float, ...]
    counts: tuple[int, ...]
    lower_bounds: tuple[float, ...]
    upper_bounds: tuple[float, ...]
    gamma: float
    rho: float
    acceptances: int
    interactions: int
    rejects_ties: bool = True


def hidden_state_of(user: User, state: UserState, instance: Instance, rho: float) -> HiddenState:
    """Return the hidden state of a user, given her state, her current instance and rho_t."""
    arms = range(user.n_arms)
    return HiddenState(
        instance=instance,
        estimates=tuple(state.estimates),
        counts=tuple(state.counts),
        lower_bounds=tuple(lcb(state, arm) for arm in arms),
        upper_bounds=tuple(ucb(state, arm) for arm in arms),
        gamma=state.spread[0] ** 2,
        rho=rho,
        acceptances=state.acceptances[0],
        interactions=state.interactions[0],
        rejects_ties=user.rejects_ties,
    )


def witness_of(hidden: HiddenState, arm: int) -> int | None:
    """Return the arm that is clearly better than `arm`, or None.

    Args:
        hidden: the hidden state when she decides.
        arm: the recommended arm.

    Returns:
        The arm j with the largest lcb_j (the first of tied arms) if lcb_j >= ucb_i, where i is
        `arm`; otherwise None. If `rejects_ties` is False, lcb_j must exceed ucb_i.
    """
    bound = hidden.upper_bounds[arm]
    others = [other for other in range(len(hidden.lower_bounds)) if other != arm]
    best = max(others, key=hidden.lower_bounds.__getitem__)
    rival = hidden.lower_bounds[best]
    return best if rival > bound or (rival == bound and hidden.rejects_ties) else None

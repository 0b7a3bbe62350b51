"""The environment's rewards: training signals, which no agent of this package is shown."""

from collections.abc import Sequence
from typing import Any

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET_REWARD, UTILITY_REWARD, REALIZED_REWARD, ACCEPT_REWARD, NO_REWARD = range(len(REWARDS))


def reward_of(kind: int, mean: float, best_mean: float, accepted: bool, realized: float) -> float:
    """Return the reward of a step.

    Args:
        kind: which one, its place in `REWARDS`.
        mean: mu_a of the recommended arm.
        best_mean: mu_*.
        accepted: the response.
        realized: the reward the user drew if she accepted.
    """
    if kind == REGRET_REWARD:
        return mean - best_mean
    if kind == UTILITY_REWARD and accepted:
        return mean
    if kind == REALIZED_REWARD and accepted:
        return realized
    if kind == ACCEPT_REWARD and accepted:
        return 1.0
    return 0.0


def reward_of_leaving(kind: int, worst_mean: Any, best_mean: Any, missed: Any) -> Any:
    """Return what the step at which a user leaves pays besides: nobody is to gain by it.

    Each step that she would have stayed for pays as much as a recommendation of her worst arm does
    that she rejects. So a shift of all means changes nothing. Numbers, or arrays of them.

    Args:
        kind: which reward, its place in `REWARDS`.
        worst_mean: the least mu_i.
        best_mean: mu_*.
        missed: how many steps she would have stayed for.
    """
    return missed * reward_of(kind, worst_mean, best_mean, False, 0.0)


def reward_tables(
    kind: int, means: Sequence[float], best_mean: float
) -> tuple[list[float], list[float]]:
    """Return what each arm pays if it is rejected and if it is accepted, while means stay.

    The realized reward is not known beforehand, and counts as 0 here.

    Args:
        kind: which reward, its place in `REWARDS`.
        means: mu_i.
        best_mean: mu_*.
    """
    if_rejected = [reward_of(kind, mean, best_mean, False, 0.0) for mean in means]
    if kind == REGRET_REWARD:
        return if_rejected, if_rejected
    return if_rejected, [reward_of(kind, mean, best_mean, True, 0.0) for mean in means]

"""The environment's rewards: training signals, which no agent of this package is shown."""

from collections.abc import Sequence

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

"""The environment's rewards: training signals, which no agent of this package is shown."""

from collections.abc import Sequence

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET, UTILITY, REALIZED, ACCEPT, NONE = range(len(REWARDS))


def reward_of(
    kind: int,
    means: Sequence[float],
    best_arm: int,
    arm: int,
    accepted: bool,
    realized: float,
) -> float:
    """Return the reward of a step.

    Args:
        kind: which one, its place in `REWARDS`.
        means: mu_i.
        best_arm: the index of mu_*.
        arm: the recommended arm.
        accepted: the response.
        realized: the reward the user drew if she accepted.
    """
    if kind == REGRET:
        return means[arm] - means[best_arm]
    if kind == UTILITY and accepted:
        return means[arm]
    if kind == REALIZED and accepted:
        return realized
    if kind == ACCEPT and accepted:
        return 1.0
    return 0.0

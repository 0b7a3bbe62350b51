"""The environment's rewards: training signals, which no agent of this package is shown."""

REWARDS = ("regret", "utility", "realized", "accept", "none")
REGRET, UTILITY, REALIZED, ACCEPT, NONE = range(len(REWARDS))


def reward_of(kind: int, mean: float, best_mean: float, accepted: bool, realized: float) -> float:
    """Return the reward of a step.

    Args:
        kind: which one, its place in `REWARDS`.
        mean: mu_a of the recommended arm.
        best_mean: mu_*.
        accepted: the response.
        realized: the reward the user drew if she accepted.
    """
    if kind == REGRET:
        return mean - best_mean
    if kind == UTILITY and accepted:
        return mean
    if kind == REALIZED and accepted:
        return realized
    if kind == ACCEPT and accepted:
        return 1.0
    return 0.0

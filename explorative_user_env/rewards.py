"""The environment's rewards: training signals, which no agent of this package is shown."""

from explorative_user_env.instances import Instance

REWARDS = ("regret", "utility", "realized", "accept", "none")


def reward_tables(reward: str, instance: Instance) -> tuple[list[float], list[float]]:
    """Return the reward of each arm if it is rejected, and if it is accepted.

    Args:
        reward: one of `REWARDS`. "realized" has no table of what an acceptance is worth: the user
            draws it.
        instance: the true means.
    """
    nothing = [0.0] * instance.n_arms
    match reward:
        case "regret":
            best = instance.means[instance.best_arm]
            regrets = [mean - best for mean in instance.means]
            return regrets, regrets
        case "utility":
            return nothing, list(instance.means)
        case "accept":
            return nothing, [1.0] * instance.n_arms
    return nothing, nothing

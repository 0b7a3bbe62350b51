"""Many users as Stable-Baselines3 takes them, made in one line."""

import warnings
from typing import Any

from gymnasium.vector import AutoresetMode

from explorative_user_env.population import Population, population_of, split_options
from explorative_user_env.rl.vec_env import SB3VecEnv
from explorative_user_env.tasks import Task
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers.make import make_task

LARGEST_REWARD = 1e38
"""Of the numbers that models take, which are of 32 bits."""


def make_sb3_vec_env(
    n_envs: int = 256,
    *,
    task: Task | str = "regret",
    observation: str = "sorted-counts",
    horizon: int | None = None,
    seed: int | None = None,
    **kwargs: Any,
) -> SB3VecEnv:
    """Return many users as a `VecEnv` of Stable-Baselines3, in compiled code from 64 on.

    The first reset compiles it, and says so, as `ExplorativeUserVectorEnv` does.

    Args:
        n_envs: number of users in step, at least 1.
        task: "regret" (`ExplorativeUser-v0`), "bai" (`ExplorativeUserBAI-v0`) or "population"
            (`ExplorativePopulation-v0`).
        observation: what a policy sees: "response", "counts", "sorted-counts" or "last-step", in
            "population" also "population-counts" or "sorted-population-counts".
        horizon: steps of an episode; None is 500 for regret and 2000 for bai. In "population" the
            steps of each user; None is 300.
        seed: what the users' seeds at the first reset follow from, as `SB3VecEnv.seed` has it;
            no other seed has users in common. A model that is given a seed sets it again. None is
            fresh entropy.
        **kwargs: as in the environment (`n_arms`, `gap`, `setting`, `reward`, `step_cost`,
            `n_users`, `deviation`, ...).

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    if kwargs.get("reward") == "accept":
        warnings.warn(
            'reward="accept" pays most for never exploring: any arm recommended for ever is '
            "accepted in the end, whether it is good or not",
            stacklevel=2,
        )
    user, rest = split_options(kwargs)
    users = population_of(rest.pop("population", None), user)
    _check_rewards(users)
    rest |= {"population": users, "autoreset_mode": AutoresetMode.SAME_STEP}
    envs = make_task(task, n_envs, observation, horizon, **rest)
    vec_env = SB3VecEnv(envs)
    if seed is not None:
        vec_env.seed(seed)
    return vec_env


def _check_rewards(population: Population) -> None:
    """Refuse a gap, or means that are given, with rewards that no model could be told."""
    law = population.instance_law
    means = law.given or [0.0]
    for name, size, how in (
        ("gap", law.largest_gap, "at most"),
        ("means", max(means) - min(means), "apart by at most"),
    ):
        if size > LARGEST_REWARD:
            allowed = f"{how} {LARGEST_REWARD:g}, as models are told rewards of 32 bits"
            raise InvalidArgumentError(name, size, allowed)

"""The users of a task in step, observed as a policy needs it."""

from typing import Any

from gymnasium.vector import VectorEnv

from explorative_user_env.envs.bai_vector import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population_vector import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.tasks import (
    BAI,
    POPULATION,
    REGRET,
    Task,
    as_task,
    kept_steps,
    refuse_of_members,
)
from explorative_user_env.validation import choice
from explorative_user_env.wrappers import vector as wrappers
from explorative_user_env.wrappers.features import observations_of

ENVIRONMENTS = {
    REGRET: ExplorativeUserVectorEnv,
    BAI: ExplorativeUserBAIVectorEnv,
    POPULATION: ExplorativePopulationVectorEnv,
}
"""The users in step, by task."""


def make_task(
    task: Task | str,
    num_envs: int,
    observation: str = "sorted-counts",
    horizon: int | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return the users of a task in step, observed as a policy needs it.

    Args:
        task: "regret", "bai" or "population".
        num_envs: number of users, at least 1.
        observation: "response", "counts", "sorted-counts" or "last-step"; in "population" also
            "population-counts" or "sorted-population-counts"; see `wrappers.features`.
        horizon: steps of an episode; None is the task's, 500 for regret and 2000 for bai, and in
            "population" 300, of each user.
        **kwargs: as in the task's vector environment.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    task = as_task(task)
    refuse_of_members(task, kwargs)
    choice("observation", observation, observations_of(task))
    steps = task.horizon if horizon is None else kept_steps("horizon", horizon)
    kwargs |= {"max_episode_steps" if task == REGRET else "horizon": steps}
    envs: VectorEnv[Any, Any, Any] = ENVIRONMENTS[task](num_envs, **kwargs)
    match observation:
        case "counts":
            envs = wrappers.CountsObservation(envs)
        case "sorted-counts":
            envs = wrappers.SortedArms(wrappers.CountsObservation(envs))
        case "population-counts":
            envs = wrappers.PopulationCountsObservation(envs)
        case "sorted-population-counts":
            envs = wrappers.SortedArms(wrappers.PopulationCountsObservation(envs))
        case "last-step":
            envs = wrappers.LastStepObservation(envs)
    return envs

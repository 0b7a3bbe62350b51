"""The two tasks: least regret over a horizon, and best-arm identification."""

from dataclasses import dataclass
from typing import Any

from gymnasium.vector import VectorEnv

from explorative_user_env.envs import bai_rules
from explorative_user_env.envs.bai_vector import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.validation import choice, integer
from explorative_user_env.wrappers import features as observations
from explorative_user_env.wrappers import vector as wrappers


@dataclass(frozen=True)
class Task:
    """What a policy is trained for.

    Attributes:
        name: "regret" or "bai".
        vector_env: the users in step.
        horizon: steps of an episode where nothing else is said.
        ends_itself: whether the environment takes the horizon as part of the task (`terminated`),
            or it is a time limit (`truncated`).
    """

    name: str
    vector_env: type[ExplorativeUserVectorEnv]
    horizon: int
    ends_itself: bool


REGRET = Task("regret", ExplorativeUserVectorEnv, horizon=500, ends_itself=False)
BAI = Task("bai", ExplorativeUserBAIVectorEnv, horizon=bai_rules.HORIZON, ends_itself=True)

TASKS = {task.name: task for task in (REGRET, BAI)}


def as_task(task: Task | str) -> Task:
    """Return the task meant: itself, or the one of that name."""
    return task if isinstance(task, Task) else TASKS[choice("task", task, TASKS)]


def make_task(
    task: Task | str,
    num_envs: int,
    observation: str = "sorted-counts",
    horizon: int | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return the users of a task in step, observed as a policy needs it.

    Args:
        task: "regret" or "bai".
        num_envs: number of users, at least 1.
        observation: "response", "counts", "sorted-counts" or "last-step"; see `observations`.
        horizon: steps of an episode; None is the task's, 500 for regret and 2000 for bai.
        **kwargs: as in the task's vector environment.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    task = as_task(task)
    choice("observation", observation, observations.OBSERVATIONS)
    steps = task.horizon if horizon is None else integer("horizon", horizon, 1)
    kwargs |= {"horizon" if task.ends_itself else "max_episode_steps": steps}
    envs: VectorEnv[Any, Any, Any] = task.vector_env(num_envs, **kwargs)
    match observation:
        case "counts":
            envs = wrappers.CountsObservation(envs)
        case "sorted-counts":
            envs = wrappers.SortedArms(wrappers.CountsObservation(envs))
        case "last-step":
            envs = wrappers.LastStepObservation(envs)
    return envs

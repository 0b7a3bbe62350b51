"""Users with the observations of a policy: of a task in step, and `ExplorativeUserCounts-v0`."""

from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.protocol import (
    BAI,
    POPULATION,
    REGRET,
    Array,
    Task,
    as_task,
    kept_steps,
    refuse_of_members,
)
from explorative_user_env.users.population import lists_user_options
from explorative_user_env.validation import choice
from explorative_user_env.wrappers import vector
from explorative_user_env.wrappers.observations import observations_of
from explorative_user_env.wrappers.single import CountsObservation, SortedArms

#: The vector environments by task.
ENVIRONMENTS = {
    REGRET: ExplorativeUserVectorEnv,
    BAI: ExplorativeUserBAIVectorEnv,
    POPULATION: ExplorativePopulationVectorEnv,
}

_WRAPPERS = {
    "response": (),
    "counts": (vector.CountsObservation,),
    "sorted-counts": (vector.CountsObservation, vector.SortedArms),
    "population-counts": (vector.PopulationCountsObservation,),
    "sorted-population-counts": (vector.PopulationCountsObservation, vector.SortedArms),
    "last-step": (vector.LastStepObservation,),
}


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
            "population-counts" or "sorted-population-counts"; see `wrappers.observations`.
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
    kwargs |= {"horizon": steps} | ({"max_episode_steps": steps} if task == REGRET else {})
    envs: VectorEnv[Any, Any, Any] = ENVIRONMENTS[task](num_envs, **kwargs)
    for wrapper in _WRAPPERS[observation]:
        envs = wrapper(envs)
    return envs


class _MadeById(SortedArms):
    """The wrappers of the id, which its specification need not list."""

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override] # gym.Wrapper's is one as well
        return self.unwrapped.spec


@lists_user_options()
def counts_env(
    arms: int | None = None, /, *, horizon: int = REGRET.horizon, **kwargs: Any
) -> gym.Env[Array, int]:
    """Return a user for any RL library: `ExplorativeUserCounts-v0`.

    ## Description
    The user of `ExplorativeUser-v0`, the same for the same seed, in `CountsObservation` and
    `SortedArms`: this is the id to learn on. There the observation is one bit, from which a policy
    without memory learns nothing; here it is the counts of all responses.

    ## Action Space
    `Discrete(n_arms)`: the rank of the arm to recommend; 0 is the most accepted arm so far. Tied
    arms are in the order of their numbers.

    ## Observation Space
    `Box(4 K + 1)`, float32 in [-1, 1]: the acceptances of the arms, the most accepted first, then
    their rejections, latest responses (1, -1, or 0 for none) and rejections since the last
    acceptance; last the time. Counts are on a log scale, and time is a fraction of `horizon`.

    ## Rewards
    As in `ExplorativeUser-v0`: mu_a - mu_* of the recommended arm, or another `reward`.

    ## Starting State
    A new user, with all counts 0.

    ## Episode End
    `gym.make` and `gym.make_vec` truncate at `max_episode_steps`, 500 unless given, which is the
    length of an episode in the task "regret".

    ## Information
    As in `ExplorativeUser-v0`.

    ## Arguments
    - `horizon` (500): the steps that counts and time are scaled by; both stay at 1 from there on.
      If you give another `max_episode_steps`, give it here, too.
    - All arguments of `ExplorativeUser-v0`.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativeUserCounts-v0", n_arms=3)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape
    (13,)
    >>> observation, reward, terminated, truncated, info = env.step(2)

    ```

    ## Version History
    * v0: initial version
    """
    user = ExplorativeUserEnv(arms, horizon=horizon, **kwargs)
    return _MadeById(CountsObservation(user, horizon))


# Gymnasium asks what makes an environment for the ways in which it is rendered.
counts_env.metadata = ExplorativeUserEnv.metadata  # type: ignore[attr-defined]


@lists_user_options()
def counts_vector_env(
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    *,
    horizon: int = REGRET.horizon,
    **kwargs: Any,
) -> vector.SortedArms:
    """Return many of the users of `counts_env` in step; lane b is the single one with b's seed.

    Args:
        num_envs: number of users, at least 1; they run in compiled code from 64 on.
        max_episode_steps: steps after which a lane is truncated; None and -1 are never.
        horizon: the steps that counts and time are scaled by.
        **kwargs: as in `ExplorativeUserVectorEnv`.
    """
    envs = ExplorativeUserVectorEnv(num_envs, max_episode_steps, horizon=horizon, **kwargs)
    return vector.SortedArms(vector.CountsObservation(envs, horizon))

"""The environments that observe counts: one for each task, as single and vector environments."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.counts import Scale, Table, bounds_of
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.population import (
    ExplorativePopulationEnv,
    ExplorativePopulationVectorEnv,
)
from explorative_user_env.envs.user import ExplorativeUserEnv, labelled, reading_of
from explorative_user_env.envs.user_vector import (
    ExplorativeUserVectorEnv,
    Stepped,
    lane_arms,
    no_arms,
)
from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array


class ExplorativeUserCountsEnv(ExplorativeUserEnv, gym.Env[Any, int]):
    """A user as in `ExplorativeUser-v0`, observed through the counts of her responses.

    ## Description
    The user is that of `ExplorativeUser-v0`, and a seed gives the same user in both. Use this id to
    train a policy without memory: such a policy cannot learn from one response, but it can learn
    from the counts of all responses. The wrappers `CountsObservation` and `SortedArms` around
    `ExplorativeUser-v0` give the same observations more slowly.

    ## Action Space
    `Discrete(n_arms)`: the rank of the arm to recommend; 0 is the most accepted arm so far. Tied
    arms stay in the order of their numbers.

    ## Observation Space
    `Box(4 K + 1)`, float32 in [-1, 1]. The arms are sorted, with the most accepted arm first. First
    come the K acceptances, then the K rejections, the K latest responses (1, -1, or 0 for none) and
    the K rejections since the last acceptance. The last number is the time. Counts are on a log
    scale, and the time is a fraction of `horizon`.

    ## Rewards
    The rewards are those of `ExplorativeUser-v0`: mu_a - mu_* of the recommended arm, or another
    `reward`.

    ## Starting State
    An episode starts with a new user, and all counts are 0.

    ## Episode End
    An episode ends as in `ExplorativeUser-v0`, but `gym.make` and `gym.make_vec` truncate at
    `max_episode_steps`, by default 500, the horizon of the task "regret".

    ## Information
    The infos are those of `ExplorativeUser-v0`.

    ## Arguments
    - `horizon` (500): the number of steps at which scaled counts and time reach 1. If you change
      `max_episode_steps`, set `horizon` to the same number.
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

    ## References
    As in `ExplorativeUser-v0`.

    ## Version History
    * v0: initial version
    """

    #: The default of `horizon`.
    default_horizon = REGRET.horizon

    _table: Table

    def __init__(
        self, arms: int | None = None, /, *, horizon: int | None = None, **kwargs: Any
    ) -> None:
        steps = self.default_horizon if horizon is None else horizon
        super().__init__(arms, horizon=steps, **kwargs)
        self.scale = Scale(steps, getattr(self, "n_users", None))
        self._table, name = self.table(1), self.scale.observation
        low, high = bounds_of(name, self.user.n_arms) or (0, 0)
        reading = {**reading_of(self.observation_space), "observation": f"sorted-{name}"}
        space = spaces.Box(low, high, dtype=np.float32)
        self.observation_space = labelled(space, **reading | {"horizon": self.scale.horizon})

    def table(self, n_lanes: int, compiled: bool = False) -> Table:
        """Return a table of the counts of `n_lanes` users."""
        return Table(n_lanes, self.user.n_arms, self.scale, compiled)

    def _forget(self, lanes: Array, same_episode: bool = False) -> None:
        self._table.begin(lanes, same_episode)
        super()._forget(lanes, same_episode)


class ExplorativeUserBAICountsEnv(
    ExplorativeUserCountsEnv, ExplorativeUserBAIEnv, gym.Env[Any, int]
):
    """Best-arm identification as in `ExplorativeUserBAI-v0`, observed through counts.

    ## Description
    The task is that of `ExplorativeUserBAI-v0`, and a seed gives the same user in both. Use this id
    to train a policy without memory: such a policy cannot learn from one response, but it can learn
    from the counts of all responses. The wrappers `CountsObservation` and `SortedArms` around
    `ExplorativeUserBAI-v0` give the same observations more slowly.

    ## Action Space
    `Discrete(2 * n_arms)`: action r in 0..K-1 recommends the arm of rank r, action K + r answers
    the arm of rank r and ends the episode. Rank 0 is the most accepted arm so far. Tied arms stay
    in the order of their numbers.

    `action_masks()` returns the legal actions by rank, in the form that sb3-contrib's MaskablePPO
    takes; see `ExplorativeUserBAI-v0`. Without masks a policy gradient usually collapses to
    guessing.

    ## Observation Space
    `Box(4 K + 1)`, float32 in [-1, 1], as in `ExplorativeUserCounts-v0`. After an answer the
    observation is that before the answer.

    ## Rewards
    The rewards are those of `ExplorativeUserBAI-v0`: -`step_cost` for each recommendation, +1 for
    the right answer, -1 for a wrong answer or none.

    ## Starting State
    An episode starts with a new user, and all counts are 0.

    ## Episode End
    An episode ends as in `ExplorativeUserBAI-v0`: after an answer, when the user leaves, and at the
    `horizon`-th recommendation.

    ## Information
    The infos are those of `ExplorativeUserBAI-v0`; `answer` is an arm, not a rank.

    ## Arguments
    - `horizon` (2000): largest number of recommendations in an episode, at least 1. Scaled counts
      and time reach 1 at this number of steps.
    - All other arguments of `ExplorativeUserBAI-v0`.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativeUserBAICounts-v0", n_arms=3)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape
    (13,)
    >>> env.get_wrapper_attr("action_masks")().tolist()  # no answer before K - 1 rejections
    [True, True, True, False, False, False]

    ```

    ## References
    As in `ExplorativeUserBAI-v0`.

    ## Version History
    * v0: initial version
    """

    default_horizon = BAI.horizon


class ExplorativePopulationCountsEnv(
    ExplorativeUserCountsEnv, ExplorativePopulationEnv, gym.Env[Any, int]
):
    """Users as in `ExplorativePopulation-v0`, observed through the counts of all responses.

    ## Description
    The users are those of `ExplorativePopulation-v0`, and a seed gives the same users in both. Use
    this id to train a policy without memory: such a policy cannot learn from one response, but it
    can learn from the counts of all responses. The wrappers `PopulationCountsObservation` and
    `SortedArms` around `ExplorativePopulation-v0` give the same observations more slowly.

    ## Action Space
    `Discrete(n_arms)`: the rank of the arm to recommend; 0 is the arm that the present user has
    accepted most often. Tied arms are sorted by the acceptances of the earlier users, then by their
    numbers.

    ## Observation Space
    `Box(7 K + 2)`, float32 in [-1, 1]. The arms are sorted by rank. First come the present user's K
    acceptances, K rejections, K latest responses (1, -1, or 0 for none) and K rejections since the
    last acceptance. Then come the earlier users' K acceptances, K rejections and K shares of
    accepted recommendations. The last two numbers are the present user's time and the episode's
    time. Counts are on a log scale, and the times are fractions.

    ## Rewards
    The rewards are those of `ExplorativePopulation-v0`: by default mu_a - mu_* of the present
    user's own means.

    ## Starting State
    An episode starts as in `ExplorativePopulation-v0`, and all counts are 0.

    ## Episode End
    `terminated` is True after the last step of the last user.

    ## Information
    The infos are those of `ExplorativePopulation-v0`.

    ## Arguments
    - `horizon` (300): number of steps of each user, at least 1. Scaled counts and time of the
      present user reach 1 at this number of steps.
    - All other arguments of `ExplorativePopulation-v0`.

    ```python
    >>> import gymnasium as gym
    >>> import explorative_user_env
    >>> env = gym.make("ExplorativePopulationCounts-v0", n_arms=3, n_users=2, horizon=4)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape
    (23,)

    ```

    ## References
    As in `ExplorativePopulation-v0`.

    ## Version History
    * v0: initial version
    """

    default_horizon = POPULATION.horizon


class ExplorativeUserCountsVectorEnv(ExplorativeUserVectorEnv, VectorEnv[Any, Any, Any]):
    """`ExplorativeUserCountsEnv` with many users in parallel; see `ExplorativeUserVectorEnv`.

    Args:
        num_envs: number of users, at least 1; from 64 on they run in compiled code.
        max_episode_steps: number of steps after which a lane is truncated; None or -1 never
            truncates.
        autoreset_mode: when a finished lane gets a new user: "NextStep", "SameStep" or "Disabled".
        compiled: whether the users run in compiled code; None is True from 64 users on.
        **kwargs: arguments of the single environment.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """

    single_env = ExplorativeUserCountsEnv
    _single: ExplorativeUserCountsEnv
    _table: Table
    _ranks: Array

    def step(self, actions: Any) -> Stepped:
        """Take the actions of these ranks; see the vector environment that observes responses."""
        n_actions = int(self.single_action_space.n)  # type: ignore[attr-defined]
        ranks = lane_arms(actions, self.num_envs, n_actions)
        if not self._ready:
            raise gym.error.ResetNeeded("call reset before step")
        arms = self._table.arms_of(ranks, n_actions)
        if arms is None:
            raise no_arms(actions, self.num_envs, n_actions)
        self._ranks = ranks
        return super().step(arms)

    def _make_lanes(self, rngs: list[np.random.Generator]) -> None:
        super()._make_lanes(rngs)
        self._table = self._single.table(self.num_envs, bool(self.compiled))

    def _recommend(self, arms: Array, moved: Array | None) -> Step:
        step = super()._recommend(arms, moved)
        lanes = None if moved is None else np.flatnonzero(moved)
        self._table.record(lanes, self._ranks, step.responses)
        return step

    def _forget(self, lanes: Array, same_episode: bool = False) -> None:
        self._table.begin(lanes, same_episode)
        super()._forget(lanes, same_episode)

    def _observations(self) -> Array:
        return self._table.rows.copy()


class ExplorativeUserBAICountsVectorEnv(
    ExplorativeUserCountsVectorEnv, ExplorativeUserBAIVectorEnv, VectorEnv[Any, Any, Any]
):
    """`ExplorativeUserBAICountsEnv` with many users in parallel; see `ExplorativeUserVectorEnv`.

    The arguments are those of `ExplorativeUserCountsVectorEnv`.
    """

    single_env = ExplorativeUserBAICountsEnv
    _single: ExplorativeUserBAICountsEnv


class ExplorativePopulationCountsVectorEnv(
    ExplorativeUserCountsVectorEnv, ExplorativePopulationVectorEnv, VectorEnv[Any, Any, Any]
):
    """`ExplorativePopulationCountsEnv` with many episodes in parallel.

    The arguments are those of `ExplorativeUserCountsVectorEnv`; a lane has an episode of users.
    """

    single_env = ExplorativePopulationCountsEnv
    _single: ExplorativePopulationCountsEnv

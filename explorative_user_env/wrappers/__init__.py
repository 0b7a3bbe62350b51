"""Observation wrappers for RL: the history of responses as the observation.

`explorative_user_env.wrappers.vector` has wrappers of the same names for vector environments.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper
from gymnasium.wrappers import MaxAndSkipObservation, TimeLimit

from explorative_user_env.envs import BAI_ENV_ID, ENV_ID, POPULATION_ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action, labelled, reading_of
from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array
from explorative_user_env.users.population import lists_user_options
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers import observations as obs

__all__ = ["CountsObservation", "LastStepObservation", "PopulationCountsObservation", "SortedArms"]

#: Base classes of the Gymnasium wrappers that change observations.
CHANGE_OBSERVATIONS = (gym.ObservationWrapper, MaxAndSkipObservation, VectorObservationWrapper)


def layers(env: Any) -> Iterator[Any]:
    """Yield the wrappers around an environment, the outermost first."""
    while isinstance(env, gym.Wrapper | VectorWrapper):
        yield env
        env = env.env


def changed(env: Any, wrapper: Any, by: str = "the changing wrapper") -> InvalidArgumentError:
    """Return the error for an environment in which a wrapper changes the user's responses."""
    advice = f"put {by} around {type(wrapper).__name__}, and reset both"
    allowed = f"an environment with unchanged responses and counts ({advice})"
    return InvalidArgumentError("env", env, allowed)


def _single(env: Any, what: str) -> Any:
    """Return the space named `what` ("action_space" or "observation_space") of one user."""
    return getattr(env, f"single_{what}", None) or getattr(env, what)


class ShowsHistory:
    """Methods shared by the history wrappers of single and of vector environments."""

    #: The name of the observation in `wrappers.observations`.
    name: str

    _users: Any
    _history: History
    shown: Array

    def _find(self, env: Any, kind: type[Any], horizon: int | None) -> spaces.Space[Any]:
        """Record the history of an environment, and return the observation space of one user.

        Raises:
            InvalidArgumentError: if this package does not define the environment, if a wrapper
                changes the observations, or if neither a horizon nor a time limit is given.
        """
        users = self._users = getattr(env, "unwrapped", None)
        if not isinstance(users, kind):
            ids = f"{ENV_ID}, {BAI_ENV_ID} or {POPULATION_ENV_ID}"
            allowed = POPULATION_ENV_ID if self.name == "population-counts" else ids
            if issubclass(kind, VectorEnv):
                allowed = f"the vector form of {allowed} (single environments: wrappers)"
            else:
                allowed += " (vector environments: wrappers.vector)"
            raise InvalidArgumentError("env", env, allowed)
        limits = [getattr(users, "max_episode_steps", None), getattr(users, "horizon", None)]
        if isinstance(env, gym.Env) and env.spec:  # a vector environment's spec may differ
            limits.append(env.spec.max_episode_steps)
        for layer in layers(env):
            if isinstance(layer, CHANGE_OBSERVATIONS):
                raise changed(env, self, type(layer).__name__)
            if isinstance(layer, TimeLimit):
                limits.append(layer._max_episode_steps)
        space = _single(users, "observation_space")
        if _single(env, "observation_space") != space:
            raise changed(env, self, type(env).__name__)
        if horizon is None:
            horizon = min((limit for limit in limits if limit is not None), default=None)
        if horizon is None:
            allowed = "given if the environment has no time limit"
            raise InvalidArgumentError("horizon", None, allowed)
        n_users = users.n_users if self.name == "population-counts" else None
        self._scale = obs.Scale(horizon, n_users)
        self._history = users.remember()
        low, high = obs.bounds_of(self.name, users.user.n_arms) or (0, 0)
        reading = {**reading_of(space), "observation": self.name, "horizon": self._scale.horizon}
        return labelled(spaces.Box(low, high, dtype=np.float32), **reading)

    def _observe(self, history: History) -> Array:
        return obs.UNSORTED[self.name](history, self._scale)


class SortsArms:
    """Methods shared by `SortedArms` of single and of vector environments."""

    _counts: Any
    _n_arms: int
    _order: Array

    def _find(self, env: Any, kinds: tuple[type[Any], ...]) -> spaces.Space[Any]:
        """Find the counts wrapper of an environment, and return the observation space of one user.

        Raises:
            InvalidArgumentError: if `env` has no counts wrapper, or a wrapper changes the counts.
        """
        for layer in layers(env):
            if isinstance(layer, kinds):
                self._counts, self._n_arms = layer, env.unwrapped.user.n_arms
                if _single(env, "action_space") != _single(env.unwrapped, "action_space"):
                    raise InvalidArgumentError("env", env, "an environment whose actions are arms")
                self._order = np.tile(np.arange(self._n_arms), (getattr(env, "num_envs", 1), 1))
                space = copy.deepcopy(_single(env, "observation_space"))
                return labelled(space, observation=f"sorted-{self._counts.name}")
            if isinstance(layer, CHANGE_OBSERVATIONS):
                break
        allowed = "wrapped in CountsObservation, without a wrapper above that changes observations"
        raise InvalidArgumentError("env", env, allowed)

    def _by_acceptances(self, observations: Array) -> tuple[Array, Array]:
        n_times = 2 if self._counts.name in obs.POPULATION_OBSERVATIONS else 1
        return obs.by_acceptances(observations, self._n_arms, n_times)

    def _actions(self) -> Array:
        """Return for each policy action (a rank) the action of the environment (an arm)."""
        return obs.actions_by_rank(self._order, int(_single(self, "action_space").n))


class _HistoryObservation(
    ShowsHistory, gym.Wrapper[Array, int, int, int], gym.utils.RecordConstructorArgs
):
    """Replace the response by an observation of the history of responses."""

    _kind: type[ExplorativeUserEnv] = ExplorativeUserEnv

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        space = self._find(env, self._kind, horizon)
        gym.utils.RecordConstructorArgs.__init__(self, horizon=horizon)
        gym.Wrapper.__init__(self, env)  # type: ignore[misc]
        self.observation_space = space
        self.shown = np.zeros(0, np.float32)

    def reset(self, **kwargs: Any) -> tuple[Array, dict[str, Any]]:
        """Start an episode with a new user and an empty history."""
        response, info = self.env.reset(**kwargs)
        return self._show(response, info), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Take a step and observe the history."""
        response, reward, terminated, truncated, info = self.env.step(action)
        return self._show(response, info), reward, terminated, truncated, info

    def _show(self, response: Any, info: dict[str, Any]) -> Array:
        """Return the observation; raise an error if a wrapper changed the response or the info."""
        expected = self._history.last_response[0] if info.get("has_response") else 0
        same = isinstance(response, int | np.integer) and response == expected
        if not same or info.get("interactions") != self._history.steps[0]:
            raise changed(self.env, self)
        self.shown = self._observe(self._history)[0]
        return self.shown


class CountsObservation(_HistoryObservation):
    """Observe the counts of each arm's responses and the time.

    The observation is a `Box` of 4 K + 1 float32 numbers, see `observations.counts`. A policy
    without memory can learn from the counts, but not from the response alone. The counts are of
    recommendations that reach the user, even if a wrapper changes the actions (`StickyAction`,
    `Autoreset`, ...).

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, with or without wrappers.
        horizon: number of steps at which scaled counts and time reach 1; None is the environment's
            time limit.

    Raises:
        InvalidArgumentError: if neither a horizon nor a time limit is given, if `env` has another
            type, or if an inner wrapper changes the responses.
    """

    name = "counts"


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of the present user and of all earlier users.

    The observation is a `Box` of 7 K + 2 float32 numbers, see `observations.population_counts`: the
    numbers of `CountsObservation`, the earlier users' responses to each arm, and the time in the
    episode.

    Args:
        env: an `ExplorativePopulation-v0`, with or without wrappers.
        horizon: number of a user's steps at which scaled counts and time reach 1; None is the
            environment's horizon.

    Raises:
        InvalidArgumentError: if `env` has another type, or an inner wrapper changes the responses.
    """

    name = "population-counts"
    _kind = ExplorativePopulationEnv


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    The observation is a `Box` of K + 2 float32 numbers, see `observations.last_step`.

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, with or without wrappers.
        horizon: number of steps at which the scaled time reaches 1; None is the environment's time
            limit.

    Raises:
        InvalidArgumentError: as in `CountsObservation`.
    """

    name = "last-step"


class SortedArms(SortsArms, gym.Wrapper[Array, int, Array, int], gym.utils.RecordConstructorArgs):
    """Sort the arms by acceptances, the most accepted first; an action is a rank.

    Arms are exchangeable, so a policy need not learn each of their K! orders. In
    `ExplorativeUserBAI-v0` action K + r answers the arm of rank r.

    Args:
        env: an environment wrapped in `CountsObservation` or `PopulationCountsObservation`. With
            `PopulationCountsObservation` the earlier users' acceptances break ties.

    Raises:
        InvalidArgumentError: if `env` lacks this wrapper, or another wrapper changes the counts.
    """

    def __init__(self, env: gym.Env[Array, int]) -> None:
        space = self._find(env, (CountsObservation, PopulationCountsObservation))
        gym.utils.RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self.observation_space = space

    def reset(self, **kwargs: Any) -> tuple[Array, dict[str, Any]]:
        """Start an episode with a new user; tied arms stay in the order of their numbers."""
        observation, info = self.env.reset(**kwargs)
        return self._sorted(observation), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Recommend or answer the arm of rank `action`."""
        (by_rank,) = self._actions()
        observation, *rest, info = self.env.step(int(by_rank[as_action(action, by_rank.size)]))
        return self._sorted(observation), *rest, info  # type: ignore[return-value]

    @property
    def action_masks(self) -> Callable[[], Array]:
        """The function that returns the legal actions by rank, if the environment has masks."""
        masks: Callable[[], Array] = self.env.get_wrapper_attr("action_masks")
        return lambda: masks()[self._actions()[0]]

    def _sorted(self, observation: Array) -> Array:
        shown = self._counts.shown
        if observation is not shown and not np.array_equal(observation, shown):
            raise changed(self.env, self)
        (ordered,), self._order = self._by_acceptances(observation[np.newaxis])
        return np.asarray(ordered)


class _MadeById(SortedArms):
    """The class of the ids with counts; its Gymnasium specification lists no wrappers."""

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override] # gym.Wrapper's is one as well
        return self.unwrapped.spec


@lists_user_options()
def counts_env(
    arms: int | None = None, /, *, horizon: int = REGRET.horizon, **kwargs: Any
) -> gym.Env[Array, int]:
    """Return the environment `ExplorativeUserCounts-v0`, for any RL library.

    ## Description
    The environment is `ExplorativeUser-v0` in the wrappers `CountsObservation` and `SortedArms`; a
    seed gives the same user in both. Use this id to train a policy without memory: such a policy
    cannot learn from one response, but it can learn from the counts of all responses.

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
    user = ExplorativeUserEnv(arms, horizon=horizon, **kwargs)
    return _MadeById(CountsObservation(user, horizon))


@lists_user_options()
def bai_counts_env(
    arms: int | None = None, /, *, horizon: int = BAI.horizon, **kwargs: Any
) -> gym.Env[Array, int]:
    """Return the environment `ExplorativeUserBAICounts-v0`, for any RL library.

    ## Description
    The environment is `ExplorativeUserBAI-v0` in the wrappers `CountsObservation` and `SortedArms`;
    a seed gives the same user in both. Use this id to train a policy without memory: such a policy
    cannot learn from one response, but it can learn from the counts of all responses.

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
    user = ExplorativeUserBAIEnv(arms, horizon=horizon, **kwargs)
    return _MadeById(CountsObservation(user, horizon))


@lists_user_options()
def population_counts_env(
    arms: int | None = None, /, *, horizon: int = POPULATION.horizon, **kwargs: Any
) -> gym.Env[Array, int]:
    """Return the environment `ExplorativePopulationCounts-v0`, for any RL library.

    ## Description
    The environment is `ExplorativePopulation-v0` in the wrappers `PopulationCountsObservation` and
    `SortedArms`; a seed gives the same users in both. Use this id to train a policy without memory:
    such a policy cannot learn from one response, but it can learn from the counts of all responses.

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
    users = ExplorativePopulationEnv(arms, horizon=horizon, **kwargs)
    return _MadeById(PopulationCountsObservation(users, horizon))


# Gymnasium reads the render modes from the function that makes an environment.
for _make in (counts_env, bai_counts_env, population_counts_env):
    _make.metadata = ExplorativeUserEnv.metadata  # type: ignore[attr-defined]

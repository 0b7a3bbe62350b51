"""Observation wrappers for RL: the history of responses as the observation.

`explorative_user_env.wrappers.vector` has wrappers of the same names for vector environments.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper
from gymnasium.wrappers import MaxAndSkipObservation, TimeLimit

from explorative_user_env.envs import BAI_ENV_ID, ENV_ID, POPULATION_ENV_ID
from explorative_user_env.envs.counts import Scale, bounds_of
from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action, labelled, reading_of
from explorative_user_env.protocol import Array
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
        counts = isinstance(users, kind) and _single(users, "observation_space").shape != ()
        if counts or not isinstance(users, kind):
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
        self._scale = Scale(horizon, n_users)
        self._history = users.remember()
        low, high = bounds_of(self.name, users.user.n_arms) or (0, 0)
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

"""Wrappers of the single environments, `ExplorativeUser-v0` and `ExplorativeUserBAI-v0`."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorObservationWrapper, VectorWrapper
from gymnasium.wrappers import MaxAndSkipObservation, TimeLimit

from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.registration import ENTRIES
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action, labelled, reading_of
from explorative_user_env.protocol import Array, kept_steps
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers import observations as features

CHANGE_OBSERVATIONS = (gym.ObservationWrapper, MaxAndSkipObservation, VectorObservationWrapper)
"""The wrappers of Gymnasium that say what is observed, by their kinds."""


def layers(env: Any) -> Iterator[Any]:
    """Return the wrappers around an environment, the outermost first."""
    while isinstance(env, gym.Wrapper | VectorWrapper):
        yield env
        env = env.env


def users_of(env: Any, kind: type[Any], wrapper: str) -> Any:
    """Return the environment of the user, if its responses arrive as they are.

    Args:
        env: what a wrapper is put around.
        kind: what it must be at the bottom.
        wrapper: the name of the wrapper.

    Raises:
        InvalidArgumentError: for another environment, or one whose observations are changed.
    """
    users = getattr(env, "unwrapped", None)
    if not isinstance(users, kind):
        many = issubclass(kind, VectorEnv)
        form = "the vector form of " if many else ""
        others = "one user: wrappers" if many else "many users: wrappers.vector"
        allowed = f"{form}{_ids_of(kind)} ({others})"
        raise InvalidArgumentError("env", env, allowed)
    for layer in layers(env):
        if isinstance(layer, CHANGE_OBSERVATIONS):
            raise changed(env, wrapper, type(layer).__name__)
    if _space(env) != _space(users):
        raise changed(env, wrapper, type(env).__name__)
    return users


def _ids_of(kind: type[Any]) -> str:
    """Return in words the ids of an environment's class and of those made of it."""
    names = {each.__name__ for each in (kind, *kind.__subclasses__())}
    *others, last = [name for name, entry in ENTRIES.items() if {entry.one, entry.many} & names]
    return f"{', '.join(others)} or {last}" if others else last


def changed(env: Any, wrapper: str, by: str = "what changes them") -> InvalidArgumentError:
    """Return the error of an environment whose responses are not those that its user gave.

    Args:
        env: what the wrapper is put around.
        wrapper: its name.
        by: the wrapper that changes them, where it is known.
    """
    allowed = f"an environment that hands on the user's responses and counts as they are (put {by} "
    return InvalidArgumentError("env", env, f"{allowed}above {wrapper}, and reset both)")


def counts_below(env: Any, kinds: tuple[type[Any], ...]) -> Any:
    """Return the `CountsObservation` in `env`, or its like, whose observations `SortedArms` sorts.

    Args:
        env: what `SortedArms` is put around.
        kinds: the classes that it may be of.

    Raises:
        InvalidArgumentError: if there is none, or its observations are changed on the way.
    """
    for layer in layers(env):
        if isinstance(layer, kinds):
            if _actions(env) != _actions(env.unwrapped):
                raise InvalidArgumentError("env", env, "an environment whose actions are arms")
            return layer
        if isinstance(layer, CHANGE_OBSERVATIONS):
            break
    raise InvalidArgumentError(
        "env",
        env,
        "wrapped in CountsObservation, and in nothing above it that changes observations",
    )


def horizon_of(env: Any, horizon: int | None) -> int:
    """Return the number of steps of an episode: what is given, or else the least limit there is."""
    if horizon is None:
        limits = [
            # Many users know their own limit; Gymnasium's specification of them says the id's.
            getattr(env.spec, "max_episode_steps", None) if isinstance(env, gym.Env) else None,
            getattr(env.unwrapped, "max_episode_steps", None),
            getattr(env.unwrapped, "horizon", None),
        ]
        limits += [each._max_episode_steps for each in layers(env) if isinstance(each, TimeLimit)]
        horizon = min((limit for limit in limits if limit is not None), default=None)
    if horizon is None:
        raise InvalidArgumentError("horizon", None, "given, as the environment has no time limit")
    return kept_steps("horizon", horizon)


def box(bounds: tuple[Any, Any], users: Any, observation: str, horizon: int) -> spaces.Space[Any]:
    """Return the space of observations between these bounds, which says what they are.

    Args:
        bounds: the least and the greatest values.
        users: the environment at the bottom.
        observation: the observation's name.
        horizon: what its scales end at.
    """
    reading = {**reading_of(_space(users)), "observation": observation, "horizon": horizon}
    return labelled(spaces.Box(*bounds, dtype=np.float32), **reading)


def sorted_space(space: spaces.Space[Any], counts: Any) -> spaces.Space[Any]:
    """Return the space of counts when arms are sorted: the same numbers by another name.

    Args:
        space: theirs.
        counts: the `CountsObservation` that they come from, or its like.
    """
    name = reading_of(_space(counts))["observation"]
    return labelled(copy.deepcopy(space), observation=f"sorted-{name}")


def _actions(env: Any) -> Any:
    """Return the space of one user's actions."""
    return getattr(env, "single_action_space", env.action_space)


def _space(env: Any) -> Any:
    """Return the space of one user's observations."""
    return getattr(env, "single_observation_space", env.observation_space)


class _HistoryObservation(gym.Wrapper[Array, int, int, int], gym.utils.RecordConstructorArgs):
    """Show a function of the history in place of the bare response."""

    _kind: type[ExplorativeUserEnv] = ExplorativeUserEnv

    def __init__(
        self,
        env: gym.Env[int, int],
        name: str,
        horizon: int | None,
        observe: Callable[[Any, Any], Array],
        bounds: Callable[[int], tuple[Array, Array]],
    ) -> None:
        users = users_of(env, self._kind, type(self).__name__)
        # It looks at what is copied next.
        n_users = getattr(users, "n_users", None)
        self._scale = features.scale_of(name, horizon_of(env, horizon), n_users)
        gym.utils.RecordConstructorArgs.__init__(self, horizon=horizon)
        gym.Wrapper.__init__(self, env)  # type: ignore[misc]
        self._history: History = users.remember()
        limits = bounds(users.user.n_arms)
        self.observation_space = box(limits, users, name, self._scale.horizon)
        self._observe = observe
        self.shown = np.zeros(0, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start with a new user of whom nothing is known."""
        response, info = self.env.reset(seed=seed, options=options)
        return self._show(response, info), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Do as the environment does, and show what has been heard of its user."""
        response, reward, terminated, truncated, info = self.env.step(action)
        return self._show(response, info), reward, terminated, truncated, info

    def _show(self, response: Any, info: dict[str, Any]) -> Array:
        """Return the observation, if what was handed over is what has happened."""
        history = self._history
        heard = history.last_response[0] if info.get("has_response") else 0
        same = isinstance(response, int | np.integer) and response == heard
        if not same or info.get("interactions") != history.steps[0]:
            raise changed(self.env, type(self).__name__)
        self.shown = self._observe(history, self._scale)[0]
        return self.shown


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    A `Box` of 4 K + 1 float32 numbers, see `features.counts`: a policy without memory sees all
    that matters, where on the bare response it can learn nothing. What is counted is what the user
    was asked and said, whatever stands between (`StickyAction`, `Autoreset`, ...).

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that the scales end at; None is the environment's time limit.

    Raises:
        InvalidArgumentError: if no horizon is given and the environment has none, if it is not
            one of these, and where a wrapper in between changes what the user said.
    """

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        super().__init__(env, "counts", horizon, features.counts, features.counts_bounds)


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of the present user, and of all users before her.

    A `Box` of 7 K + 2 float32 numbers, see `features.population_counts`: what `CountsObservation`
    says of her, of each arm what all before her said, and how far she is and the episode.

    Args:
        env: an `ExplorativePopulation-v0`, made or raw.
        horizon: the steps of a user that her scales end at; None is the environment's.

    Raises:
        InvalidArgumentError: for another environment, and where a wrapper in between changes what
            users said.
    """

    _kind = ExplorativePopulationEnv

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        shown = (features.population_counts, features.population_bounds)
        super().__init__(env, "population-counts", horizon, *shown)


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    A `Box` of K + 2 float32 numbers, see `features.last_step`.

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.

    Raises:
        InvalidArgumentError: if no horizon is given and the environment has none, if it is not
            one of these, and where a wrapper in between changes what the user said.
    """

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        super().__init__(env, "last-step", horizon, features.last_step, features.last_step_bounds)


class SortedArms(gym.Wrapper[Array, int, Array, int], gym.utils.RecordConstructorArgs):
    """Sort the arms by acceptances, the most accepted first; an action is a rank.

    Arms are exchangeable, so a policy need not learn the same for each of their K! orders. In
    `ExplorativeUserBAI-v0` action K + r answers the arm of rank r.

    Args:
        env: an environment in `CountsObservation` or, which settles ties by all users before, in
            `PopulationCountsObservation`.

    Raises:
        InvalidArgumentError: for an environment that is not, or that changes the counts above it.
    """

    def __init__(self, env: gym.Env[Array, int]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        self._counts = counts_below(env, (CountsObservation, PopulationCountsObservation))
        self._n_times = 2 if isinstance(self._counts, PopulationCountsObservation) else 1
        gym.Wrapper.__init__(self, env)
        self._n_arms: int = env.unwrapped.user.n_arms  # type: ignore[attr-defined]
        self._order = np.arange(self._n_arms)
        self.observation_space = sorted_space(env.observation_space, self._counts)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start with a new user; ties are in the order of the arms."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._sorted(observation), info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Recommend (or answer) the arm of a rank."""
        known = self._actions()
        action = int(known[as_action(action, known.size)])
        observation, *rest, info = self.env.step(action)
        return self._sorted(observation), *rest, info  # type: ignore[return-value]

    @property
    def action_masks(self) -> Callable[[], Array]:
        """What returns the legal actions; there only if the environment below has it."""
        below: Callable[[], Array] = self.env.get_wrapper_attr("action_masks")
        return lambda: below()[self._actions()]

    def _sorted(self, observation: Array) -> Array:
        shown = self._counts.shown
        if observation is not shown and not np.array_equal(observation, shown):
            raise changed(self.env, "SortedArms")
        rows = observation[np.newaxis]
        ordered, order = features.by_acceptances(rows, self._n_arms, self._n_times)
        self._order = order[0]
        sorted_arms: Array = ordered[0]
        return sorted_arms

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        n_actions = int(self.action_space.n)  # type: ignore[attr-defined]
        actions: Array = features.actions_by_rank(self._order[np.newaxis], n_actions)[0]
        return actions

"""Wrappers of the vector environments: the same observations, for many users in step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, lane_actions
from explorative_user_env.protocol import Array
from explorative_user_env.wrappers import observations as features
from explorative_user_env.wrappers.single import (
    box,
    changed,
    counts_below,
    horizon_of,
    sorted_space,
    users_of,
)

Reset = tuple[Array, dict[str, Any]]
Stepped = tuple[Array, Array, Array, Array, dict[str, Any]]


class _HistoryObservation(VectorWrapper):
    """Show a function of each lane's history in place of the bare response."""

    _kind: type[ExplorativeUserVectorEnv] = ExplorativeUserVectorEnv

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        name: str,
        horizon: int | None,
        observe: Callable[[Any, Any], Array],
        bounds: Callable[[int], tuple[Array, Array]],
    ) -> None:
        self._users = users_of(env, self._kind, type(self).__name__)
        super().__init__(env)
        self._history: History = self._users.remember()
        n_users = getattr(self._users, "n_users", None)
        self._scale = features.scale_of(name, horizon_of(env, horizon), n_users)
        limits = bounds(self._users.user.n_arms)
        self.single_observation_space = box(limits, self._users, name, self._scale.horizon)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._observe = observe
        self.shown = self._observe(self._history, self._scale)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Reset:
        """Start with new users of whom nothing is known."""
        responses, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        if not (isinstance(responses, np.ndarray) and isinstance(infos, dict)):
            raise changed(self.env, type(self).__name__)
        return self._show(), infos

    def step(self, actions: Any) -> Stepped:
        """Do as the environment does, and show what has been heard of its users."""
        responses, rewards, terminated, truncated, infos = self.env.step(actions)
        self._check(self._history.steps, self._users.responses, responses, infos)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            last = {key: values[done] for key, values in infos["final_info"].items()}
            ended: History = self._users.ended
            heard = ended.responses() * last["has_response"]
            self._check(ended.steps, heard, infos["final_obs"][done].astype(int), last)
            shown = self._observe(ended, self._scale)
            infos = infos | {"final_obs": _each(shown, done, self.num_envs)}
        return self._show(), rewards, terminated, truncated, infos

    def _show(self) -> Array:
        """Return the observation."""
        self.shown = self._observe(self._history, self._scale)
        return self.shown

    def _check(self, steps: Array, heard: Array, responses: Array, infos: dict[str, Any]) -> None:
        """Make sure that what was handed over is what has happened: counts and responses."""
        told = infos.get("interactions")
        if not (_equal(told, steps) and _equal(responses, heard)):
            raise changed(self.env, type(self).__name__)


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    See `explorative_user_env.wrappers.CountsObservation`, which each lane equals.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that the scales end at; None is the environment's time limit.

    Raises:
        InvalidArgumentError: as there.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        super().__init__(env, "counts", horizon, features.counts, features.counts_bounds)


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of the present user, and of all users before her.

    See `explorative_user_env.wrappers.PopulationCountsObservation`, which each lane equals.

    Args:
        env: the vector form of `ExplorativePopulation-v0`.
        horizon: the steps of a user that her scales end at; None is the environment's.

    Raises:
        InvalidArgumentError: as there.
    """

    _kind = ExplorativePopulationVectorEnv

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        shown = (features.population_counts, features.population_bounds)
        super().__init__(env, "population-counts", horizon, *shown)


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    See `explorative_user_env.wrappers.LastStepObservation`, which each lane equals.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.

    Raises:
        InvalidArgumentError: as there.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        super().__init__(env, "last-step", horizon, features.last_step, features.last_step_bounds)


class SortedArms(VectorWrapper):
    """Sort each lane's arms by acceptances, the most accepted first; an action is a rank.

    See `explorative_user_env.wrappers.SortedArms`, which each lane equals.

    Args:
        env: a vector environment in `CountsObservation` or `PopulationCountsObservation`.

    Raises:
        InvalidArgumentError: as there.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        self._counts = counts_below(env, (CountsObservation, PopulationCountsObservation))
        self._n_times = 2 if isinstance(self._counts, PopulationCountsObservation) else 1
        super().__init__(env)
        self._n_arms: int = env.unwrapped.user.n_arms  # type: ignore[attr-defined]
        self._order = np.tile(np.arange(self._n_arms), (self.num_envs, 1))
        self.single_observation_space = sorted_space(env.single_observation_space, self._counts)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Reset:
        """Start with new users; ties are in the order of the arms."""
        observations, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        return self._sorted(observations), infos

    def step(self, actions: Any) -> Stepped:
        """Recommend (or answer) the arms of these ranks."""
        known = self._actions()
        ranks = lane_actions(actions, self.num_envs, known.shape[1])
        actions = known[np.arange(self.num_envs), ranks]
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            last = np.stack(infos["final_obs"][done])
            shown, _ = features.by_acceptances(last, self._n_arms, self._n_times)
            infos = infos | {"final_obs": _each(shown, done, self.num_envs)}
        return self._sorted(observations), rewards, terminated, truncated, infos

    @property
    def action_masks(self) -> Callable[[], Array]:
        """What returns the legal actions; there only if the environment below has it."""
        below: Callable[[], Array] = self.unwrapped.action_masks  # type: ignore[attr-defined]
        return lambda: np.take_along_axis(below(), self._actions(), axis=1)

    def _sorted(self, observations: Array) -> Array:
        shown = self._counts.shown
        if observations is not shown and not _equal(observations, shown):
            raise changed(self.env, "SortedArms")
        ordered, self._order = features.by_acceptances(observations, self._n_arms, self._n_times)
        return ordered

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        space = self.single_action_space
        assert isinstance(space, spaces.Discrete)
        return features.actions_by_rank(self._order, int(space.n))


def _equal(told: Any, true: Array) -> bool:
    """Return whether arrays are equal; quicker than NumPy's own for what may be anything."""
    fits = type(told) is np.ndarray and told.shape == true.shape
    return fits and bool((told == true).all())


def _each(observations: Array, lanes: Array, n_lanes: int) -> Array:
    """Return the observations of these lanes as Gymnasium has those of finished lanes."""
    last = np.full(n_lanes, None, dtype=object)
    for lane, observation in zip(lanes.tolist(), observations, strict=True):
        last[lane] = observation.copy()
    return last

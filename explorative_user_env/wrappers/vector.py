"""Wrappers of the vector environments: the same observations, for many users in step."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, lane_arms
from explorative_user_env.protocol import Array
from explorative_user_env.wrappers.observations import actions_by_rank
from explorative_user_env.wrappers.single import ShowsHistory, SortsArms, changed

Reset = tuple[Array, dict[str, Any]]
Stepped = tuple[Array, Array, Array, Array, dict[str, Any]]


class _HistoryObservation(ShowsHistory, VectorWrapper):
    """Show an observation of each lane's history in place of the bare response."""

    _kind: type[ExplorativeUserVectorEnv] = ExplorativeUserVectorEnv

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        space = self._find(env, self._kind, horizon)
        super().__init__(env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)
        self.shown = self._observe(self._history)

    def reset(self, **kwargs: Any) -> Reset:
        """Start with new users, of whom nothing is known."""
        responses, infos = self.env.reset(**kwargs)
        if not (isinstance(responses, np.ndarray) and isinstance(infos, dict)):
            raise changed(self.env, self)
        self.shown = self._observe(self._history)
        return self.shown, infos

    def step(self, actions: Any) -> Stepped:
        """Take a step, and observe the histories."""
        responses, rewards, terminated, truncated, infos = self.env.step(actions)
        self._check(self._history.steps, self._users.responses, responses, infos)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            last = {key: values[done] for key, values in infos["final_info"].items()}
            ended = self._users.ended
            heard = ended.responses() * last["has_response"]
            self._check(ended.steps, heard, infos["final_obs"][done].astype(int), last)
            final = _each(self._observe(ended), done, self.num_envs)
            infos = infos | {"final_obs": final}
        self.shown = self._observe(self._history)
        return self.shown, rewards, terminated, truncated, infos

    def _check(self, steps: Array, heard: Array, responses: Array, infos: dict[str, Any]) -> None:
        """Refuse counts and responses that are not those of the users."""
        if not (_equal(infos.get("interactions"), steps) and _equal(responses, heard)):
            raise changed(self.env, self)


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    Each lane equals `explorative_user_env.wrappers.CountsObservation`.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that the scales end at; None is the environment's time limit.

    Raises:
        InvalidArgumentError: as in the single wrapper.
    """

    name = "counts"


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of the present user, and of all users before her.

    Each lane equals `explorative_user_env.wrappers.PopulationCountsObservation`.

    Args:
        env: the vector form of `ExplorativePopulation-v0`.
        horizon: the steps of a user that her scales end at; None is the environment's.

    Raises:
        InvalidArgumentError: as in the single wrapper.
    """

    name = "population-counts"
    _kind = ExplorativePopulationVectorEnv


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    Each lane equals `explorative_user_env.wrappers.LastStepObservation`.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.

    Raises:
        InvalidArgumentError: as in the single wrapper.
    """

    name = "last-step"


class SortedArms(SortsArms, VectorWrapper):
    """Sort each lane's arms by acceptances, the most accepted first; an action is a rank.

    Each lane equals `explorative_user_env.wrappers.SortedArms`.

    Args:
        env: a vector environment in `CountsObservation` or `PopulationCountsObservation`.

    Raises:
        InvalidArgumentError: as in the single wrapper.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        space = self._find(env, (CountsObservation, PopulationCountsObservation))
        super().__init__(env)
        self._order = np.tile(np.arange(self._n_arms), (self.num_envs, 1))
        self.single_observation_space = space

    def reset(self, **kwargs: Any) -> Reset:
        """Start with new users; ties are in the order of the arms."""
        observations, infos = self.env.reset(**kwargs)
        return self._sorted(observations), infos

    def step(self, actions: Any) -> Stepped:
        """Recommend (or answer) the arms of these ranks."""
        known = self._actions()
        ranks = lane_arms(actions, self.num_envs, known.shape[1], in_range=True)
        below = known[np.arange(self.num_envs), ranks]
        observations, rewards, terminated, truncated, infos = self.env.step(below)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            shown, _ = self._by_acceptances(np.stack(infos["final_obs"][done]))
            infos = infos | {"final_obs": _each(shown, done, self.num_envs)}
        return self._sorted(observations), rewards, terminated, truncated, infos

    @property
    def action_masks(self) -> Callable[[], Array]:
        """The function that returns the legal actions, if the environment below has it."""
        below: Callable[[], Array] = self.unwrapped.action_masks  # type: ignore[attr-defined]
        return lambda: np.take_along_axis(below(), self._actions(), axis=1)

    def _sorted(self, observations: Array) -> Array:
        shown = self._counts.shown
        if observations is not shown and not _equal(observations, shown):
            raise changed(self.env, self)
        ordered, self._order = self._by_acceptances(observations)
        return ordered

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        n_actions = int(self.single_action_space.n)  # type: ignore[attr-defined]
        return actions_by_rank(self._order, n_actions)


def _equal(one: Any, other: Array) -> bool:
    """Return whether arrays are equal; quicker than NumPy's function for anything."""
    fits = type(one) is np.ndarray and one.shape == other.shape
    return fits and bool((one == other).all())


def _each(observations: Array, lanes: Array, n_lanes: int) -> Array:
    """Return the observations of finished lanes in Gymnasium's form."""
    last = np.full(n_lanes, None, dtype=object)
    for lane, observation in zip(lanes.tolist(), observations, strict=True):
        last[lane] = observation.copy()
    return last

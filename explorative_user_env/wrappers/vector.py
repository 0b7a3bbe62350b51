"""Observation wrappers of vector environments: the same observations, for many users."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from explorative_user_env import protocol
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.counts_envs import (
    ExplorativePopulationCountsVectorEnv,
    ExplorativeUserBAICountsVectorEnv,
    ExplorativeUserCountsVectorEnv,
)
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv, Stepped, lane_arms
from explorative_user_env.protocol import BAI, POPULATION, REGRET, Array, Task
from explorative_user_env.validation import choice
from explorative_user_env.wrappers import ShowsHistory, SortsArms, changed
from explorative_user_env.wrappers.observations import observations_of

Reset = tuple[Array, dict[str, Any]]


class _HistoryObservation(ShowsHistory, VectorWrapper):
    """Replace each lane's response by an observation of its history of responses."""

    _kind: type[ExplorativeUserVectorEnv] = ExplorativeUserVectorEnv

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        space = self._find(env, self._kind, horizon)
        super().__init__(env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)
        self.shown = self._observe(self._history)

    def reset(self, **kwargs: Any) -> Reset:
        """Start episodes with new users and empty histories."""
        responses, infos = self.env.reset(**kwargs)
        if not (isinstance(responses, np.ndarray) and isinstance(infos, dict)):
            raise changed(self.env, self)
        self.shown = self._observe(self._history)
        return self.shown, infos

    def step(self, actions: Any) -> Stepped:
        """Take a step and observe the histories."""
        responses, rewards, terminated, truncated, infos = self.env.step(actions)
        self._check(self._history.steps, self._users.responses, responses, infos)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            last = {key: values[done] for key, values in infos["final_info"].items()}
            ended = self._users.ended
            actual = ended.responses() * last["has_response"]
            self._check(ended.steps, actual, infos["final_obs"][done].astype(int), last)
            final = _each(self._observe(ended), done, self.num_envs)
            infos = infos | {"final_obs": final}
        self.shown = self._observe(self._history)
        return self.shown, rewards, terminated, truncated, infos

    def _check(self, steps: Array, actual: Array, responses: Array, infos: dict[str, Any]) -> None:
        """Raise an error if a wrapper changed the counts or the responses of the users."""
        if not (_equal(infos.get("interactions"), steps) and _equal(responses, actual)):
            raise changed(self.env, self)


class CountsObservation(_HistoryObservation):
    """Observe the counts of each lane's arms, as `wrappers.CountsObservation`."""

    name = "counts"


class PopulationCountsObservation(_HistoryObservation):
    """Observe the counts of all users of each lane, as `wrappers.PopulationCountsObservation`."""

    name = "population-counts"
    _kind = ExplorativePopulationVectorEnv


class LastStepObservation(_HistoryObservation):
    """Observe each lane's last arm, response and time, as `wrappers.LastStepObservation`."""

    name = "last-step"


class SortedArms(SortsArms, VectorWrapper):
    """Sort each lane's arms by acceptances, as `wrappers.SortedArms`; an action is a rank."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        space = self._find(env, (CountsObservation, PopulationCountsObservation))
        super().__init__(env)
        self.single_observation_space = space

    def reset(self, **kwargs: Any) -> Reset:
        """Start episodes with new users; tied arms stay in the order of their numbers."""
        observations, infos = self.env.reset(**kwargs)
        return self._sorted(observations), infos

    def step(self, actions: Any) -> Stepped:
        """Recommend or answer the arms of these ranks."""
        by_rank = self._actions()
        ranks = lane_arms(actions, self.num_envs, by_rank.shape[1], in_range=True)
        arms = by_rank[np.arange(self.num_envs), ranks]
        observations, rewards, terminated, truncated, infos = self.env.step(arms)
        if infos.get("final_obs") is not None:
            done = np.flatnonzero(infos["_final_obs"])
            shown, _ = self._by_acceptances(np.stack(infos["final_obs"][done]))
            infos = infos | {"final_obs": _each(shown, done, self.num_envs)}
        return self._sorted(observations), rewards, terminated, truncated, infos

    @property
    def action_masks(self) -> Callable[[], Array]:
        """The function that returns the legal actions by rank, if the environment has masks."""
        masks: Callable[[], Array] = self.unwrapped.action_masks  # type: ignore[attr-defined]
        return lambda: np.take_along_axis(masks(), self._actions(), axis=1)

    def _sorted(self, observations: Array) -> Array:
        shown = self._counts.shown
        if observations is not shown and not _equal(observations, shown):
            raise changed(self.env, self)
        ordered, self._order = self._by_acceptances(observations)
        return ordered


def _equal(one: Any, other: Array) -> bool:
    """Return whether arrays are equal; faster than `np.array_equal`."""
    fits = type(one) is np.ndarray and one.shape == other.shape
    return fits and bool((one == other).all())


def _each(observations: Array, lanes: Array, n_lanes: int) -> Array:
    """Return the observations of finished lanes as an object array, as Gymnasium does."""
    last = np.full(n_lanes, None, dtype=object)
    for lane, observation in zip(lanes.tolist(), observations, strict=True):
        last[lane] = observation.copy()
    return last


#: The vector environments by task and observation; other observations need wrappers.
ENVIRONMENTS: dict[tuple[Task, str], type[ExplorativeUserVectorEnv]] = {
    (REGRET, "response"): ExplorativeUserVectorEnv,
    (REGRET, "sorted-counts"): ExplorativeUserCountsVectorEnv,
    (BAI, "response"): ExplorativeUserBAIVectorEnv,
    (BAI, "sorted-counts"): ExplorativeUserBAICountsVectorEnv,
    (POPULATION, "response"): ExplorativePopulationVectorEnv,
    (POPULATION, "sorted-population-counts"): ExplorativePopulationCountsVectorEnv,
}

_WRAPPERS = {
    "counts": (CountsObservation,),
    "sorted-counts": (CountsObservation, SortedArms),
    "population-counts": (PopulationCountsObservation,),
    "last-step": (LastStepObservation,),
}


def make_task(
    task: Task | str,
    num_envs: int,
    observation: str = "sorted-counts",
    horizon: int | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return the vector environment of a task, wrapped for an observation.

    Args:
        task: "regret", "bai" or "population".
        num_envs: number of users, at least 1.
        observation: "response", "counts", "sorted-counts" or "last-step"; in "population" also
            "population-counts" or "sorted-population-counts"; see `wrappers.observations`.
        horizon: number of steps of an episode, in "population" of each user; None is the task's
            horizon: 500 for "regret", 2000 for "bai", 300 for "population".
        **kwargs: arguments of the task's vector environment.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """
    task = protocol.as_task(task)
    protocol.refuse_member_options(task, kwargs)
    choice("observation", observation, observations_of(task))
    steps = task.horizon if horizon is None else protocol.stored_steps("horizon", horizon)
    kwargs |= {"horizon": steps} | ({"max_episode_steps": steps} if task == REGRET else {})
    if (task, observation) in ENVIRONMENTS:
        return ENVIRONMENTS[task, observation](num_envs, **kwargs)
    envs: VectorEnv[Any, Any, Any] = ENVIRONMENTS[task, "response"](num_envs, **kwargs)
    for wrapper in _WRAPPERS[observation]:
        envs = wrapper(envs)
    return envs

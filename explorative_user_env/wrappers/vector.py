"""Wrappers of the vector environments: the same observations, for many users in step."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from explorative_user_env.envs.history import History
from explorative_user_env.envs.vector_form import lane_actions
from explorative_user_env.protocol import Array
from explorative_user_env.wrappers import features as features
from explorative_user_env.wrappers.surroundings import arms_of_counts, box, horizon_of

Reset = tuple[Array, dict[str, Any]]
Stepped = tuple[Array, Array, Array, Array, dict[str, Any]]


class _HistoryObservation(VectorWrapper):
    """Show a function of each lane's history in place of the bare response."""

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        horizon: int | None,
        observe: Callable[[History, features.Scale], Array],
        bounds: Callable[[int], tuple[Array, Array]],
    ) -> None:
        super().__init__(env)
        n_arms = env.unwrapped.user.n_arms  # type: ignore[attr-defined]
        self.single_observation_space = box(bounds(n_arms))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._history = History(self.num_envs, n_arms)
        self._scale = features.Scale(horizon_of(env, horizon))
        self._observe = observe
        self._mode = env.metadata["autoreset_mode"]
        self._done = np.zeros(self.num_envs, bool)
        self._observations = self._observe(self._history, self._scale)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Reset:
        """Start with new users of whom nothing is known."""
        chosen = None if options is None else options.get("reset_mask")
        _, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        lanes = np.ones(self.num_envs, bool) if chosen is None else chosen
        self._history.forget(lanes)
        self._done[lanes] = False
        self._observations[lanes] = self._observe(self._history, self._scale)[lanes]
        return self._observations.copy(), infos

    def step(self, actions: Any) -> Stepped:
        """Do as the environment does, and remember the responses."""
        responses, rewards, terminated, truncated, infos = self.env.step(actions)
        arms = np.asarray(actions)
        done = terminated | truncated
        heard = infos["has_response"]
        restarts = self._mode == AutoresetMode.SAME_STEP and bool(done.any())
        if restarts:
            # What a finished lane heard last is with its last observation.
            heard = np.where(done, infos["final_info"]["has_response"], heard)
            responses = np.where(done, infos["final_obs"], responses).astype(int)
        elif self._mode == AutoresetMode.NEXT_STEP and self._done.any():
            self._history.forget(self._done)
        lanes = np.flatnonzero(heard)
        self._history.record(lanes, arms[lanes], responses[lanes])
        self._observations = self._observe(self._history, self._scale)
        if restarts:
            infos = infos | {"final_obs": _each(self._observations, done)}
            self._history.forget(done)
            self._observations[done] = self._observe(self._history, self._scale)[done]
        self._done = done
        return self._observations.copy(), rewards, terminated, truncated, infos


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    See `explorative_user_env.wrappers.CountsObservation`, which each lane equals.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that the scales end at; None is the environment's time limit.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        super().__init__(env, horizon, features.counts, features.counts_bounds)


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    See `explorative_user_env.wrappers.LastStepObservation`, which each lane equals.

    Args:
        env: the vector form of `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], horizon: int | None = None) -> None:
        super().__init__(env, horizon, features.last_step, features.last_step_bounds)


class SortedArms(VectorWrapper):
    """Sort each lane's arms by acceptances, the most accepted first; an action is a rank.

    See `explorative_user_env.wrappers.SortedArms`, which each lane equals.

    Args:
        env: a vector environment in `CountsObservation`.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._n_arms = arms_of_counts(env, env.single_observation_space)
        self._order = np.tile(np.arange(self._n_arms), (self.num_envs, 1))

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
            done = terminated | truncated
            last = np.stack(infos["final_obs"][done])
            shown = np.zeros((self.num_envs, last.shape[1]), last.dtype)
            shown[done], _ = features.by_acceptances(last, self._n_arms)
            infos = infos | {"final_obs": _each(shown, done)}
        return self._sorted(observations), rewards, terminated, truncated, infos

    @property
    def action_masks(self) -> Callable[[], Array]:
        """What returns the legal actions; there only if the environment below has it."""
        below: Callable[[], Array] = self.unwrapped.action_masks  # type: ignore[attr-defined]
        return lambda: np.take_along_axis(below(), self._actions(), axis=1)

    def _sorted(self, observations: Array) -> Array:
        ordered, self._order = features.by_acceptances(observations, self._n_arms)
        return ordered

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        space = self.single_action_space
        assert isinstance(space, spaces.Discrete)
        return features.actions_by_rank(self._order, int(space.n))


def _each(observations: Array, lanes: Array) -> Array:
    """Return these lanes' observations as Gymnasium has those of finished lanes."""
    last = np.full(lanes.size, None, dtype=object)
    for lane in np.flatnonzero(lanes).tolist():
        last[lane] = observations[lane].copy()
    return last

"""Wrappers of the single environments, `ExplorativeUser-v0` and `ExplorativeUserBAI-v0`."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.history import History
from explorative_user_env.envs.spaces import as_action
from explorative_user_env.protocol import ONLY, Array
from explorative_user_env.wrappers import features as features
from explorative_user_env.wrappers.surroundings import arms_of_counts, box, horizon_of


class _HistoryObservation(gym.Wrapper[Array, int, int, int], gym.utils.RecordConstructorArgs):
    """Show a function of the history in place of the bare response."""

    def __init__(
        self,
        env: gym.Env[int, int],
        horizon: int | None,
        observe: Callable[[History, features.Scale], Array],
        bounds: Callable[[int], tuple[Array, Array]],
    ) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, horizon=horizon)
        gym.Wrapper.__init__(self, env)  # type: ignore[misc]
        n_arms = env.get_wrapper_attr("user").n_arms
        self.observation_space = box(bounds(n_arms))
        self._history = History(1, n_arms)
        self._scale = features.Scale(horizon_of(env, horizon))
        self._observe = observe

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start with a new user of whom nothing is known."""
        _, info = self.env.reset(seed=seed, options=options)
        self._history.forget(ONLY)
        return self._observe(self._history, self._scale)[0], info

    def step(self, action: int) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Do as the environment does, and remember the response."""
        response, reward, terminated, truncated, info = self.env.step(action)
        if info["has_response"]:
            self._history.record(ONLY, np.reshape(action, 1), np.full(1, response))
        observation = self._observe(self._history, self._scale)[0]
        return observation, reward, terminated, truncated, info


class CountsObservation(_HistoryObservation):
    """Observe each arm's acceptances, rejections, latest response and rejections since accepted.

    A `Box` of 4 K + 1 float32 numbers, see `features.counts`: a policy without memory sees all
    that matters, where on the bare response it can learn nothing.

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that the scales end at; None is the environment's time limit.

    Raises:
        InvalidArgumentError: if no horizon is given and the environment has none.
    """

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        super().__init__(env, horizon, features.counts, features.counts_bounds)


class LastStepObservation(_HistoryObservation):
    """Observe the last arm (one-hot), its response and the time; for recurrent policies.

    A `Box` of K + 2 float32 numbers, see `features.last_step`.

    Args:
        env: an `ExplorativeUser-v0` or `ExplorativeUserBAI-v0`, made or raw.
        horizon: the number of steps that time is a fraction of; None is the environment's limit.

    Raises:
        InvalidArgumentError: if no horizon is given and the environment has none.
    """

    def __init__(self, env: gym.Env[int, int], horizon: int | None = None) -> None:
        super().__init__(env, horizon, features.last_step, features.last_step_bounds)


class SortedArms(gym.Wrapper[Array, int, Array, int], gym.utils.RecordConstructorArgs):
    """Sort the arms by acceptances, the most accepted first; an action is a rank.

    Arms are exchangeable, so a policy need not learn the same for each of their K! orders. In
    `ExplorativeUserBAI-v0` action K + r answers the arm of rank r.

    Args:
        env: an environment in `CountsObservation`.

    Raises:
        InvalidArgumentError: for an environment that is not.
    """

    def __init__(self, env: gym.Env[Array, int]) -> None:
        gym.utils.RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self._n_arms = arms_of_counts(env, env.observation_space)
        self._order = np.arange(self._n_arms)

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
        ordered, order = features.by_acceptances(observation[np.newaxis], self._n_arms)
        self._order = order[0]
        sorted_arms: Array = ordered[0]
        return sorted_arms

    def _actions(self) -> Array:
        """Return the action below of each action: K recommendations, perhaps K answers."""
        n_actions = int(self.action_space.n)  # type: ignore[attr-defined]
        actions: Array = features.actions_by_rank(self._order[np.newaxis], n_actions)[0]
        return actions

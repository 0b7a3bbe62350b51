"""Wrappers of the single environments, `ExplorativeUser-v0` and `ExplorativeUserBAI-v0`."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.envs.history import History
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.envs.spaces import as_action
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Array
from explorative_user_env.wrappers import features as features
from explorative_user_env.wrappers.surroundings import (
    box,
    changed,
    counts_below,
    horizon_of,
    sorted_space,
    users_of,
)


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

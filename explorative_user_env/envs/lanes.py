"""Lanes, which run many users in parallel; `compiled_lanes` has the faster class."""

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from explorative_user_env.envs import MAX_EPISODE_STEPS
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Array
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.population import Population


class Step(NamedTuple):
    """The results of a step: arrays of shape (n_lanes,)."""

    responses: Array  # 1 accepted, 0 rejected
    rewards: Array
    interactions: Array  # t
    acceptances: Array  # n(t)
    left: Array  # whether the user has left

    @classmethod
    def blank(cls, n_lanes: int, filled: bool = False) -> Self:
        """Return a step of zeros, or if `filled` a step of arrays that the caller will fill in."""
        new = np.empty if filled else np.zeros
        numbers = new(n_lanes, int), new(n_lanes), new(n_lanes, int), new(n_lanes, int)
        return cls(*numbers, np.zeros(n_lanes, bool))


class Lanes:
    """Many users in parallel, as a loop over single environments, without compiled code.

    Args:
        population: the distribution of the users.
        reward: the reward, one of `REWARDS`.
        rngs: a random stream for each lane.
        label: function that describes the user in a lane for an error message.
        horizon: the `horizon` of `ExplorativeUserEnv`, in steps.
    """

    compiled = False

    def __init__(
        self,
        population: Population,
        reward: str,
        rngs: Iterable[np.random.Generator],
        label: Callable[[int], str] = "the user in lane {}".format,
        horizon: int = MAX_EPISODE_STEPS,
    ) -> None:
        self._population, self._label, self._rngs = population, label, list(rngs)
        self._make(reward, horizon)

    def _make(self, reward: str, horizon: int) -> None:
        first = ExplorativeUserEnv(population=self._population, reward=reward, horizon=horizon)
        self._envs: list[Any] = []
        for lane, rng in enumerate(self._rngs):
            env: Any = copy.copy(first)
            env._state, env._stream = first.behaviour.blank(first.user), rng
            env._label = partial(self._label, lane)
            self._envs.append(env)

    @property
    def rngs(self) -> list[np.random.Generator]:
        """The random streams of the lanes, in their present states."""
        return [env.settle() for env in self._envs]

    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Give the next user of `lane` a random stream that continues from the state of `rng`."""
        self._envs[lane]._stream = rng

    def begin(self, lanes: Array, law: InstanceLaw | Sequence[InstanceLaw]) -> None:
        """Draw new users in these lanes, from one law of instances or one law for each lane."""
        for place, lane in enumerate(lanes.tolist()):
            env = self._envs[lane]
            env.draw_user(law if isinstance(law, InstanceLaw) else law[place], env.settle())

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arm `arms[b]` in lane b, for each b in `lanes` (None: all); fill in `step`.

        Returns:
            Whether all of `arms` are valid; if not, no user has responded.

        Raises:
            CallableError: if a rho_t leaves its declared range, or a custom function fails.
        """
        recommended, envs = arms.tolist(), self._envs
        if min(recommended) < 0 or max(recommended) >= self._population.n_arms:
            return False
        responses, rewards, interactions, acceptances, left = step
        for lane in range(len(envs)) if lanes is None else lanes.tolist():
            responses[lane], rewards[lane], has_left, _, info = envs[lane].step(recommended[lane])
            interactions[lane], acceptances[lane] = info["interactions"], info["acceptances"]
            if has_left:
                left[lane] = True
        return True

    def instances(self) -> tuple[Instance, ...]:
        """Return the present true means and best arm of every user."""
        return tuple(env.instance() for env in self._envs)

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        return np.array([self._envs[lane].instance().best_arm for lane in lanes.tolist()], int)

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the hidden state of the user in a lane."""
        state: HiddenState = self._envs[lane].hidden_state()
        return state

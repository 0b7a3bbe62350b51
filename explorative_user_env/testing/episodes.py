"""What environments hand out over some episodes, one user or many in step, in a comparable form."""

import copy
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from explorative_user_env.testing.checks import FailedCheckError, in_words
from explorative_user_env.validation import one_line

STEPS_TOGETHER = 40
"""Of all episodes that a check plays."""

OF_A_STEP = ("observation", "reward", "terminated", "truncated", "info")
"""What a step returns."""

OF_A_RESET = (OF_A_STEP[0], OF_A_STEP[-1])
"""What a reset returns."""

Handed = tuple[Any, ...]


def told(value: Any) -> Any:
    """Return whatever an environment hands out, so that == sees types, shapes and every bit."""
    if isinstance(value, dict):
        return {key: told(each) for key, each in sorted(value.items())}
    if type(value) is tuple:
        return [told(each) for each in value]
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, repr(value.tolist()))
    return repr(value)


class Playing:
    """An environment that is played with at random, but by the seed, from episode to episode.

    Args:
        env: of one user or of many in step.
        seed: of the reset and of the actions.
        actions: the space of the actions; None is the environment's.
    """

    def __init__(self, env: Any, seed: int, actions: Any = None) -> None:
        self.env = env
        self.step, self.seed = 0, seed
        self._actions = copy.deepcopy(env.action_space if actions is None else actions)
        self._actions.seed(seed)
        self._done: Any = None

    def begin(self) -> Handed:
        """Reset it with the seed."""
        return self._called("reset", seed=self.seed)

    def go_on(self) -> Handed:
        """Take a step, or reset what has ended where nobody else does."""
        self.step += 1
        if self._done is not None and np.any(self._done):
            done, self._done = self._done, None
            if not isinstance(self.env, VectorEnv):
                return self._called("reset")
            if self.env.metadata.get("autoreset_mode") == AutoresetMode.DISABLED:
                return self._called("reset", options={"reset_mask": np.array(done)})
        handed = self._called("step", self.action())
        if len(handed) == len(OF_A_STEP):
            self._done = np.logical_or(handed[2], handed[3])
        return handed

    def action(self) -> Any:
        """Return the next action."""
        return self._actions.sample()

    def all(self, n_steps: int = STEPS_TOGETHER) -> Iterator[Handed]:
        """Yield what the reset and each of these steps hand out."""
        yield self.begin()
        for _ in range(n_steps):
            yield self.go_on()

    def _called(self, method: str, *given: Any, **options: Any) -> Handed:
        try:
            handed = getattr(self.env, method)(*given, **options)
        except Exception as error:
            raise FailedCheckError(f"{method} {in_words(error)} ({self.when})") from error
        parts = OF_A_RESET if method == "reset" else OF_A_STEP
        if not isinstance(handed, tuple) or len(handed) != len(parts):
            shown = f"{method} returned {one_line(repr(handed))}"
            raise FailedCheckError(f"{shown}, must be ({', '.join(parts)}) ({self.when})")
        return handed

    @property
    def when(self) -> str:
        """In words, how far it has come."""
        return f"at step {self.step} after reset(seed={self.seed})"


def expect_handed(found: Handed, wanted: Handed, when: str) -> None:
    """Make sure that the same was handed out, to the bit.

    Args:
        found: what a reset or a step returned.
        wanted: what it returned before, or elsewhere.
        when: in words, the step and what was different; nothing may follow from it.

    Raises:
        FailedCheckError: naming the part that differs.
    """
    parts = OF_A_STEP if len(found) == len(OF_A_STEP) else OF_A_RESET
    for part, one, other in zip(parts, found, wanted, strict=True):
        if told(one) != told(other):
            shown = f"{one_line(repr(one))} instead of {one_line(repr(other))}"
            raise FailedCheckError(f"{part} was {shown} {when}")


def expect_same_play(env: Any, wanted: list[Handed], seed: int, how: str) -> None:
    """Make sure that an environment hands out once more what was handed out before.

    Args:
        env: the environment.
        wanted: what a reset and steps returned.
        seed: of both.
        how: in words, what is different.
    """
    playing = Playing(env, seed)
    for found, other in zip(playing.all(len(wanted) - 1), wanted, strict=True):
        expect_handed(found, other, f"{playing.when} {how}")


def n_actions_of(env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any]) -> int:
    """Return how many actions there are, 0 where they are no numbers from 0 on."""
    space = getattr(env, "single_action_space", env.action_space)
    return int(space.n) if isinstance(space, gym.spaces.Discrete) and space.start == 0 else 0

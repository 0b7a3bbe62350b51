"""Runs that another thread breaks off: an interrupted evaluation leaves none that go on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np

from explorative_user_env.protocol import Array

Env = gym.Env[Any, Any]


class HaltedError(Exception):
    """The run was broken off by who asked for it, and nobody waits for its result."""


def new_halt() -> Array:
    """Return what runs of this process look at as they go: 0 is to go on, 1 to end at once."""
    return np.zeros(1, np.int64)


def go_on(halt: Array | None) -> None:
    """Do nothing, unless what runs is to end at once.

    Raises:
        HaltedError: if it is.
    """
    if halt is not None and halt[0]:
        raise HaltedError


def halting(env: Env, halt: Array | None) -> Env:
    """Return an environment that looks before each step whether the run is to end at once."""
    return env if halt is None else _Halting(env, halt)


class _Halting(gym.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: Env, halt: Array) -> None:
        super().__init__(env)
        self._halt = halt

    def step(self, action: Any) -> Any:
        """Take a step, if there is to be another."""
        go_on(self._halt)
        return self.env.step(action)


@contextmanager
def halts(halt: Array | None) -> Iterator[None]:
    """Tell runs to end at once if the block does not end as it should."""
    try:
        yield
    except BaseException:
        if halt is not None:
            halt[0] = 1
        raise

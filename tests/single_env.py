"""One user's environment, played with and checked."""

from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}
MEANS = [0.0, 3.0, -2.0]
LEAVING: dict[str, Any] = {"n_arms": 3, "alpha": 0.02, "behaviour": "impatient(probability=0.3)"}
"""Users most of whom leave within twenty steps."""


def arms(steps: int, n_arms: int = 3, seed: int = 0) -> list[int]:
    drawn: list[int] = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    return drawn


def play(env: gym.Env[int, int], actions: Iterable[int]) -> list[tuple[Any, ...]]:
    return [env.step(arm) for arm in actions]


def started(seed: int = 0, **kwargs: Any) -> ExplorativeUserEnv:
    """Return the environment of a new user with three arms."""
    given: dict[str, Any] = {"n_arms": 3, "means": MEANS} | kwargs
    env = ExplorativeUserEnv(**given)
    env.reset(seed=seed)
    return env


def begun_bai(seed: int = 0, **kwargs: Any) -> ExplorativeUserBAIEnv:
    """Return the same user, whose best arm is to be named; a step costs a quarter."""
    given: dict[str, Any] = {"n_arms": 3, "means": MEANS, "step_cost": 0.25} | kwargs
    env = ExplorativeUserBAIEnv(**given)
    env.reset(seed=seed)
    return env


def check_for_sb3(env: gym.Env[Any, Any]) -> None:
    """Stable-Baselines3's checker has nothing to say; without the library this is skipped."""
    checkers = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs rl")
    checkers.check_env(env)

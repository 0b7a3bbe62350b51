"""One user's environment, played with and checked."""

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}
MEANS = [0.0, 3.0, -2.0]
LEAVING = {"n_arms": 3, "alpha": 0.02, "behaviour": "impatient(probability=0.3)"}
"""Users most of whom leave within twenty steps."""


def arms(steps, n_arms=3, seed=0):
    drawn = np.random.default_rng(seed).integers(n_arms, size=steps).tolist()
    return drawn


def play(env, actions):
    return [env.step(arm) for arm in actions]


def started(seed=0, **kwargs):
    """Return the environment of a new user with three arms."""
    given = {"n_arms": 3, "means": MEANS} | kwargs
    env = ExplorativeUserEnv(**given)
    env.reset(seed=seed)
    return env


def begun_bai(seed=0, **kwargs):
    """Return the same user, whose best arm is to be named; a step costs a quarter."""
    given = {"n_arms": 3, "means": MEANS, "step_cost": 0.25} | kwargs
    env = ExplorativeUserBAIEnv(**given)
    env.reset(seed=seed)
    return env


def check_for_sb3(env):
    """Stable-Baselines3's checker has nothing to say; without the library this is skipped."""
    checkers = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs rl")
    checkers.check_env(env)

"""Environments of users who have begun: one alone, or three in step."""

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}
MEANS = [0.0, 3.0, -2.0]
LEAVING = {"n_arms": 3, "alpha": 0.02, "behaviour": "impatient(probability=0.3)"}
"""Users most of whom leave within twenty steps."""


def arms(steps, n_arms=3, seed=0):
    return np.random.default_rng(seed).integers(n_arms, size=steps).tolist()


def play(env, actions):
    return [env.step(action) for action in actions]


def started(kind=ExplorativeUserEnv, seed=0, **kwargs):
    """Return the environment of a new user with three arms."""
    env = kind(**{"n_arms": 3, "means": MEANS} | kwargs)
    env.reset(seed=seed)
    return env


def begun(compiled, kind=ExplorativeUserVectorEnv, **kwargs):
    """Return three users with four arms each, who have had two recommendations."""
    given = {"n_arms": 4, "noise": 0.1, "render_mode": "ansi"} | kwargs
    vector = kind(3, compiled=compiled, **given)
    vector.reset(seed=5)
    vector.step([0, 1, 2])
    vector.step([1, 1, 3])
    return vector


def everything(vector):
    """Return the truth about every user, what is shown of her, and where her stream is."""
    states = [rng.bit_generator.state for rng in vector.np_random]
    masks = vector.action_masks().tolist() if hasattr(vector, "action_masks") else None
    return vector.hidden_states(), vector.render(), vector.np_random_seed, states, masks


def check_for_sb3(env):
    """Stable-Baselines3's checker has nothing to say; without the library this is skipped."""
    checkers = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs rl")
    checkers.check_env(env)

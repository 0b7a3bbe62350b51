"""What a wrapper must know of the environment below it."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from explorative_user_env.validation import InvalidArgumentError, integer
from explorative_user_env.wrappers.features import length_of


def horizon_of(env: Any, horizon: int | None) -> int:
    """Return the number of steps of an episode: what is given, or else the least limit there is."""
    if horizon is None:
        limits = [
            # Many users know their own limit; Gymnasium's specification of them says the id's.
            getattr(env.spec, "max_episode_steps", None) if isinstance(env, gym.Env) else None,
            getattr(env.unwrapped, "max_episode_steps", None),
            getattr(env.unwrapped, "horizon", None),
        ]
        while env is not env.unwrapped:
            if isinstance(env, TimeLimit):
                limits.append(env._max_episode_steps)
            env = env.env
        horizon = min((limit for limit in limits if limit is not None), default=None)
    if horizon is None:
        raise InvalidArgumentError("horizon", None, "given, as the environment has no time limit")
    return integer("horizon", horizon, 1)


def box(bounds: tuple[Any, Any]) -> spaces.Box:
    """Return the space of observations between these bounds."""
    return spaces.Box(*bounds, dtype=np.float32)


def arms_of_counts(env: Any, space: spaces.Space[Any]) -> int:
    """Return K, if `space` is that of `CountsObservation`, which `SortedArms` sorts."""
    n_arms: int = env.unwrapped.user.n_arms
    if space.shape != (length_of("counts", n_arms),):
        raise InvalidArgumentError("env", space, "wrapped in CountsObservation")
    return n_arms

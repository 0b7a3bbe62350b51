"""What a wrapper must know of the environment below it."""

from typing import Any

import numpy as np
from gymnasium import spaces

from explorative_user_env.observations import ARM_FEATURES
from explorative_user_env.validation import InvalidArgumentError, integer


def horizon_of(env: Any, horizon: int | None) -> int:
    """Return the number of steps of an episode: what is given, or else the environment's own."""
    if horizon is None:
        own = (
            getattr(getattr(env, "spec", None), "max_episode_steps", None),
            getattr(env.unwrapped, "max_episode_steps", None),
            getattr(env.unwrapped, "horizon", None),
        )
        horizon = next((steps for steps in own if steps is not None), None)
    if horizon is None:
        raise InvalidArgumentError("horizon", None, "given, as the environment has no time limit")
    return integer("horizon", horizon, 1)


def box(bounds: tuple[Any, Any]) -> spaces.Box:
    """Return the space of observations between these bounds."""
    return spaces.Box(*bounds, dtype=np.float32)


def arms_of_counts(space: Any) -> int:
    """Return K from the observations of `CountsObservation`, which `SortedArms` sorts."""
    length = space.shape[0] if isinstance(space, spaces.Box) and len(space.shape) == 1 else 0
    n_arms, rest = divmod(length - 1, len(ARM_FEATURES))
    if n_arms < 2 or rest:
        raise InvalidArgumentError("env", space, "wrapped in CountsObservation")
    return n_arms

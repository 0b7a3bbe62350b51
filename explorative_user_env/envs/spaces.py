"""The spaces of arms and responses, and actions as whoever calls writes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from explorative_user_env.validation import integer


def as_action(action: Any, n_actions: int) -> int:
    """Return an action as an int; it may be any integer or an array of one.

    Raises:
        InvalidArgumentError: if it is none of 0..n_actions-1.
    """
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())[()]
    return integer("action", action, 0, n_actions - 1)


def labelled(space: spaces.Space[Any], **reading: Any) -> spaces.Space[Any]:
    """Write on a space how its observations are to be read, and return it.

    A model of Stable-Baselines3 keeps the space that it was trained on, also in its file: so it can
    say what it was trained on wherever it turns up.

    Args:
        space: of one user's observations.
        **reading: task, observation, n_arms, horizon, mask, as far as they are known.
    """
    space.reading = dict(reading_of(space)) | reading  # type: ignore[attr-defined]
    return space


def reading_of(space: Any) -> Mapping[str, Any]:
    """Return what `labelled` wrote on a space; nothing if it is another's."""
    return getattr(space, "reading", {})


def discrete(n: int) -> spaces.Space[int]:
    """Return the space of 0..n-1."""
    # Discrete is annotated with np.int64; its samples and our observations pass for int.
    return spaces.Discrete(n)  # type: ignore[return-value]

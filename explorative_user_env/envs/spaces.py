"""The spaces of arms and responses, and actions as whoever calls writes them."""

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


def discrete(n: int) -> spaces.Space[int]:
    """Return the space of 0..n-1."""
    # Discrete is annotated with np.int64; its samples and our observations pass for int.
    return spaces.Discrete(n)  # type: ignore[return-value]

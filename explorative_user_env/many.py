"""The contract of an agent that meets many users in step, as a neural policy had better do."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

Array = np.ndarray[Any, Any]


@runtime_checkable
class ManyUserAgent(Protocol):
    """What an evaluation calls in place of `Agent`'s methods where it finds them.

    The users do not know of each other, and what an agent does with one must not depend on who
    else is there: an evaluation may hand it the same users in other company.
    """

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        """Forget everything and get ready for new users, each with a random stream of her own."""

    def act_all(self, users: Array) -> Array:
        """Return the arm to recommend next to each of these users, `STOP` to stop with one.

        Args:
            users: numbers among 0..n-1, the users with whom the agent has not stopped.
        """

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Take in these users' responses."""

    def answer_all(self, users: Array) -> Array:
        """Return the arm believed to be the best of each of these users."""

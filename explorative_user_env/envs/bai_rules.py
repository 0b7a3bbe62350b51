"""Best-arm identification as an RL task: what ends it, what it pays, and when an answer is legal.

The rules of `ExplorativeUserBAI-v0`, for one user or, as arrays, for many.
"""

from typing import Any

import numpy as np

from explorative_user_env.envs.pictures import HAS_LEFT
from explorative_user_env.protocol import Array

MASKS = ("rejections", "none")
NO_ANSWER = -1
"""The answer of an episode that the horizon ended."""

RIGHT, WRONG = 1.0, -1.0
"""What an answer pays; none by the horizon, or until she leaves, pays as much as a wrong one."""


def may_answer(n_last_rejected: Any, n_arms: int, mask: str) -> Any:
    """Return whether answers are legal.

    Args:
        n_last_rejected: how many arms' latest response is a rejection.
        n_arms: K.
        mask: "rejections", from K - 1 of them on, or "none", always.
    """
    least = n_arms - 1 if mask == "rejections" else 0
    return n_last_rejected >= least


def masks(legal: Array, n_arms: int) -> Array:
    """Return the legal actions, shape (n_lanes, 2 K): every recommendation, and perhaps answers."""
    allowed = np.ones((len(legal), 2 * n_arms), bool)
    allowed[:, n_arms:] = legal[:, np.newaxis]
    return allowed


def how_far(
    n_last_rejected: int,
    n_arms: int,
    mask: str,
    in_time: bool,
    answer: int,
    correct: bool,
    left: bool,
) -> str:
    """Return a line on how far an episode is from its end.

    Args:
        n_last_rejected: how many arms' latest response is a rejection.
        n_arms: K.
        mask: which answers are legal.
        in_time: whether the horizon is still to come.
        answer: the arm answered, or `NO_ANSWER`.
        correct: whether it is the best arm.
        left: whether the user has left.
    """
    if left:
        return f"{HAS_LEFT}, without an answer"
    if answer != NO_ANSWER:
        return f"answer: arm {answer}, {'right' if correct else 'wrong'}"
    if not in_time:
        return "out of time, without an answer"
    if may_answer(n_last_rejected, n_arms, mask):
        return "an answer is legal"
    return f"an answer needs {n_arms - 1} arms rejected last: there are {n_last_rejected}"


def outcome(
    answers: Any, correct: Any, interactions: Any, rejections: Any, left: Any
) -> dict[str, Any]:
    """Return what infos say of how an episode ends, or would if it ended now without an answer.

    Args:
        answers: the arm answered, or `NO_ANSWER`; a number, or an array like all others.
        correct: whether it is the best arm.
        interactions: T, the number of recommendations.
        rejections: how many of them were rejected.
        left: whether the user has left.
    """
    return {
        "is_success": correct,
        "answer": answers,
        "stopping_time": interactions,
        "rejection_rate": rejections / (interactions + (interactions == 0)),
        "left": left,
    }

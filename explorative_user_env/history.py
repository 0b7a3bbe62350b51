"""What an agent has heard of its users: each arm's responses, one user a lane."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ACCEPTED, REJECTED, UNHEARD = 1, -1, 0
"""The latest response of an arm."""


class History:
    """The responses of every arm so far, counted.

    Args:
        n_lanes: number of users.
        n_arms: K.

    Attributes:
        acceptances: of each arm, shape (n_lanes, K).
        rejections: of each arm, shape (n_lanes, K).
        latest: the latest response of each arm, `ACCEPTED`, `REJECTED` or `UNHEARD`.
        rejections_since_acceptance: rejections of each arm since it was last accepted.
        steps: number of responses, shape (n_lanes,).
        last_arm: the arm recommended last, -1 before the first, shape (n_lanes,).
    """

    def __init__(self, n_lanes: int, n_arms: int) -> None:
        shape = (n_lanes, n_arms)
        self.acceptances = np.zeros(shape, int)
        self.rejections = np.zeros(shape, int)
        self.latest = np.full(shape, UNHEARD)
        self.rejections_since_acceptance = np.zeros(shape, int)
        self.steps = np.zeros(n_lanes, int)
        self.last_arm = np.full(n_lanes, -1)

    def forget(self, lanes: Any) -> None:
        """Begin anew in these lanes (indices, a mask, or a slice)."""
        for counts in (self.acceptances, self.rejections, self.rejections_since_acceptance):
            counts[lanes] = 0
        self.latest[lanes] = UNHEARD
        self.steps[lanes] = 0
        self.last_arm[lanes] = -1

    def record(self, lanes: Array, arms: Array, responses: Array) -> None:
        """Take in the responses (1 accepted, 0 rejected) to `arms` in these lanes (indices)."""
        accepted = responses == 1
        self.acceptances[lanes, arms] += accepted
        self.rejections[lanes, arms] += ~accepted
        self.latest[lanes, arms] = np.where(accepted, ACCEPTED, REJECTED)
        since = self.rejections_since_acceptance[lanes, arms]
        self.rejections_since_acceptance[lanes, arms] = np.where(accepted, 0, since + 1)
        self.steps[lanes] += 1
        self.last_arm[lanes] = arms

    def of(self, lane: int) -> tuple[list[list[int]], tuple[int, bool] | None]:
        """Return the acceptances and rejections of each arm of a lane, and its last response."""
        arms = np.column_stack([self.acceptances[lane], self.rejections[lane]]).tolist()
        arm = int(self.last_arm[lane])
        return arms, None if arm < 0 else (arm, bool(self.latest[lane, arm] == ACCEPTED))

    def last_rejected(self) -> Array:
        """Return how many arms' latest response is a rejection, shape (n_lanes,)."""
        rejected: Array = self.latest == REJECTED
        counts: Array = rejected.sum(axis=1)
        return counts

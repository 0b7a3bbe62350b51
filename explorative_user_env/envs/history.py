"""The counts of responses, which observations and pictures show."""

from typing import Any, Self

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.show.words import Seen

#: The values of an arm's latest response.
ACCEPTED, REJECTED, NO_RESPONSE = 1, -1, 0

#: The indices of an arm's counts in the last axis of `History.table`.
N_ACCEPTED, N_REJECTED, LATEST, N_SINCE_ACCEPTED = range(4)


class History:
    """The counts of all responses of each user so far.

    Args:
        n_lanes: number of users.
        n_arms: K.

    Attributes:
        table: acceptances, rejections, latest response and rejections since the last acceptance of
            each arm, shape (n_lanes, K, 4).
        steps: number of responses, shape (n_lanes,).
        last_arm: the arm recommended last, -1 before the first, shape (n_lanes,).
        last_response: 1 accepted; 0 rejected or no response yet, shape (n_lanes,).
    """

    def __init__(self, n_lanes: int, n_arms: int) -> None:
        self.table = np.zeros((n_lanes, n_arms, 4), int)
        self.steps = np.zeros(n_lanes, int)
        self.last_arm = np.full(n_lanes, -1)
        self.last_response = np.zeros(n_lanes, int)

    # These are properties because a stored view would still show the original table after a copy.
    #: The acceptances, rejections and latest response (`ACCEPTED`, `REJECTED` or `NO_RESPONSE`) of
    #: each arm, each of shape (n_lanes, K).
    acceptances = property(lambda self: self.table[:, :, N_ACCEPTED])
    rejections = property(lambda self: self.table[:, :, N_REJECTED])
    latest = property(lambda self: self.table[:, :, LATEST])

    def forget(self, lanes: Any) -> None:
        """Set all counts and responses of `lanes` (indices, a mask, or a slice) to 0."""
        self.next_user(lanes)
        self.last_response[lanes] = 0

    def next_user(self, lanes: Any) -> None:
        """Set all counts of `lanes` to 0 for the next users, but keep each lane's last response."""
        self.table[lanes] = 0  # `NO_RESPONSE` is 0 as well
        self.steps[lanes] = 0
        self.last_arm[lanes] = -1

    def record(self, lanes: Array | int, arms: Array | int, responses: Array | int) -> None:
        """Count the responses (1 accepted, 0 rejected) to `arms` in these lanes (indices).

        For one lane pass numbers: they are five times as fast as arrays.
        """
        table = self.table.reshape(-1, 4)
        places = lanes * self.table.shape[1] + arms
        rows = table[places]
        rejected = 1 - responses
        rows[..., N_ACCEPTED] += responses
        rows[..., N_REJECTED] += rejected
        rows[..., LATEST] = ACCEPTED + (REJECTED - ACCEPTED) * rejected
        rows[..., N_SINCE_ACCEPTED] = (rows[..., N_SINCE_ACCEPTED] + 1) * rejected
        table[places] = rows
        self.steps[lanes] += 1
        self.last_arm[lanes] = arms
        self.last_response[lanes] = responses

    def responses(self) -> Array:
        """Return the latest response in each lane: 1 accepted; 0 rejected or no response yet."""
        return self.last_response.copy()

    def part(self, lanes: Array) -> Self:
        """Return a copy of these lanes, in the order of `lanes`."""
        part = type(self)(0, self.table.shape[1])
        for name, values in vars(self).items():
            setattr(part, name, values[lanes])
        return part

    def last_rejected(self) -> Array:
        """Return the number of arms whose latest response is a rejection, shape (n_lanes,)."""
        return np.asarray((self.latest == REJECTED).sum(axis=1))


class PopulationHistory(History):
    """The counts of the present user, and the counts of all earlier users of the episode.

    Args:
        n_lanes: number of episodes.
        n_arms: K.

    Attributes:
        before: acceptances and rejections of each arm by earlier users, shape (n_lanes, K, 2).
        steps_before: number of responses of earlier users, shape (n_lanes,).
    """

    def __init__(self, n_lanes: int, n_arms: int) -> None:
        super().__init__(n_lanes, n_arms)
        self.before = np.zeros((n_lanes, n_arms, 2), int)
        self.steps_before = np.zeros(n_lanes, int)

    def forget(self, lanes: Any) -> None:
        """Clear all counts of these lanes for new episodes."""
        super().forget(lanes)
        self.before[lanes] = 0
        self.steps_before[lanes] = 0

    def next_user(self, lanes: Any) -> None:
        """Add the counts of the present users to `before`, then set the present counts to 0."""
        self.before[lanes] += self.table[lanes][..., : N_REJECTED + 1]
        self.steps_before[lanes] += self.steps[lanes]
        super().next_user(lanes)


RENDER_MODES = ("ansi", "human", "rgb_array", "svg")

#: The render modes of vector environments: all but a window.
RENDER_MODES_OF_MANY = tuple(mode for mode in RENDER_MODES if mode != "human")

#: The note below a picture of a user who has left.
HAS_LEFT = "she has left"


def seen_in_lane(history: History, lane: int) -> Seen:
    """Return the counts of a lane in the form that pictures take."""
    table, arm = history.table[lane].tolist(), int(history.last_arm[lane])
    latest = [None if each[LATEST] == NO_RESPONSE else each[LATEST] == ACCEPTED for each in table]
    yes, no = [each[N_ACCEPTED] for each in table], [each[N_REJECTED] for each in table]
    last = None if arm < 0 else (arm, bool(latest[arm]))
    return Seen(yes, no, latest, last, int(history.steps[lane]))

"""The history of responses, as observations and pictures take it."""

from typing import Any, Self

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.show.words import Seen

#: The latest response of an arm.
ACCEPTED, REJECTED, NO_RESPONSE = 1, -1, 0

#: The counts of an arm, by their places in `History.table`.
N_ACCEPTED, N_REJECTED, LATEST, N_SINCE_ACCEPTED = range(4)


class History:
    """The counts of all responses so far.

    Args:
        n_lanes: number of users.
        n_arms: K.

    Attributes:
        table: the counts of each arm, by the four places above, shape (n_lanes, K, 4).
        steps: number of responses, shape (n_lanes,).
        last_arm: the arm recommended last, -1 before the first, shape (n_lanes,).
        last_response: 1 accepted; 0 rejected, or none yet, shape (n_lanes,).
    """

    def __init__(self, n_lanes: int, n_arms: int) -> None:
        self.table = np.zeros((n_lanes, n_arms, 4), int)
        self.steps = np.zeros(n_lanes, int)
        self.last_arm = np.full(n_lanes, -1)
        self.last_response = np.zeros(n_lanes, int)

    # Properties, as a view that is kept would show the original in a copy.
    #: Acceptances of each arm, shape (n_lanes, K); rejections; and the latest response of each arm,
    #: `ACCEPTED`, `REJECTED` or `UNHEARD`.
    acceptances = property(lambda self: self.table[:, :, N_ACCEPTED])
    rejections = property(lambda self: self.table[:, :, N_REJECTED])
    latest = property(lambda self: self.table[:, :, LATEST])

    def forget(self, lanes: Any) -> None:
        """Begin anew in these lanes (indices, a mask, or a slice)."""
        self.next_user(lanes)
        self.last_response[lanes] = 0

    def next_user(self, lanes: Any) -> None:
        """Begin with the next users in these lanes; only the last response stays."""
        self.table[lanes] = 0  # `UNHEARD` is 0 as well
        self.steps[lanes] = 0
        self.last_arm[lanes] = -1

    def record(self, lanes: Array | int, arms: Array | int, responses: Array | int) -> None:
        """Count the responses (1 accepted, 0 rejected) to `arms` in these lanes (indices).

        For one lane numbers will do, which is five times as quick as arrays.
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
        """Return the latest response of each lane, 1 accepted; 0 rejected or none yet."""
        return self.last_response.copy()

    def part(self, lanes: Array) -> Self:
        """Return a copy of these lanes, in their order."""
        part = type(self)(0, self.table.shape[1])
        for name, values in vars(self).items():
            setattr(part, name, values[lanes])
        return part

    def last_rejected(self) -> Array:
        """Return how many arms' latest response is a rejection, shape (n_lanes,)."""
        return np.asarray((self.latest == REJECTED).sum(axis=1))


class PopulationHistory(History):
    """The counts of users who come one after another: of the present one, and of all before.

    Args:
        n_lanes: number of episodes.
        n_arms: K.

    Attributes:
        before: acceptances and rejections of each arm by all users before, shape (n_lanes, K, 2).
        steps_before: number of their responses, shape (n_lanes,).
    """

    def __init__(self, n_lanes: int, n_arms: int) -> None:
        super().__init__(n_lanes, n_arms)
        self.before = np.zeros((n_lanes, n_arms, 2), int)
        self.steps_before = np.zeros(n_lanes, int)

    def forget(self, lanes: Any) -> None:
        """Begin new episodes in these lanes."""
        super().forget(lanes)
        self.before[lanes] = 0
        self.steps_before[lanes] = 0

    def next_user(self, lanes: Any) -> None:
        """Begin with the next users in these lanes, and keep the counts of the present ones."""
        self.before[lanes] += self.table[lanes][..., : N_REJECTED + 1]
        self.steps_before[lanes] += self.steps[lanes]
        super().next_user(lanes)


RENDER_MODES = ("ansi", "human", "rgb_array", "svg")

#: The modes of vector environments, which open no window.
RENDER_MODES_OF_MANY = tuple(mode for mode in RENDER_MODES if mode != "human")

#: The note of a picture.
HAS_LEFT = "she has left"


def seen_in_lane(history: History, lane: int) -> Seen:
    """Return the history of a lane as pictures take it."""
    table, arm = history.table[lane].tolist(), int(history.last_arm[lane])
    latest = [None if each[LATEST] == NO_RESPONSE else each[LATEST] == ACCEPTED for each in table]
    yes, no = [each[N_ACCEPTED] for each in table], [each[N_REJECTED] for each in table]
    last = None if arm < 0 else (arm, bool(latest[arm]))
    return Seen(yes, no, latest, last, int(history.steps[lane]))

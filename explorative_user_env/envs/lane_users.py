"""Who is in each of many lanes, by what meets her again."""

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.users.failures import met


class LaneUsers:
    """The seed that each lane's stream began with, and which of its users is there.

    Args:
        n_lanes: number of lanes.
    """

    def __init__(self, n_lanes: int) -> None:
        self.seeds = [-1] * n_lanes
        self._later = np.full(n_lanes, -1)
        self._given = np.zeros(n_lanes, bool)

    def reseed(self, lane: int, seed: int) -> None:
        """Let the stream of `lane` begin anew with `seed`."""
        self.seeds[lane] = seed
        self._later[lane] = -1

    def begin(self, lanes: Array, given: bool) -> None:
        """Take in that new users come, whose means are `given` for them alone or not."""
        self._later[lanes] += 1
        self._given[lanes] = given

    def who(self, lane: int) -> str:
        """Return in words the user in `lane`."""
        return met(self.seeds[lane], self._later.item(lane), self._given.item(lane), lane)

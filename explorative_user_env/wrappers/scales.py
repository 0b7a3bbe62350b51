"""What counts and time are scaled by, where a policy is shown them."""

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.seeding import number_of_users
from explorative_user_env.tasks import LONGEST_HORIZON, kept_steps


class Scale:
    """Counts on a log scale and time as a fraction, both in [0, 1].

    Args:
        horizon: the number of steps that is 1 on both, at least 1; more is 1 as well.

    Raises:
        InvalidArgumentError: for a horizon below 1.
    """

    def __init__(self, horizon: int) -> None:
        self.horizon = kept_steps("horizon", horizon)
        counts = np.arange(self.horizon + 1)
        self._logarithms = (np.log1p(counts) / np.log1p(self.horizon)).astype(np.float32)

    def count(self, counts: Array) -> Array:
        """Return log(1 + n) / log(1 + horizon)."""
        scaled: Array = self._logarithms[np.minimum(counts, self.horizon)]
        return scaled

    def time(self, steps: Array) -> Array:
        """Return t / horizon."""
        return (np.minimum(steps, self.horizon) / self.horizon).astype(np.float32)


class PopulationScale(Scale):
    """`Scale` for the present user, and another for all users of an episode.

    Args:
        horizon: the steps of a user, which are 1 of her counts and time, at least 1.
        n_users: the users of an episode, at least 1.

    Attributes:
        episode: the scale of their steps together.

    Raises:
        InvalidArgumentError: for a horizon or a number of users below 1.
    """

    def __init__(self, horizon: int, n_users: int) -> None:
        super().__init__(horizon)
        self.n_users = number_of_users(n_users, "n_users")
        self.episode = Scale(min(self.horizon * self.n_users, LONGEST_HORIZON))

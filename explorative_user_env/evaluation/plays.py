"""An agent over a horizon: what it recommended to some users, and what that says of it.

Every path writes down the same arms and responses, and the figures are one function of these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.envs.rewards import REGRET_REWARD, reward_of, reward_of_leaving
from explorative_user_env.protocol import Array
from explorative_user_env.users.instances import Instance


class Play(NamedTuple):
    """What happened between an agent and n users over T steps, blank from where a user has left."""

    means: Array  # mu_i, shape (n, K)
    best_arms: Array  # shape (n,)
    arms: Array  # recommended, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)
    stayed: Array  # for how many steps each user was there, shape (n,)
    left: Array  # whether she left, perhaps with the last step, shape (n,), bool

    @classmethod
    def blank(cls, n_users: int, n_arms: int, horizon: int) -> "Play":
        """Return a play to be written down, with users who stay."""
        truth = (np.zeros((n_users, n_arms)), np.zeros(n_users, int))
        shape = (n_users, horizon)
        steps = (np.zeros(shape, np.int32), np.zeros(shape, bool))
        ends = (np.zeros(n_users, int), np.full(n_users, horizon), np.zeros(n_users, bool))
        return cls(*truth, *steps, *ends)

    def write_truth(self, instances: Sequence[Instance]) -> None:
        """Write down the users' instances."""
        self.means[:] = [instance.means for instance in instances]
        self.best_arms[:] = [instance.best_arm for instance in instances]

    def there(self) -> Array | None:
        """Return in which steps each user was there, shape (n, T), bool; None is in all."""
        horizon = self.arms.shape[1]
        if not (self.stayed < horizon).any():
            return None
        return np.arange(horizon) < self.stayed[:, np.newaxis]

    def blank_missed(self) -> None:
        """Write down nothing where a user was not there any more, whatever stands there."""
        if (there := self.there()) is not None:
            self.arms[:] *= there
            self.accepted[:] &= there


PLAY_COLUMNS = (
    "best_arm",
    "answer",
    "acceptances",
    "regret",
    "utility",
    "last_arm",
    "most_accepted_arm",
    "most_accepted_is_best",
    "interactions",
    "left",
)
FRACTIONAL = ("regret", "utility", "most_accepted_is_best")
"""Those of them that are no whole numbers."""


AT_ONCE = 50_000
"""Steps whose figures are found together: memory for more is asked for anew each time, and takes
longer than the figures."""


def figures(play: Play) -> Array:
    """Return a row of `PLAY_COLUMNS` for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones. A step that a user has left before counts as much regret as her worst arm, and
    no utility; her last arm is the last that she was recommended. The most accepted arm is the
    first of those accepted equally often; that it is the best counts 1/n where the best is one of n
    such arms: nobody gains by the arms' numbers.
    """
    n_users, horizon = play.arms.shape
    size = max(1, AT_ONCE // horizon)
    parts = (slice(first, first + size) for first in range(0, n_users, size))
    return np.concatenate([_figures(Play(*(array[part] for array in play))) for part in parts])


def _figures(play: Play) -> Array:
    (n_users, n_arms), horizon = play.means.shape, play.arms.shape[1]
    means, best_arms = play.means, play.best_arms
    users = np.arange(n_users)
    places = play.arms + (users * n_arms)[:, np.newaxis]
    values = means.ravel().take(places)
    best_means = means[users, best_arms][:, np.newaxis]
    rewards: Any = reward_of(REGRET_REWARD, values, best_means, False, 0.0)  # type: ignore[arg-type]
    if (there := play.there()) is not None:
        rewards = rewards * there
    worst_means, missed = means.min(axis=1), horizon - play.stayed
    left = reward_of_leaving(REGRET_REWARD, worst_means, best_means[:, 0], missed)
    # Products, as to choose by a response takes ten times as long; there is no -0 among the sums.
    counted = play.accepted.ravel().astype(float)
    utilities = values * play.accepted + 0.0
    counts = np.bincount(places.ravel(), counted, n_users * n_arms).reshape(n_users, n_arms)
    most = counts == counts.max(axis=1, keepdims=True)
    return np.column_stack(
        [
            best_arms,
            play.answers,
            counts.sum(axis=1),
            -(rewards.sum(axis=1) + left),
            utilities.sum(axis=1),
            play.arms[users, play.stayed - 1],
            most.argmax(axis=1),
            most[users, best_arms] / most.sum(axis=1),
            play.stayed,
            play.left,
        ]
    )

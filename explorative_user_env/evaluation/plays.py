"""An agent over a horizon: what it recommended to some users, and what that says of it.

Every path writes down the same arms and responses, and the figures are one function of these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.envs.rewards import REGRET_REWARD, reward_of
from explorative_user_env.protocol import Array
from explorative_user_env.users.instances import Instance


class Play(NamedTuple):
    """What happened between an agent and n users over T steps."""

    means: Array  # mu_i, shape (n, K)
    best_arms: Array  # shape (n,)
    arms: Array  # recommended, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)

    @classmethod
    def blank(cls, n_users: int, n_arms: int, horizon: int) -> "Play":
        """Return a play to be written down."""
        truth = (np.zeros((n_users, n_arms)), np.zeros(n_users, int))
        shape = (n_users, horizon)
        return cls(*truth, np.zeros(shape, np.int32), np.zeros(shape, bool), np.zeros(n_users, int))

    def write_truth(self, users: slice, instances: Sequence[Instance]) -> None:
        """Write down the instances of some users."""
        self.means[users] = [instance.means for instance in instances]
        self.best_arms[users] = [instance.best_arm for instance in instances]


PLAY_COLUMNS = (
    "best_arm",
    "answer",
    "acceptances",
    "regret",
    "utility",
    "last_arm",
    "most_accepted_arm",
    "most_accepted_is_best",
)
FRACTIONAL = ("regret", "utility", "most_accepted_is_best")
"""Those of them that are no whole numbers."""


def figures(play: Play) -> Array:
    """Return a row of `PLAY_COLUMNS` for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones. The most accepted arm is the first of those accepted equally often; that it is
    the best counts 1/n where the best is one of n such arms: nobody gains by the arms' numbers.
    """
    n_users, _ = play.arms.shape
    means, best_arms = play.means, play.best_arms
    users = np.arange(n_users)
    values = np.take_along_axis(means, play.arms, axis=1)
    best_means = means[users, best_arms][:, np.newaxis]
    rewards: Any = reward_of(REGRET_REWARD, values, best_means, False, 0.0)  # type: ignore[arg-type]
    n_arms = means.shape[1]
    places = (users[:, np.newaxis] * n_arms + play.arms)[play.accepted]
    counts = np.bincount(places, minlength=n_users * n_arms).reshape(n_users, n_arms)
    most = counts == counts.max(axis=1, keepdims=True)
    return np.column_stack(
        [
            best_arms,
            play.answers,
            play.accepted.sum(axis=1),
            -rewards.sum(axis=1),
            np.where(play.accepted, values, 0.0).sum(axis=1),
            play.arms[:, -1],
            most.argmax(axis=1),
            most[users, best_arms] / most.sum(axis=1),
        ]
    )

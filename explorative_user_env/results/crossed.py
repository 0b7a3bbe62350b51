"""A policy that was trained several times against one agent, over users and trainings at once.

A model's mean over many users says how good that training was, and nothing of the next one. So
users and training seeds are both a sample here, and each training meets all users: the differences
are a table with a row a training and a column a user.
"""

import math

from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import LEVEL, mean_interval
from explorative_user_env.results.paired import AS_MEANS, PairedDifference
from explorative_user_env.validation import InvalidArgumentError

FEWEST = 2
"""Trainings, and users, without which nothing is known of how they vary."""


def crossed_difference(
    figure: str, trained: Array, against: Array, level: float = LEVEL
) -> PairedDifference:
    """Return how far a policy is from an agent, with an interval over users and training seeds.

    The interval over trainings, of each one's mean over all users, and that over users, of each
    one's mean over all trainings, are put together as squares. Chance within a run is in both, so
    the interval is rather too long than too short; that of trainings is Student's with one degree
    of freedom fewer than there are, which for three is 2.2 times as long as for many.

    Args:
        figure: what is compared.
        trained: the policy's values, a row for each training and a column for each user.
        against: the agent's, one for each of the same users.
        level: probability that the interval holds the difference.

    Raises:
        InvalidArgumentError: for fewer than two trainings or users, or other users for the agent.
    """
    if trained.ndim != 2 or min(trained.shape) < FEWEST:
        allowed = f"a table of at least {FEWEST} trainings and {FEWEST} users"
        raise InvalidArgumentError("trained", trained.shape, allowed)
    if against.shape != trained.shape[1:]:
        allowed = f"one value for each of {trained.shape[1]} users"
        raise InvalidArgumentError("against", against.shape, allowed)
    apart = trained - against
    value = float(apart.mean())
    by_training, by_user = apart.mean(axis=1), apart.mean(axis=0)
    half = crossed_half_width(by_training, by_user, level)
    return PairedDifference(
        figure,
        AS_MEANS,
        float(trained.mean()),
        float(against.mean()),
        value,
        value - half,
        value + half,
        _p_value(value, by_training, by_user),
    )


def crossed_half_width(by_training: Array, by_user: Array, level: float) -> float:
    """Return half the length of the interval, from the means of trainings and those of users."""
    from scipy import stats

    spread = float(stats.sem(by_training))
    of_trainings = float(stats.t.ppf(0.5 + level / 2.0, len(by_training) - 1)) * spread
    low, high = mean_interval(by_user, level)
    return math.hypot(of_trainings, (high - low) / 2.0)


def _p_value(value: float, by_training: Array, by_user: Array) -> float:
    """Return 1 minus the level of the interval that ends at 0."""
    from scipy import optimize

    def apart(level: float) -> float:
        return crossed_half_width(by_training, by_user, level) - abs(value)

    if apart(0.0) >= 0.0:
        return 1.0
    surest = 1.0 - 1e-12
    return 1.0 - (surest if apart(surest) <= 0.0 else float(optimize.brentq(apart, 0.0, surest)))

"""What a policy is shown of a history: each feature defined once, for one user or for many.

The wrappers of single and of vector environments and the agents of the harness all observe by
these functions, so that a model sees in the harness what it saw in training, to the bit.
"""

import numpy as np

from explorative_user_env.envs.history import LATEST, History
from explorative_user_env.protocol import Array
from explorative_user_env.tasks import kept_steps

ARM_FEATURES = ("acceptances", "rejections", "latest_response", "rejections_since_acceptance")
"""What `counts` says of every arm, in this order."""

OBSERVATIONS = ("response", "counts", "sorted-counts", "last-step")
"""By name: the bare response, counts of each arm, the same with arms sorted, the last step."""


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


def counts(history: History, scale: Scale) -> Array:
    """Return the counts of each arm and the time, shape (n_lanes, 4 K + 1), float32.

    First the K acceptances, then the K rejections, the latest responses (1, -1, or 0 for none) and
    the rejections since the last acceptance, counts on a log scale; last the fraction of time.
    """
    n_lanes, n_arms, _ = history.table.shape
    observation = np.empty((n_lanes, len(ARM_FEATURES) * n_arms + 1), np.float32)
    arms = scale.count(history.table)
    arms[:, :, LATEST] = history.table[:, :, LATEST]
    observation[:, :-1] = arms.transpose(0, 2, 1).reshape(n_lanes, -1)
    observation[:, -1] = scale.time(history.steps)
    return observation


def counts_bounds(n_arms: int) -> tuple[Array, Array]:
    """Return the least and the greatest values of `counts`."""
    low = np.zeros(len(ARM_FEATURES) * n_arms + 1, np.float32)
    low[2 * n_arms : 3 * n_arms] = -1.0
    return low, np.ones_like(low)


def by_acceptances(observation: Array, n_arms: int) -> tuple[Array, Array]:
    """Sort the arms of `counts` by acceptances, the most accepted first, ties by number.

    Args:
        observation: counts, shape (n_lanes, 4 K + 1).
        n_arms: K.

    Returns:
        The same with sorted arms, and the arm of each rank, shape (n_lanes, K).
    """
    n_lanes, length = observation.shape
    order = np.argsort(-observation[:, :n_arms], axis=1, kind="stable")
    # Where each number of the sorted observation stands in the other; time stays where it is.
    firsts = np.arange(0, length - 1, n_arms)
    places = np.full((n_lanes, length), length - 1)
    places[:, :-1] = (firsts[:, np.newaxis] + order[:, np.newaxis]).reshape(n_lanes, -1)
    return observation[np.arange(n_lanes)[:, np.newaxis], places], order


def last_step(history: History, scale: Scale) -> Array:
    """Return the last arm (one-hot), its response and the time, shape (n_lanes, K + 2), float32.

    The response is 1, -1, or 0 before the first.
    """
    n_lanes, n_arms, _ = history.table.shape
    observation = np.zeros((n_lanes, n_arms + 2), np.float32)
    lanes = np.flatnonzero(history.last_arm >= 0)
    arms = history.last_arm[lanes]
    observation[lanes, arms] = 1.0
    observation[lanes, n_arms] = history.table[lanes, arms, LATEST]
    observation[:, -1] = scale.time(history.steps)
    return observation


def last_step_bounds(n_arms: int) -> tuple[Array, Array]:
    """Return the least and the greatest values of `last_step`."""
    low = np.zeros(n_arms + 2, np.float32)
    low[n_arms] = -1.0
    return low, np.ones_like(low)


def actions_by_rank(order: Array, n_actions: int) -> Array:
    """Return the action on arms of each action on ranks, shape (n_lanes, n_actions).

    Args:
        order: the arm of each rank, shape (n_lanes, K).
        n_actions: K, or 2 K where K + i answers arm i.
    """
    n_arms = order.shape[1]
    blocks = [order + first for first in range(0, n_actions, n_arms)]
    return np.concatenate(blocks, axis=1)


def bounds_of(name: str, n_arms: int) -> tuple[Array, Array] | None:
    """Return the bounds of the observation called `name`; None for the bare response."""
    match name:
        case "response":
            return None
        case "last-step":
            return last_step_bounds(n_arms)
    return counts_bounds(n_arms)


def length_of(name: str, n_arms: int) -> int | None:
    """Return how many numbers the observation called `name` has; None for the bare response."""
    bounds = bounds_of(name, n_arms)
    return None if bounds is None else len(bounds[0])


def observed(name: str, history: History, scale: Scale, n_actions: int) -> tuple[Array, Array]:
    """Return the observation called `name`, and the action on arms of each of a policy's choices.

    Args:
        name: one of `OBSERVATIONS`.
        history: what was heard.
        scale: of counts and time.
        n_actions: K, or 2 K where K + i answers arm i.

    Returns:
        Observations, a row for each lane ("response": a number each), and actions, shape
        (n_lanes, n_actions).
    """
    n_lanes, n_arms, _ = history.table.shape
    order = np.tile(np.arange(n_arms), (n_lanes, 1))
    match name:
        case "counts":
            observations = counts(history, scale)
        case "sorted-counts":
            observations, order = by_acceptances(counts(history, scale), n_arms)
        case "last-step":
            observations = last_step(history, scale)
        case _:
            observations = history.responses()
    return observations, actions_by_rank(order, n_actions)

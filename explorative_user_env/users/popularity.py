"""Users who share what is popular: m_i of every arm, and each user's own deviation from it."""

import numpy as np

from explorative_user_env.seeding import user_generator
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.instances import Instance, InstanceLaw, separated
from explorative_user_env.users.reward_laws import reflected
from explorative_user_env.validation import InvalidArgumentError, not_negative


def check_members(behaviour: Behaviour) -> None:
    """Make sure that users who come one after another can be of this kind.

    Raises:
        InvalidArgumentError: for one whose means move, as what is popular would not last, or who
            leaves, as each stays for as many steps.
    """
    if behaviour.moves_means or behaviour.leaves is not None:
        allowed = "one whose means stay, and who stays, in the task population"
        raise InvalidArgumentError("behaviour", behaviour.name, allowed)


class PopularityLaw:
    """Where users come from who share what is popular.

    m_i is drawn from the law of the means; a user's means are m_i + deviation * N(0, 1), of which
    the best is moved to the second best + gap, as everywhere. Where a reward law allows not all
    means, they are reflected at the ends of those that leave room for the gap.

    Args:
        law: of the means and the gap.
        deviation: standard deviation of a user's means around m_i, at least 0.

    Raises:
        InvalidArgumentError: for a deviation out of range.
    """

    def __init__(self, law: InstanceLaw, deviation: float) -> None:
        self.law, self.deviation = law, not_negative("deviation", deviation)

    def draw(self, rng: np.random.Generator) -> list[float]:
        """Return what is popular: m_i of every arm."""
        return self.law.draw_unmoved(rng)

    def members(self, seed: int) -> "MemberLaw":
        """Return where the users of the episode of this seed come from."""
        return MemberLaw(self, self.draw(user_generator(seed)))

    def instance(self, popularity: list[float], rng: np.random.Generator) -> Instance:
        """Return the instance of a new user, drawn from her own stream."""
        deviations = rng.standard_normal(self.law.n_arms).tolist()
        means = [
            popular + self.deviation * own
            for popular, own in zip(popularity, deviations, strict=True)
        ]
        if self.law.within is not None:
            low, high = self.law.within
            means = [reflected(mean, low, high - self.law.largest_gap) for mean in means]
        return separated(means, self.law.gap, rng, self.law.gap_factor)


class MemberLaw(InstanceLaw):
    """Where the users of one episode come from: what is popular is known by now.

    Args:
        around: where users come from who share what is popular.
        popularity: m_i of every arm.

    Attributes:
        popularity: the same.
    """

    def __init__(self, around: PopularityLaw, popularity: list[float]) -> None:
        vars(self).update(vars(around.law))  # which was checked when it was made
        self.named = self.given = self._fixed = None  # none of which these means come from
        self._around, self.popularity = around, popularity

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of a user, drawn from her own stream."""
        return self._around.instance(self.popularity, rng)

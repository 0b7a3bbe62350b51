"""The laws of a realized reward around its mean mu_i; the paper's is N(mu_i, 1).

All are sub-Gaussian with parameter 1 or less, which is what the paper's confidence bounds ask for.
"""

from math import sqrt
from typing import Protocol

from explorative_user_env.users.laws_of_means import ROOMY
from explorative_user_env.validation import choice

GAUSSIAN, BERNOULLI, BOUNDED = range(3)

REWARD_LAWS = ("gaussian", "bernoulli", "bounded")
"""Their names: N(mu, 1); 1 with probability mu, else 0; uniform on mu - sqrt 3 to mu + sqrt 3."""

HALF_WIDTH = sqrt(3.0)
"""Half the width of the uniform law of variance 1."""


class Stream(Protocol):
    """Where a user's randomness comes from, such as a NumPy Generator."""

    def standard_normal(self) -> float:
        """Return a draw from N(0, 1)."""

    def random(self) -> float:
        """Return a draw from [0, 1)."""


def draw_reward(law: int, mean: float, rng: Stream) -> float:
    """Return a reward of this law, one of `GAUSSIAN`, `BERNOULLI` and `BOUNDED`, from one draw."""
    if law == BERNOULLI:
        return 1.0 if rng.random() < mean else 0.0
    if law == BOUNDED:
        return mean + HALF_WIDTH * (2.0 * rng.random() - 1.0)
    return mean + rng.standard_normal()


def reward_law_named(name: str) -> int:
    """Return the place of `name` in `REWARD_LAWS`.

    Raises:
        InvalidArgumentError: if it is not there.
    """
    return REWARD_LAWS.index(choice("reward_law", name, REWARD_LAWS))


def range_of_means(law: int) -> tuple[float, float] | None:
    """Return the least and the largest mean that a law can have; None is any."""
    return (0.0, 1.0) if law == BERNOULLI else None


def usual_means(law: int, otherwise: str) -> str:
    """Return the law of means where none is given: `otherwise`, if all of its means are allowed."""
    return otherwise if range_of_means(law) is None else ROOMY

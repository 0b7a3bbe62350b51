"""The laws of a realized reward around its mean mu_i; the paper's is N(mu_i, 1).

All of the package's are sub-Gaussian with parameter 1 or less, which is what the paper's confidence
bounds ask for.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

from explorative_user_env.users.confidence import rule_name
from explorative_user_env.users.laws_of_means import ROOMY
from explorative_user_env.validation import InvalidArgumentError, ends, of_class

GAUSSIAN, BERNOULLI, BOUNDED, OWN = range(4)
"""The package's laws by their places in `REWARD_LAWS`, and any other."""

HALF_WIDTH = sqrt(3.0)
"""Half the width of the uniform law of variance 1."""


class Stream(Protocol):
    """Where a user's randomness comes from, such as a NumPy Generator."""

    def standard_normal(self) -> float:
        """Return a draw from N(0, 1)."""

    def random(self) -> float:
        """Return a draw from [0, 1)."""


RewardDraw = Callable[[float, Any], Any]


@dataclass(frozen=True)
class RewardLaw:
    """The law of a realized reward around its mean.

    The paper's confidence bounds, and so its theorems and the agents that rest on them, ask for
    rewards whose mean is mu_i and that are sub-Gaussian with parameter 1. That those of a law of
    one's own are is the promise of whoever hands it in.

    Args:
        name: what it is called.
        draw: `draw(mean, rng) -> reward`, a finite number. Plain arithmetic, `math`, and draws by
            `rng.random()` and `rng.standard_normal()` keep it compilable, to the same bit; any
            other function works too, in the readable loop.
        means: the least and the largest mean it can have, either of which may be infinite; None is
            any mean.

    Raises:
        InvalidArgumentError: for a draw that is not callable, or a range of means that is none.
    """

    name: str
    draw: RewardDraw
    means: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not callable(self.draw):
            raise InvalidArgumentError("draw", self.draw, "a callable (mean, rng) -> reward")
        of_class("name", self.name, str)
        if self.means is not None:
            ends("means of reward_law", self.means)

    def __call__(self, mean: float, rng: Stream) -> Any:
        """Return what is drawn, whatever it is."""
        return self.draw(mean, rng)

    @property
    def range_of_means(self) -> tuple[float, float]:
        """The least and the largest mean, infinite where there is none."""
        return (-math.inf, math.inf) if self.means is None else self.means

    @property
    def place(self) -> int:
        """Its place in `REWARD_LAWS`, or `OWN`."""
        return _BUILT_IN.index(self) if self in _BUILT_IN else OWN

    @property
    def compiled_in(self) -> RewardDraw:
        """What goes into compiled code, which knows the package's laws by their places."""
        return self.draw if self.place == OWN else no_law


AnyRewardLaw = RewardLaw | RewardDraw | str


def no_law(mean: float, rng: Stream) -> float:
    """Return the mean; it is nobody's law, and never asked."""
    return mean


def draw_reward(law: int, mean: float, rng: Stream) -> float:
    """Return a reward of this law, one of `GAUSSIAN`, `BERNOULLI` and `BOUNDED`, from one draw."""
    if law == BERNOULLI:
        return 1.0 if rng.random() < mean else 0.0
    if law == BOUNDED:
        return mean + HALF_WIDTH * (2.0 * rng.random() - 1.0)
    return mean + rng.standard_normal()


def gaussian_reward(mean: float, rng: Stream) -> float:
    """Return a draw from N(mean, 1)."""
    return draw_reward(GAUSSIAN, mean, rng)


def bernoulli_reward(mean: float, rng: Stream) -> float:
    """Return 1 with probability `mean`, else 0."""
    return draw_reward(BERNOULLI, mean, rng)


def bounded_reward(mean: float, rng: Stream) -> float:
    """Return a draw from the uniform law on mean - sqrt 3 to mean + sqrt 3."""
    return draw_reward(BOUNDED, mean, rng)


GAUSSIAN_LAW = RewardLaw("gaussian", gaussian_reward)
"""The paper's law."""

_BUILT_IN = (
    GAUSSIAN_LAW,
    RewardLaw("bernoulli", bernoulli_reward, (0.0, 1.0)),
    RewardLaw("bounded", bounded_reward),
)

REWARD_LAWS = tuple(law.name for law in _BUILT_IN)
"""The package's by name: N(mu, 1); 1 with probability mu, else 0; uniform on mu -+ sqrt 3."""

_REWARD_LAWS = {law.name: law for law in _BUILT_IN}


def register_reward_law(name: str, law: RewardLaw) -> None:
    """Let `law` be asked for by `name`, as `gym.make(..., reward_law=name)` must to stay JSON.

    Raises:
        InvalidArgumentError: if another law has that name already.
    """
    if _REWARD_LAWS.get(name, law) != law:
        raise InvalidArgumentError("name", name, "a name no other reward law has")
    _REWARD_LAWS[name] = law


def as_reward_law(law: AnyRewardLaw) -> RewardLaw:
    """Return the law meant: itself, the one of a callable, or the one registered by that name."""
    if isinstance(law, RewardLaw):
        return law
    if isinstance(law, str) and law in _REWARD_LAWS:
        return _REWARD_LAWS[law]
    if callable(law):
        return RewardLaw(rule_name(law), law)
    allowed = "a RewardLaw, a callable (mean, rng) -> reward or one of "
    raise InvalidArgumentError("reward_law", law, allowed + ", ".join(sorted(_REWARD_LAWS)))


def usual_means(law: RewardLaw, otherwise: str) -> str:
    """Return the law of means where none is given: `otherwise`, if all of its means are allowed."""
    return otherwise if law.means is None else ROOMY


def reflected(mean: float, least: float, largest: float) -> float:
    """Return a mean that has left [least, largest], of which an end may be infinite, in there."""
    if largest == math.inf:
        return least + abs(mean - least)
    if least == -math.inf:
        return largest - abs(largest - mean)
    width = largest - least
    over = (mean - least) % (2.0 * width)
    if over > width:
        over = 2.0 * width - over
    return min(least + over, largest)

"""Laws: schedules of rho_t, laws of means, laws of rewards; and tables of log(k), 1/sqrt(k)."""

import functools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np

from explorative_user_env.validation import (
    InvalidArgumentError,
    check_fields,
    ends,
    is_real,
    of_class,
    real,
)

Rule = Callable[[tuple[float, ...], int, int, int], float]


def rule_name(rule: Callable[..., Any]) -> str:
    """Return the name of a rule, which may be a function, an object or a partial."""
    return str(getattr(rule, "__name__", None) or type(rule).__name__)


@dataclass(frozen=True)
class Schedule:
    """A rule for rho_t with its range.

    Args:
        rule: `rule(parameters, n, t, n_arms) -> rho_t` from the acceptances n(t), the interactions
            t and K. Plain arithmetic and `math` keep it compilable; any other function runs in the
            readable loop.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest value, at least rho_0. A value outside the range is an error when it
            occurs.
        parameters: numbers for the rule.

    Raises:
        InvalidArgumentError: naming the field that is out of range.
    """

    rule: Rule
    rho_0: float
    rho_1: float
    parameters: tuple[float, ...] = (0.0, 0.0)

    def __post_init__(self) -> None:
        ends = (self.rho_0, self.rho_1)
        if not (all(map(is_real, ends)) and 0.0 < self.rho_0 <= self.rho_1 < math.inf):
            raise InvalidArgumentError("rho range", ends, "positive and finite, [rho_0, rho_1]")
        check_fields(self, parameters=_check_parameters)
        needed = 2 if self.rule is acceptance_rate_rule else int(self.rule is constant_rule)
        if len(self.parameters) < needed:
            allowed = f"at least {needed} numbers for {rule_name(self.rule)}"
            raise InvalidArgumentError("parameters", self.parameters, allowed)

    @property
    def title(self) -> str:
        """The name in tables: its registered name, a constant's value, or its rule and numbers."""
        if self.rule is constant_rule:
            return f"{self.parameters[0]:g}"
        names = [name for name, schedule in _SCHEDULES.items() if schedule == self]
        numbers = ", ".join(f"{number:g}" for number in self.parameters)
        return names[0] if names else f"{rule_name(self.rule)}({numbers})"


def _check_parameters(name: str, values: object) -> None:
    """Refuse anything but numbers; NaN and infinity may be parameters of a rule."""
    if not isinstance(values, tuple) or not all(map(is_real, values)):
        raise InvalidArgumentError(name, values, "a tuple of numbers")


def acceptance_rate_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return 1 + (n + a K) / (t + b K), with (a, b) = parameters; 2 where the divisor is 0."""
    interactions = t + parameters[1] * n_arms
    if interactions == 0.0:
        return 2.0
    return 1.0 + (n + parameters[0] * n_arms) / interactions


def prior_counts(schedule: Schedule, n_arms: int) -> tuple[int, int] | None:
    """Return (a K, b K) of an acceptance-rate schedule if both are whole numbers, else None."""
    if schedule.rule is not acceptance_rate_rule:
        return None
    a, b = schedule.parameters[:2]
    accepted, seen = a * n_arms, b * n_arms
    if not 0.0 <= accepted <= seen < 2**31 or int(accepted) != accepted or int(seen) != seen:
        return None
    if schedule.rho_0 > 1.0 or schedule.rho_1 < 2.0:
        return None
    return int(accepted), int(seen)


def constant_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return parameters[0], whatever happens."""
    return parameters[0]


ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (0.0, 0.0))
"""rho_t = 1 + n(t)/t, the paper's experiments as printed."""

SMOOTHED_ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (1.0, 2.0))
"""rho_t = 1 + (K + n(t)) / (2K + t), the released code's form."""

_SCHEDULES: dict[str, Schedule] = {
    "acceptance_rate": ACCEPTANCE_RATE,
    "smoothed_acceptance_rate": SMOOTHED_ACCEPTANCE_RATE,
}


def constant(rho: float) -> Schedule:
    """Return the schedule rho_t = rho; rho = 1 with alpha = 1 is the classic UCB1 interval."""
    return Schedule(constant_rule, rho, rho, (rho, 0.0))


def register_schedule(name: str, schedule: Schedule) -> None:
    """Register `schedule` under a name, which `gym.make(..., rho=name)` can keep as JSON.

    Raises:
        InvalidArgumentError: if another schedule has that name already.
    """
    if _SCHEDULES.get(name, schedule) != schedule:
        raise InvalidArgumentError("name", name, "a name no other schedule has")
    _SCHEDULES[name] = schedule


def as_schedule(rho: "Schedule | str | float") -> Schedule:
    """Return the schedule of a record, a registered name or a constant's value."""
    if isinstance(rho, Schedule):
        return rho
    if isinstance(rho, str) and rho in _SCHEDULES:
        return _SCHEDULES[rho]
    names = ", ".join(sorted(_SCHEDULES))
    return constant(real("rho", rho, f"a Schedule, a positive and finite number or one of {names}"))


def warn_of_ties(schedule: Schedule, n_arms: int) -> None:
    """Warn if rewards of 0 and 1 can make a user reject every arm for ever.

    Where Gamma = max(0, 2 alpha log(rho_t n(t))) is still 0 once every arm was accepted, arms with
    equal means reject each other, and she learns nothing more.
    """
    if schedule.rho_0 * n_arms <= 1.0:
        warnings.warn(
            f"with rewards of 0 and 1 and rho_t down to {schedule.rho_0:g}, users whose {n_arms} "
            f"arms are tied reject them all for ever: take rho_t above 1/K = {1 / n_arms:g}",
            stacklevel=2,
        )


Law = Callable[[int, np.random.Generator], Any]


def normal_mean(rng: np.random.Generator) -> float:
    """Return a mean from N(0, 1)."""
    return rng.standard_normal()


def uniform_mean(rng: np.random.Generator) -> float:
    """Return a mean from Uniform(0, 1)."""
    return rng.random()


def normal_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    """Return `n_arms` draws of `normal_mean`, at once."""
    return rng.standard_normal(n_arms)


def uniform_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    """Return `n_arms` draws of `uniform_mean`, at once."""
    return rng.random(n_arms)


def around_one(factor: float, rng: Any) -> float:
    """Return a draw from the log-uniform law on [1 / factor, factor]; 1 for a factor of 1."""
    drawn = exp((2.0 * rng.random() - 1.0) * log(factor))
    return min(max(drawn, 1.0 / factor), factor)  # rounding may not lead out


class NamedLaw(NamedTuple):
    """A law of independent means in [low, high): one draw, for compiled code, and many at once.

    A law that leaves room is scaled by 1 - gap, so that the best, moved up, is at most `high`.
    """

    one: Callable[[np.random.Generator], float]
    many: Law
    low: float
    high: float
    leaves_room: bool = False


ROOMY = "uniform_with_room"
"""The law of means that stay in [0, 1] with the gap, as Bernoulli rewards require."""

LAWS = {
    # No normal draw is beyond 13: NumPy makes those of the tail from uniform draws of 53 bits.
    "normal": NamedLaw(normal_mean, normal_means, -16.0, 16.0),
    "uniform": NamedLaw(uniform_mean, uniform_means, 0.0, 1.0),
    ROOMY: NamedLaw(uniform_mean, uniform_means, 0.0, 1.0, leaves_room=True),
}
"""N(0, 1) as the paper prints, Uniform(0, 1) as its code draws, and Uniform(0, 1 - gap)."""


GAUSSIAN, BERNOULLI, BOUNDED, OWN = range(4)
"""The places of the package's laws in `REWARD_LAWS`, and the mark of any other law."""

HALF_WIDTH = sqrt(3.0)
"""Half the width of the uniform law of variance 1."""


class Stream(Protocol):
    """The source of a user's randomness, such as a NumPy Generator."""

    def standard_normal(self) -> float:
        """Return a draw from N(0, 1)."""

    def random(self) -> float:
        """Return a draw from [0, 1)."""


RewardDraw = Callable[[float, Any], Any]


@dataclass(frozen=True)
class RewardLaw:
    """The law of a realized reward around its mean.

    The paper's theorems, and agents that rest on them, require rewards with mean mu_i that are
    sub-Gaussian with parameter 1. For a law of the caller this is not checked.

    Args:
        name: what tables call it.
        draw: `draw(mean, rng) -> reward`, a finite number. Plain arithmetic, `math`, and draws by
            `rng.random()` and `rng.standard_normal()` keep it compilable, to the same bit; any
            other function runs in the readable loop.
        means: the least and the largest mean, of which either may be infinite; None is any mean.

    Raises:
        InvalidArgumentError: for a draw that is not callable, or an invalid range of means.
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
        """Return a draw, unchecked."""
        return self.draw(mean, rng)

    @property
    def range_of_means(self) -> tuple[float, float]:
        """The least and the largest mean; infinite where there is no limit."""
        return (-math.inf, math.inf) if self.means is None else self.means

    @property
    def place(self) -> int:
        """Its place in `REWARD_LAWS`, or `OWN`."""
        return _BUILT_IN.index(self) if self in _BUILT_IN else OWN

    @property
    def compiled_in(self) -> RewardDraw:
        """The draw for compiled code, which knows the package's laws by their places."""
        return self.draw if self.place == OWN else no_law


AnyRewardLaw = RewardLaw | RewardDraw | str


def no_law(mean: float, rng: Stream) -> float:
    """Return the mean: a placeholder that is never called."""
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
"""The package's names: N(mu, 1); 1 with probability mu, else 0; uniform on mu -+ sqrt 3."""

_REWARD_LAWS = {law.name: law for law in _BUILT_IN}


def register_reward_law(name: str, law: RewardLaw) -> None:
    """Register `law` under a name, which `gym.make(..., reward_law=name)` can keep as JSON.

    Raises:
        InvalidArgumentError: if another law has that name already.
    """
    if _REWARD_LAWS.get(name, law) != law:
        raise InvalidArgumentError("name", name, "a name no other reward law has")
    _REWARD_LAWS[name] = law


def as_reward_law(law: AnyRewardLaw) -> RewardLaw:
    """Return the law of a record, a callable or a registered name."""
    if isinstance(law, RewardLaw):
        return law
    if isinstance(law, str) and law in _REWARD_LAWS:
        return _REWARD_LAWS[law]
    if callable(law):
        return RewardLaw(rule_name(law), law)
    allowed = "a RewardLaw, a callable (mean, rng) -> reward or one of "
    raise InvalidArgumentError("reward_law", law, allowed + ", ".join(sorted(_REWARD_LAWS)))


def usual_means(law: RewardLaw, otherwise: str) -> str:
    """Return the default law of means: `otherwise`, unless `law` allows only some means."""
    return otherwise if law.means is None else ROOMY


def reflected(mean: float, least: float, largest: float) -> float:
    """Return a mean reflected at the ends of [least, largest], of which one may be infinite."""
    if largest == math.inf:
        return least + abs(mean - least)
    if least == -math.inf:
        return largest - abs(largest - mean)
    width = largest - least
    over = (mean - least) % (2.0 * width)
    if over > width:
        over = 2.0 * width - over
    return min(least + over, largest)


class NumberTables(NamedTuple):
    """Tables of the first numbers; those beyond are computed where needed, to the same bit."""

    logarithms: list[float]  # log(k)
    inverse_roots: list[float]  # 1/sqrt(k)


@functools.cache
def number_tables(length: int) -> NumberTables:
    """Return the tables for k = 0, ..., length - 1, which all users share."""
    return NumberTables(
        logarithms=[-math.inf, *map(math.log, range(1, length))],
        inverse_roots=[math.inf, *(1.0 / math.sqrt(k) for k in range(1, length))],
    )

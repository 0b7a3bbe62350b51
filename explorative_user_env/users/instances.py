"""Instances, which are the true means of all arms, and the laws that draw instances."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.validation import CallableError, InvalidArgumentError, finite_vector

__all__ = ["InstanceLaw"]

LARGE_ENOUGH = "large enough to change a mean of {}"


def number_of_arms(n_arms: Any) -> int:
    """Validate K, at most a million, and return it as an int; more arms would need gigabytes."""
    if isinstance(n_arms, Integral) and int(n_arms) > STEP_CAP:
        allowed = f"at most {STEP_CAP}, the most steps of a run"
        raise InvalidArgumentError("n_arms", n_arms, allowed)
    return validation.integer("n_arms", n_arms, 2)


Law = Callable[[int, np.random.Generator], Any]


def normal_mean(rng: np.random.Generator) -> float:
    """Return a mean from N(0, 1)."""
    return rng.standard_normal()


def uniform_mean(rng: np.random.Generator) -> float:
    """Return a mean from Uniform(0, 1)."""
    return rng.random()


class NamedLaw(NamedTuple):
    """A law of independent means in [low, high).

    `one` draws one mean in compiled code. `method` names the Generator's method that draws means.
    If `leaves_room` is True, the means are multiplied by 1 - gap. Then the best mean, which is
    moved to make the gap, is still at most `high`.
    """

    one: Callable[[np.random.Generator], float]
    method: str
    low: float
    high: float
    leaves_room: bool = False

    def many(self, n_arms: int, rng: np.random.Generator) -> Any:
        """Return an array of `n_arms` draws."""
        return getattr(rng, self.method)(n_arms)


#: The law whose means stay in [0, 1] after the best is moved, as Bernoulli rewards require.
ROOMY = "uniform_with_room"

#: N(0, 1) as in the paper's text, Uniform(0, 1) as in its code, and Uniform(0, 1 - gap).
LAWS = {
    # NumPy computes a normal draw from 53 random bits, so its absolute value is at most 13.
    "normal": NamedLaw(normal_mean, "standard_normal", -16.0, 16.0),
    "uniform": NamedLaw(uniform_mean, "random", 0.0, 1.0),
    ROOMY: NamedLaw(uniform_mean, "random", 0.0, 1.0, leaves_room=True),
}


def around_one(factor: float, rng: Any) -> float:
    """Return a draw from the log-uniform law on [1 / factor, factor]; 1 for a factor of 1."""
    drawn = math.exp((2.0 * rng.random() - 1.0) * math.log(factor))
    return min(max(drawn, 1.0 / factor), factor)  # keep the draw in the interval despite rounding


def reflected(mean: float, least: float, largest: float) -> float:
    """Return a mean reflected into [least, largest]; `least` or `largest` may be infinite."""
    if largest == math.inf:
        return least + abs(mean - least)
    if least == -math.inf:
        return largest - abs(largest - mean)
    width = largest - least
    over = (mean - least) % (2.0 * width)
    if over > width:
        over = 2.0 * width - over
    return min(least + over, largest)


LOST = -1


def move_best(means: Any, gap: float, rng: np.random.Generator) -> int:
    """Move the best of `means`, in place, to `gap` above the second best, and return its index.

    A gap of 0 moves nothing. If the gap is lost by rounding, return `LOST`.
    """
    top, n_tied = -math.inf, 0
    for mean in means:
        if mean > top:
            top, n_tied = mean, 0
        n_tied += mean == top
    chosen = int(rng.random() * n_tied) if n_tied > 1 else 0
    best, second = LOST, -math.inf
    for arm in range(len(means)):
        if means[arm] == top:
            if chosen == 0 and best == LOST:
                best = arm
                continue
            chosen -= 1
        second = max(second, means[arm])
    if gap > 0.0:
        moved = second + gap
        if not second < moved < math.inf:
            return LOST
        means[best] = moved
    return best


def draw_gap(gap: float, factor: float, rng: np.random.Generator) -> float:
    """Return the gap of one user; if `factor` is 1, draw no random number."""
    return gap if factor == 1.0 else gap * around_one(factor, rng)


def draw_means(means: Any, mean: Callable[..., float], drawing: Any, rng: Any) -> int:
    """Fill `means` with `scale` * `mean(rng)`, make the gap, and return the best arm or `LOST`."""
    scale, gap, gap_factor = drawing
    for arm in range(len(means)):
        means[arm] = scale * mean(rng)
    return move_best(means, draw_gap(gap, gap_factor, rng), rng)


#: The largest size of a mean and a gap; their squares, summed over all steps, are finite.
LARGEST_MEAN = 1e150

ALLOWED_MEANS = f"a tuple of at least two numbers of at most {LARGEST_MEAN:g} in size"


def checked_gap(gap: Any) -> float:
    """Validate `gap`: positive and at most the largest mean."""
    if (number := validation.positive("gap", gap)) > LARGEST_MEAN:
        raise InvalidArgumentError("gap", gap, f"above 0 and at most {LARGEST_MEAN:g}")
    return number


def at_least_one(name: str, value: Any) -> float:
    """Validate a factor: a number in [1, `LARGEST_MEAN`]."""
    if not 1.0 <= (number := validation.positive(name, value)) <= LARGEST_MEAN:
        raise InvalidArgumentError(name, value, f"a number of 1 to {LARGEST_MEAN:g}")
    return number


Means = str | Sequence[float] | Law

#: Default Delta_1 of drawn means, as in the paper's tables.
DEFAULT_GAP = 0.5

#: Most arms in a notebook's table, besides the best arm.
ARMS_SHOWN = 100

#: Trial draws from a callable at construction, if the means are restricted.
TRIALS = 100


@dataclass(frozen=True)
class Instance:
    """A problem instance with one best arm.

    Attributes:
        means: mu_i, one for each arm.
        best_arm: the index of mu_*.

    Raises:
        InvalidArgumentError: if `means` is not a tuple of at least two finite numbers, or if an arm
            has a larger mean than `best_arm`.
    """

    means: tuple[float, ...]
    best_arm: int

    def __post_init__(self) -> None:
        means, best = self.means, self.best_arm  # must be fast, as every user has an instance
        try:
            # `hypot` is fast. If a mean is large, infinite or NaN, so is the result of `hypot`.
            small = math.hypot(*means) <= LARGEST_MEAN or all(abs(x) <= LARGEST_MEAN for x in means)
        except (TypeError, OverflowError):
            small = False
        if not small or not isinstance(means, tuple) or len(means) < 2:
            raise InvalidArgumentError("means", means, ALLOWED_MEANS)
        if type(best) is not int:
            validation.integer("best_arm", best, 0)
        if not 0 <= best < len(means) or means[best] < max(means):
            raise InvalidArgumentError("best_arm", best, f"the index of the largest of {means}")

    @property
    def n_arms(self) -> int:
        """The number of arms K."""
        return len(self.means)

    @property
    def gaps(self) -> tuple[float, ...]:
        """The distance of each mean to the best mean, and of the best mean to the second best."""
        best = self.means[self.best_arm]
        gaps = [best - mean for arm, mean in enumerate(self.means) if arm != self.best_arm]
        gaps.insert(self.best_arm, min(gaps))
        return tuple(gaps)

    @property
    def gap(self) -> float:
        """Delta_1, the distance from the best arm to the second best."""
        return self.gaps[self.best_arm]

    @property
    def hardness(self) -> float:
        """H = sum over all arms of 1 / Delta_i^2 (paper, section 2)."""
        return sum(1.0 / gap**2 for gap in self.gaps)

    def _repr_html_(self) -> str:
        from explorative_user_env.display.tables import Column, html_table, paragraphs, table

        means, best = self.means, self.best_arm
        arms = sorted({*range(min(len(means), ARMS_SHOWN)), best})
        rows = [(arm, means[arm], "best" if arm == best else "") for arm in arms]
        columns = (Column("arm"), Column("mean", form="{:.3f}"), Column("", left=True))
        hidden = [f"{len(means) - len(arms)} more arms."] if len(arms) < len(means) else []
        return html_table(table(rows, columns)) + paragraphs(hidden)


def instances_of(means: np.ndarray, best_arms: np.ndarray) -> tuple[Instance, ...]:
    """Return instances from means, shape (n, K), and best arms, shape (n,)."""
    return tuple(map(Instance, map(tuple, means.tolist()), best_arms.tolist()))


class InstanceLaw:
    """A law that draws instances with K means and a gap.

    Args:
        n_arms: K, in 2..1000000.
        means: "normal", "uniform", "uniform_with_room" (on [0, 1 - gap]), K numbers, or a callable
            `(n_arms, rng) -> K numbers`.
        gap: distance of the best mean to the second best, above 0, exact up to rounding. If it is
            None, the gap is 0.5 for drawn means, and K given numbers stay unchanged.
        within: smallest and largest allowed mean, also after the best mean is moved to make the
            gap; None allows any mean. The constructor tests callable `means` with `TRIALS` draws.
        gap_factor: f, at least 1; each user's gap is drawn log-uniformly from [gap / f, gap * f].

    Raises:
        InvalidArgumentError: for K out of range, a gap that is not positive or too small for the
            means, a factor below 1, an unknown law, means that are not K finite numbers, given
            means without a unique best arm and without a gap, or means that can be outside
            `within`.
    """

    def __init__(
        self,
        n_arms: int,
        means: Means = "normal",
        gap: float | None = None,
        within: tuple[float, float] | None = None,
        gap_factor: float = 1.0,
    ) -> None:
        self.within = None if within is None else validation.ends("within", within)
        self.n_arms = number_of_arms(n_arms)
        self.gap = None if gap is None else checked_gap(gap)
        self.gap_factor = at_least_one("gap_factor", gap_factor)
        self.given: list[float] | None = None
        self.named: NamedLaw | None = None
        self.scale = 1.0  # the draws of a named law are multiplied by it
        self.custom: Law | None = None  # a callable for the means
        self.title: str | list[float]  # in tables: the name of the law, or the given means
        self._fixed: Instance | None = None  # the instance of every user, if it is not random
        if isinstance(means, str):
            self.named, self.title = LAWS[validation.choice("means", means, LAWS)], means
        elif callable(means):
            self.custom, self.title = means, getattr(means, "__qualname__", repr(means))
        else:
            self.given = self.title = finite_vector("means", means, self.n_arms)
            if self.gap is None and self.given.count(max(self.given)) > 1:
                allowed = "numbers with one best arm, unless gap is given"
                raise InvalidArgumentError("means", self.given, allowed)
        if self.given is None and self.gap is None:
            self.gap = DEFAULT_GAP
        if self.gap_factor > 1.0 and self.gap is not None:
            checked_gap(self.largest_gap)
        self._check_named(self.named) if self.named is not None else self._check()

    @property
    def largest_gap(self) -> float:
        """The largest possible gap of a user; 0 if `gap` is None."""
        return (self.gap or 0.0) * self.gap_factor

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return an instance; if all users have the same instance, draw no random number."""
        if self._fixed is not None:
            return self._fixed
        instance = separated(self.draw_unmoved(rng), self.gap, rng, self.gap_factor)
        return instance if self.named is not None else self._within(instance)

    def draw_unmoved(self, rng: np.random.Generator) -> list[float]:
        """Return drawn or given means, without moving the best mean to make the gap."""
        if self.named is not None:
            return list((self.scale * self.named.many(self.n_arms, rng)).tolist())
        if self.custom is not None:
            return finite_vector("means", self.custom(self.n_arms, rng), self.n_arms)
        return list(self.given or ())

    def _check(self) -> None:
        """Reject, at construction, laws whose draws would fail later."""
        rng = np.random.default_rng(0)
        if self.given is not None:
            for factor in (1.0 / self.gap_factor, self.gap_factor):
                gap = None if self.gap is None else self.gap * factor
                self._within(separated(self.given, gap, rng))
            alike = self.gap is None or self.gap_factor == 1.0
            if alike and self.given.count(max(self.given)) == 1:
                self._fixed = self.draw(rng)
        elif self.within is not None:
            try:
                for _ in range(TRIALS):
                    self.draw(rng)
            except InvalidArgumentError:
                raise
            except Exception as error:
                raise CallableError.of(f"means ({self.title})", error, "when tried") from error

    def _check_named(self, law: NamedLaw) -> None:
        """Set the factor of a named law's draws. Reject a law that does not fit other options."""
        least_gap, most = (self.gap or 0.0) / self.gap_factor, self.largest_gap
        if law.leaves_room:
            if most >= law.high:
                allowed = f'below {law.high / self.gap_factor:g} with means="{ROOMY}"'
                raise InvalidArgumentError("gap", self.gap, allowed)
            self.scale = law.high - most
        low, high = law.low, self.scale * law.high
        if self.within is not None and not self.within[0] <= low <= high + most <= self.within[1]:
            least, most = self.within
            roomy = f'"{ROOMY}" or ' if least <= LAWS[ROOMY].low < LAWS[ROOMY].high <= most else ""
            allowed = f"{roomy}in [{least:g}, {most:g}], as this reward_law needs"
            raise InvalidArgumentError("means", self.title, allowed)
        if least_gap <= math.ulp(math.nextafter(max(-low, high), 0.0)) / 2:
            allowed = LARGE_ENOUGH.format(max(-low, high))
            raise InvalidArgumentError("gap", self.gap, allowed)

    def _within(self, instance: Instance) -> Instance:
        low, high = self.within or (-math.inf, math.inf)
        if not all(low <= mean <= high for mean in instance.means):
            moved = "" if self.gap is None else f" after the best is moved by gap = {self.gap:g}"
            allowed = f"in [{low:g}, {high:g}]{moved}, as this reward_law needs"
            raise InvalidArgumentError("means", list(instance.means), allowed)
        return instance


def separated(
    means: Sequence[float], gap: float | None, rng: np.random.Generator, gap_factor: float = 1.0
) -> Instance:
    """Return the instance in which the best of `means` is moved to `gap` above the second best.

    Among tied best arms, a random one becomes the best. A gap of None leaves the means as they are.
    With a `gap_factor` the gap is random (see `InstanceLaw`).

    Raises:
        InvalidArgumentError: if rounding removes the gap.
    """
    values = list(means)
    best = move_best(values, 0.0 if gap is None else draw_gap(gap, gap_factor, rng), rng)
    if best == LOST:
        raise InvalidArgumentError("gap", gap, LARGE_ENOUGH.format(sorted(means)[-2]))
    return Instance(tuple(values), best)

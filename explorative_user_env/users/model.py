"""The explorative user (paper, section 2): schedules of rho_t, laws of rewards, and her rule.

The rule consists of functions of the state of one user. The state is a record of lists; a number
that changes is a list of length one. Compiled code runs the same functions on arrays.
"""

import functools
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import inf, isfinite, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import validation
from explorative_user_env.validation import InvalidArgumentError, is_real

__all__ = ["lcb", "learn", "log_confidence", "realize", "rejects", "respond", "rho", "start", "ucb"]


Rule = Callable[[tuple[float, ...], int, int, int], float]


def rule_name(rule: Callable[..., Any]) -> str:
    """Return the name of a rule, which may be a function, an object or a partial."""
    return str(getattr(rule, "__name__", None) or type(rule).__name__)


def register(known: dict[str, Any], what: str, name: str, thing: Any) -> None:
    """Add `thing` to `known` under a name; errors use the word `what` for it, such as "schedule".

    Raises:
        InvalidArgumentError: if the name is taken.
    """
    if known.setdefault(name, thing) != thing:
        raise InvalidArgumentError("name", name, f"a name that no other {what} has")


@dataclass(frozen=True)
class Schedule:
    """A rule for rho_t with its range.

    Args:
        rule: `rule(parameters, n, t, n_arms) -> rho_t` from the acceptances n(t), the interactions
            t and K. Numba can compile it if it uses plain arithmetic and `math` only.
        rho_0: the least value of rho_t, above 0.
        rho_1: the largest value, at least rho_0.
        parameters: numbers for the rule.

    Raises:
        InvalidArgumentError: if a field is out of range; the message names the field.
    """

    rule: Rule
    rho_0: float
    rho_1: float
    parameters: tuple[float, ...] = (0.0, 0.0)

    def __post_init__(self) -> None:
        ends = (self.rho_0, self.rho_1)
        if not (all(map(is_real, ends)) and 0.0 < self.rho_0 <= self.rho_1 < inf):
            raise InvalidArgumentError("rho range", ends, "two finite numbers, 0 < rho_0 <= rho_1")
        numbers = self.parameters  # NaN and infinity may be parameters of a rule
        needed = 2 if self.rule is acceptance_rate_rule else int(self.rule is constant_rule)
        plain = isinstance(numbers, tuple) and all(map(is_real, numbers))
        if not plain or len(numbers) < needed:
            allowed = f"a tuple of at least {needed} numbers for {rule_name(self.rule)}"
            raise InvalidArgumentError("parameters", numbers, allowed)

    @property
    def title(self) -> str:
        """The name in tables: a registered name, the constant, or the rule and its parameters."""
        if self.rule is constant_rule:
            return f"{self.parameters[0]:g}"
        numbers = ", ".join(f"{number:g}" for number in self.parameters)
        names = (name for name, schedule in _SCHEDULES.items() if schedule == self)
        return next(names, f"{rule_name(self.rule)}({numbers})")


def acceptance_rate_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return 1 + (n + a K) / (t + b K), with (a, b) = parameters; 2 if the divisor is 0."""
    interactions = t + parameters[1] * n_arms
    if interactions == 0.0:
        return 2.0
    return 1.0 + (n + parameters[0] * n_arms) / interactions


def prior_counts(schedule: Schedule, n_arms: int) -> tuple[int, int] | None:
    """Return the counts (a K, b K) of rho_t = 1 + (a K + n)/(b K + t) if integers, else None."""
    if schedule.rule is not acceptance_rate_rule or schedule.rho_0 > 1.0 or schedule.rho_1 < 2.0:
        return None
    accepted, seen = (number * n_arms for number in schedule.parameters[:2])
    integers = 0.0 <= accepted <= seen < 2**31 and int(accepted) == accepted and int(seen) == seen
    return (int(accepted), int(seen)) if integers else None


def constant_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """Return parameters[0]."""
    return parameters[0]


#: rho_t = 1 + n(t)/t, as the paper's text has it.
ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (0.0, 0.0))

#: rho_t = 1 + (K + n(t)) / (2K + t), as the released code has it.
SMOOTHED_ACCEPTANCE_RATE = Schedule(acceptance_rate_rule, 1.0, 2.0, (1.0, 2.0))

_SCHEDULES: dict[str, Schedule] = {
    "acceptance_rate": ACCEPTANCE_RATE,
    "smoothed_acceptance_rate": SMOOTHED_ACCEPTANCE_RATE,
}


def constant(rho: float) -> Schedule:
    """Return the schedule rho_t = rho; rho = 1 with alpha = 1 is the classic UCB1 interval."""
    return Schedule(constant_rule, rho, rho, (rho, 0.0))


def register_schedule(name: str, schedule: Schedule) -> None:
    """Register `schedule` under a name, so that `gym.make(..., rho=name)` can be written as JSON.

    Raises:
        InvalidArgumentError: if the name is taken.
    """
    register(_SCHEDULES, "schedule", name, schedule)


def as_schedule(rho: "Schedule | str | float") -> Schedule:
    """Return the schedule for a `Schedule`, a registered name or a constant rho_t."""
    if isinstance(rho, Schedule):
        return rho
    if isinstance(rho, str) and rho in _SCHEDULES:
        return _SCHEDULES[rho]
    allowed = "a Schedule, a positive and finite number or one of "
    return constant(validation.real("rho", rho, allowed + ", ".join(sorted(_SCHEDULES))))


#: The indices of the package's laws in `REWARD_LAWS`, and the code of any other law.
GAUSSIAN, BERNOULLI, BOUNDED, CUSTOM = range(4)

#: Half the width of the uniform law of variance 1.
HALF_WIDTH = sqrt(3.0)

#: The source of a user's randomness; compiled code uses an equivalent one.
Stream = np.random.Generator

RewardDraw = Callable[[float, Any], Any]


@dataclass(frozen=True)
class RewardLaw:
    """A law of realized rewards, which draws a reward with a given mean.

    The paper's theorems, and agents based on them, require rewards with mean mu_i that are
    sub-Gaussian with parameter 1. The package does not check custom laws for this property.

    Args:
        name: the name in tables.
        draw: `draw(mean, rng) -> reward`, a finite number. Numba compiles plain arithmetic, `math`,
            `rng.random()` and `rng.standard_normal()`, with identical results.
        means: the smallest and the largest allowed mean, possibly infinite; None allows any mean.

    Raises:
        InvalidArgumentError: for a draw that is not callable, or an invalid range of means.
    """

    name: str
    draw: RewardDraw
    means: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not callable(self.draw):
            raise InvalidArgumentError("draw", self.draw, "a callable (mean, rng) -> reward")
        validation.of_class("name", self.name, str)
        if self.means is not None:
            validation.ends("means of reward_law", self.means)

    def __call__(self, mean: float, rng: Stream) -> Any:
        """Return a draw without checks."""
        return self.draw(mean, rng)

    @property
    def range_of_means(self) -> tuple[float, float]:
        """The smallest and the largest allowed mean; (-inf, inf) if any mean is allowed."""
        return (-inf, inf) if self.means is None else self.means

    @property
    def place(self) -> int:
        """The index of a law of the package in `REWARD_LAWS`; `CUSTOM` for another law."""
        return _BUILT_IN.index(self) if self in _BUILT_IN else CUSTOM

    @property
    def compiled_in(self) -> RewardDraw:
        """The `draw` of a custom law for compiled code; `no_law` for the package's laws."""
        return self.draw if self.place == CUSTOM else no_law


AnyRewardLaw = RewardLaw | RewardDraw | str


def no_law(mean: float, rng: Stream) -> float:
    """Return the mean; a placeholder that is never called."""
    return mean


def draw_reward(law: int, mean: float, rng: Stream) -> float:
    """Return a reward of the law `GAUSSIAN`, `BERNOULLI` or `BOUNDED`; takes one random number."""
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


#: The paper's law.
GAUSSIAN_LAW = RewardLaw("gaussian", gaussian_reward)

_BUILT_IN = (
    GAUSSIAN_LAW,
    RewardLaw("bernoulli", bernoulli_reward, (0.0, 1.0)),
    RewardLaw("bounded", bounded_reward),
)

#: Names of the package's laws: N(mu, 1); 1 with probability mu, else 0; uniform on mu -+ sqrt 3.
REWARD_LAWS = tuple(law.name for law in _BUILT_IN)

_REWARD_LAWS = {law.name: law for law in _BUILT_IN}


def register_reward_law(name: str, law: RewardLaw) -> None:
    """Register `law` under a name, so that `gym.make(..., reward_law=name)` can be written as JSON.

    Raises:
        InvalidArgumentError: if the name is taken.
    """
    register(_REWARD_LAWS, "reward law", name, law)


def as_reward_law(law: AnyRewardLaw) -> RewardLaw:
    """Return the law for a `RewardLaw`, a callable or a registered name."""
    if isinstance(law, RewardLaw):
        return law
    if isinstance(law, str) and law in _REWARD_LAWS:
        return _REWARD_LAWS[law]
    if callable(law):
        return RewardLaw(rule_name(law), law)
    allowed = "a RewardLaw, a callable (mean, rng) -> reward or one of "
    raise InvalidArgumentError("reward_law", law, allowed + ", ".join(sorted(_REWARD_LAWS)))


class NumberTables(NamedTuple):
    """Tables of log(k) and 1/sqrt(k) for small k; the code computes equal values for larger k."""

    logarithms: list[float]  # log(k)
    inverse_roots: list[float]  # 1/sqrt(k)


@functools.cache
def number_tables(length: int) -> NumberTables:
    """Return the tables for k = 0, ..., length - 1; all users share them."""
    numbers = range(1, length)
    return NumberTables([-inf, *map(log, numbers)], [inf, *(1.0 / sqrt(k) for k in numbers)])


#: 1/sqrt(n_i) of an arm without rewards; test n_i = 0 to recognise such an arm.
UNSEEN = inf

#: Length of the tables in plain Python, enough for four thousand steps.
SHORT_TABLES = 2**13


@dataclass(frozen=True, slots=True)
class User:
    """The constant parameters of a user."""

    n_arms: int  # K, in 2..1000000
    alpha: float  # willingness to explore, above 0; scales Gamma
    noise: float  # p in [0, 1], the probability that a decision is a coin flip (click noise)
    reward_law: int  # index of her reward law in `REWARD_LAWS`, or `CUSTOM`; 0 is N(mu, 1)
    law: RewardLaw  # her reward law
    least_mean: float  # smallest mean that the law allows, or -inf
    largest_mean: float  # largest mean that the law allows, or inf
    rejects_ties: bool  # whether she rejects i if lcb_j = ucb_i
    private_draws: int  # rewards of each arm before the first step; they count in n_i, not in n(t)
    least_n: int  # lower limit of n(t) in Gamma, 0 or 1
    refreshes_on_rejection: bool  # whether rejections update rho_t, as acceptances do
    rho_at_start: float  # rho_t before the first response
    rho_0: float  # declared lower bound of rho_t
    rho_1: float  # declared upper bound of rho_t
    rho_parameters: tuple[float, ...]  # parameters of the rule of rho_t
    # `counted`: rho_t = 1 + (n(t) + prior_acceptances)/(t + prior_interactions) with integers.
    # Then log(rho_t n(t)) is a sum of logarithms of integers, which tables hold.
    counted: bool
    prior_acceptances: int
    prior_interactions: int


@dataclass(frozen=True, slots=True)
class UserState:
    """The user's counts and estimates, and the true means, which she does not know."""

    means: list[float]  # mu_i
    estimates: list[float]  # hat mu_i
    counts: list[int]  # n_i, including rewards before the first step
    scales: list[float]  # 1/sqrt(n_i)
    acceptances: list[int]  # [n(t)]
    interactions: list[int]  # [t]
    refreshed: list[int]  # [the t at which rho_t was updated, 0 before the first update]
    spread: list[float]  # [sqrt(Gamma)]
    reward: list[float]  # [the reward of the last response, 0 after a rejection]
    ceiling: list[float]  # [bound: every lcb_j is at most this if spread >= ceiling_spread]
    ceiling_spread: list[float]
    witness: list[int]  # [the arm with the largest lcb when all arms were last compared]
    logarithms: list[float]
    inverse_roots: list[float]


@dataclass(frozen=True, slots=True)
class RememberingState(UserState):
    """The state of a user whose behaviour has memory (see `behaviours.Behaviour`)."""

    memory: list[float]


def blank_state(user: User, memory: list[float] | None = None) -> UserState:
    """Return an empty state of the right size; `start` fills it."""
    n_arms, tables = user.n_arms, number_tables(SHORT_TABLES)
    blank: dict[str, Any] = {
        "means": [0.0] * n_arms,
        "estimates": [0.0] * n_arms,
        "counts": [0] * n_arms,
        "scales": [UNSEEN] * n_arms,
        **{name: [0] for name in ("acceptances", "interactions", "refreshed", "witness")},
        **{name: [0.0] for name in ("spread", "reward")},
        "ceiling": [-inf],
        "ceiling_spread": [inf],
        **tables._asdict(),
    }
    return RememberingState(**blank, memory=memory) if memory else UserState(**blank)


#: A ceiling is computed for this share of sqrt(Gamma), so that it stays valid if Gamma falls a bit.
CEILING_SLACK = 0.99


def start(user: User, state: UserState, rng: Stream) -> None:
    """Start a new user: clear all but `state.means`, and learn rewards before the first step."""
    clear(user, state)
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            learn(state, arm, realize(user, state, arm, rng))


def clear(user: User, state: UserState) -> None:
    """Set `state` to the state of a user who has not seen a reward."""
    for arm in range(user.n_arms):
        state.estimates[arm] = 0.0
        state.counts[arm] = 0
        state.scales[arm] = UNSEEN
    state.ceiling[0] = -inf
    state.ceiling_spread[0] = inf
    state.witness[0] = state.refreshed[0] = 0
    state.acceptances[0] = state.interactions[0] = 0
    state.reward[0] = 0.0
    state.spread[0] = spread_of(user.alpha, user.rho_at_start, user.least_n)


def spread_of(alpha: float, rho_now: float, n: int) -> float:
    """Return sqrt(Gamma), Gamma = max(0, 2 alpha log(rho_t n(t))) (paper, Eq. 1); 0 if n(t) = 0."""
    return sqrt(max(0.0, 2.0 * alpha * log(rho_now * n))) if n > 0 else 0.0


def lcb(state: UserState, arm: int) -> float:
    """Return lcb_i = hat mu_i - sqrt(Gamma / n_i); -inf for an arm without rewards."""
    if state.counts[arm] == 0:
        return -inf
    return state.estimates[arm] - state.spread[0] * state.scales[arm]


def ucb(state: UserState, arm: int) -> float:
    """Return ucb_i = hat mu_i + sqrt(Gamma / n_i); inf for an arm without rewards."""
    if state.counts[arm] == 0:
        return inf
    return state.estimates[arm] + state.spread[0] * state.scales[arm]


def rejects(user: User, state: UserState, arm: int) -> bool:
    """Return whether another arm is clearly better: some j != i with lcb_j >= ucb_i.

    Without `rejects_ties` lcb_j must exceed ucb_i. Most decisions need no loop over the arms. She
    accepts if ucb_i exceeds `ceiling`, an upper bound on all lcb_j that stays valid as Gamma grows.
    She rejects if the arm that last had the largest lcb is clearly better. Rounding preserves the
    order of numbers, so these decisions are those of the loop.
    """
    # This repeats the code of `ucb` and `lcb`, because calls would cost 5% of the time of a step.
    spread = state.spread[0]
    bar = state.estimates[arm] + spread * state.scales[arm] if state.counts[arm] > 0 else inf
    if bar > state.ceiling[0] and spread >= state.ceiling_spread[0]:
        return False
    witness = state.witness[0]
    if witness != arm and state.counts[witness] > 0:
        bound = state.estimates[witness] - spread * state.scales[witness]
        if bound > bar or (bound == bar and user.rejects_ties):
            return True
    return _look_at_all(user, state, arm, bar)


def _look_at_all(user: User, state: UserState, arm: int, bar: float) -> bool:
    """Decide by a loop over the arms. Store a bound on all lcb_j, and the arm with the largest."""
    estimates, scales, counts = state.estimates, state.scales, state.counts
    spread = state.spread[0]
    lower_spread = CEILING_SLACK * spread
    ceiling = -inf
    largest = -inf
    strongest_rival = -inf
    for other in range(user.n_arms):
        if counts[other] == 0:
            continue
        bound = estimates[other] - spread * scales[other]
        if bound > largest:
            largest = bound
            state.witness[0] = other
        if other != arm and bound > strongest_rival:
            strongest_rival = bound
        bound = estimates[other] - lower_spread * scales[other]
        if bound > ceiling:
            ceiling = bound
    state.ceiling[0] = ceiling
    state.ceiling_spread[0] = lower_spread
    return strongest_rival > bar or (strongest_rival == bar and user.rejects_ties)


def realize(user: User, state: UserState, arm: int, rng: Stream) -> float:
    """Return a reward of `arm`; raise a ValueError if it is not finite."""
    mean = state.means[arm]
    if user.reward_law != CUSTOM:
        return draw_reward(user.reward_law, mean, rng)
    reward = user.law(mean, rng)
    if not isfinite(reward):
        state.reward[0] = reward  # the error message shows it
        raise ValueError("a reward is not finite")
    return float(1 * reward)  # numba's float() does not accept bool


def learn(state: UserState, arm: int, reward: float) -> None:
    """Update n_i and the empirical mean with a reward."""
    n = state.counts[arm] + 1
    roots = state.inverse_roots
    scale = roots[n] if n < len(roots) else 1.0 / sqrt(n)
    estimate = state.estimates[arm]
    estimate += (reward - estimate) / n
    state.counts[arm] = n
    state.estimates[arm] = estimate
    state.scales[arm] = scale
    spread = state.ceiling_spread[0]
    if spread < inf:
        bound = estimate - spread * scale
        if bound > state.ceiling[0]:
            state.ceiling[0] = bound


def respond(
    user: User, state: UserState, rule: Rule, arm: int, rng: Stream, wants: bool | None = None
) -> bool:
    """Return the response to a recommendation of `arm`; update the state.

    Args:
        user: the user's parameters.
        state: her state, changed in place.
        rule: the rule of rho_t (see `Schedule`).
        arm: the recommended arm, 0..K-1.
        rng: the user's stream.
        wants: the decision of another behaviour, before click noise; None decides by `rejects`.
    """
    accepted = not rejects(user, state, arm) if wants is None else wants
    if user.noise > 0.0:
        accepted = with_noise(accepted, user.noise, rng)
    t = state.interactions[0] + 1
    state.interactions[0] = t
    n = state.acceptances[0]
    if accepted:
        n += 1
        state.acceptances[0] = n
        reward = state.means[arm]
        # The Gaussian law is inlined for speed.
        if user.reward_law == CUSTOM:
            reward = realize(user, state, arm, rng)
        elif user.reward_law:
            reward = draw_reward(user.reward_law, reward, rng)
        else:
            reward += rng.standard_normal()
        state.reward[0] = reward
        learn(state, arm, reward)
    else:
        state.reward[0] = 0.0
        if not user.refreshes_on_rejection:
            return False

    # Gamma = max(0, 2 alpha log(rho_t n(t))) (paper, Eq. 1). Tables hold logarithms of integers.
    state.refreshed[0] = t
    logarithms = state.logarithms
    seen = t + user.prior_interactions
    both = seen + n + user.prior_acceptances
    if user.counted and n > 0 and both < len(logarithms):
        logarithm = logarithms[n] + (logarithms[both] - logarithms[seen])
    else:
        logarithm = log_confidence(user, state, rule)
    state.spread[0] = sqrt(2.0 * user.alpha * logarithm) if logarithm > 0.0 else 0.0
    return accepted


def with_noise(accepted: bool, noise: float, rng: Stream) -> bool:
    """Return the decision, or, with probability `noise`, the result of a coin flip."""
    return rng.random() < 0.5 if rng.random() < noise else accepted


def log_confidence(user: User, state: UserState, rule: Rule) -> float:
    """Return log(rho_t n(t)) for the current rho_t; 0 if n(t) = 0."""
    n = max(state.acceptances[0], user.least_n)
    if user.counted and state.acceptances[0] > 0:
        # The same sum of logarithms of integers as in `respond`, which reads them from tables.
        seen = state.refreshed[0] + user.prior_interactions
        return log(n) + (log(seen + n + user.prior_acceptances) - log(seen))
    current = rho(user, state, rule)
    return log(current * n) if n > 0 else 0.0


def rho(user: User, state: UserState, rule: Rule) -> float:
    """Return the current rho_t; raise a ValueError if it is outside [rho_0, rho_1]."""
    if state.refreshed[0] == 0:
        return user.rho_at_start
    current = rule(user.rho_parameters, state.acceptances[0], state.refreshed[0], user.n_arms)
    if not user.rho_0 <= current <= user.rho_1:
        raise ValueError("rho_t is outside the range [rho_0, rho_1] of its schedule")
    return current


#: Length of the tables in compiled code, enough for a quarter of a million steps.
LONG_TABLES = 2**19


def _tuple_of(name: str, fields_of: type, then: Sequence[str] = ()) -> Any:
    names = [field.name for field in fields(fields_of) if field.name != "law"]
    return namedtuple(name, [*names, *then], module=__name__)


UserTuple = _tuple_of("UserTuple", User)
#: The user's parameters with her reward law, for compiled code.
LawfulTuple = _tuple_of("LawfulTuple", User, ["law"])

StateTuple = _tuple_of("StateTuple", UserState)
#: A state with the memory of another behaviour.
RememberingTuple = _tuple_of("RememberingTuple", RememberingState)


def as_arrays(state: Any) -> Any:
    """Return a (nested) NamedTuple of lists as a NamedTuple of arrays.

    Raises:
        TypeError: if a field is not a list of numbers.
    """
    arrays = []
    for name, values in state._asdict().items():
        numbers = isinstance(values, list) and all(isinstance(each, int | float) for each in values)
        if not numbers and not hasattr(values, "_asdict"):
            raise TypeError(f"field {name} of the state is not a list of numbers")
        arrays.append(np.array(values) if numbers else as_arrays(values))
    return state._make(arrays)


def user_tuple(user: User) -> Any:
    """Return the user's parameters, without her reward law."""
    return UserTuple(*(getattr(user, name) for name in UserTuple._fields))


def user_arrays(user: User, memory: Sequence[float] = ()) -> Any:
    """Return an empty state of `user` for compiled code, with her `memory` if she has one."""
    blank = blank_state(user)
    arrays = [np.array(getattr(blank, name)) for name in StateTuple._fields[:-2]]
    state = StateTuple(*arrays, *long_tables())
    return RememberingTuple(*state, memory=np.array(memory)) if memory else state


@functools.cache
def long_tables() -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of log(k) and 1/sqrt(k) that all users in compiled code share."""
    logarithms, inverse_roots = number_tables(LONG_TABLES)
    number_tables.cache_clear()  # these lists need eight times the memory of the arrays
    return np.array(logarithms), np.array(inverse_roots)

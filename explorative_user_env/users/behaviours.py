"""Behaviours: the rules by which users respond, the paper's and others."""

import ast
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, sqrt
from numbers import Integral
from typing import Any, ParamSpec

import numpy as np

from explorative_user_env import validation
from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import Instance, around_one, at_least_one, reflected
from explorative_user_env.users.model import RememberingState as State
from explorative_user_env.users.model import Rule, Stream, User, UserState
from explorative_user_env.validation import InvalidArgumentError, is_external
from explorative_user_env.validation import probability as share

__all__ = ["drifting", "forgetful", "impatient", "logistic", "omniscient", "varied"]

#: The largest memory of a user, in numbers (most of a GB).
LARGEST_MEMORY = 100_000_000


@dataclass(frozen=True)
class Behaviour:
    """The rule by which a user responds.

    Args:
        name: the name in tables.
        start: `start(user, state, rng)` sets the state of a new user; `state.means` is set already.
        respond: `respond(user, state, rule, arm, rng) -> accepted`, as `model.respond`. Numba can
            compile `start` and `respond` if they use plain arithmetic and `math` only.
        parameters: numbers with which the list `state.memory` begins.
        memory: how many numbers follow the parameters in `state.memory`; they start at 0.
        memory_per_arm: how many more numbers follow for each arm.
        moves_means: whether mu_i changes during an episode. The best arm is then the arm with the
            largest mean at the time of the answer.
        leaves: `leaves(user, state, accepted, rng) -> bool` is called after every response and
            returns whether she leaves. Numba must be able to compile it. If None, she never leaves.
        rho: `rho(user, state, rule) -> rho_t`, the value that the hidden state shows.
        gap_factor: f, at least 1; each user's gap is drawn log-uniformly from [gap / f, gap * f].

    Raises:
        InvalidArgumentError: if a field's value does not fit its type; the message names the field.
    """

    name: str
    start: Callable[..., None] = rules.start
    respond: Callable[..., bool] = rules.respond
    parameters: tuple[float, ...] = ()
    memory: int = 0
    memory_per_arm: int = 0
    moves_means: bool = False
    leaves: Callable[..., bool] | None = None
    rho: Callable[..., float] = rules.rho
    gap_factor: float = 1.0

    def memory_of(self, n_arms: int) -> list[float]:
        """Return the memory of a user with K arms; `start` fills it."""
        size = self.memory + self.memory_per_arm * n_arms
        if size > LARGEST_MEMORY:
            allowed = f"one with at most {LARGEST_MEMORY} numbers of memory for {n_arms} arms"
            raise InvalidArgumentError("behaviour", self.name, allowed)
        return [*self.parameters, *[0.0] * size]

    def blank(self, user: User) -> UserState:
        """Return an empty state of the right size; `start` fills it."""
        return rules.blank_state(user, self.memory_of(user.n_arms))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The functions of the behaviour that a run calls."""
        return (self.start, self.respond, *filter(None, [self.leaves]))

    def checked(self) -> tuple[Callable[..., bool], Callable[..., bool] | None]:
        """Return `respond` and `leaves` for a new user; results of custom functions are checked."""
        respond, leaves = self.respond, self.leaves
        if is_external(respond):
            respond = Checked(respond, f"response of behaviour {self.name!r}")
        if leaves is not None and is_external(leaves):
            leaves = Checked(leaves, f"leaving of behaviour {self.name!r}")
        return respond, leaves

    def truth(self, instance: Instance, means: Sequence[float]) -> Instance:
        """Return the initial `instance`, or an instance with the current `means` if means move."""
        if not self.moves_means:
            return instance
        values = tuple(means)
        return Instance(values, values.index(max(values)))


@dataclass(slots=True)
class Checked:
    """Calls a custom `respond` or `leaves`, checks the results and counts the calls.

    Raises:
        InvalidArgumentError: if a result is neither True nor False.
    """

    function: Callable[..., Any]
    what: str
    steps: int = 0

    def __call__(self, *arguments: Any) -> bool:
        """Call the function."""
        self.steps += 1
        result = self.function(*arguments)
        if not isinstance(result, bool | np.bool_):
            raise InvalidArgumentError(self.what, result, "True or False")
        return bool(result)


def steps_of(function: Callable[..., bool], state: UserState) -> int:
    """Return the step of the latest call of `function`, the user's `respond` or `leaves`."""
    return function.steps if isinstance(function, Checked) else state.interactions[0]


#: The paper's user (section 2), with the rule of `users.model`.
EXPLORATIVE = Behaviour("explorative")

_Parameters = ParamSpec("_Parameters")


def worded(factory: Callable[_Parameters, Behaviour]) -> Callable[_Parameters, Behaviour]:
    """Decorate a function so that its call, "drifting(sigma=0.01)", names the behaviour."""
    signature = inspect.signature(factory)

    @functools.wraps(factory)
    def named(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Behaviour:
        behaviour, words = factory(*args, **kwargs), []
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if value != signature.parameters[name].default:
                number = value if isinstance(value, Integral | None) else float(value)
                words.append(f"{name}={str(number).removesuffix('.0')}")
        name = f"{factory.__name__}({', '.join(words)})"
        return replace(behaviour, name=name) if words else behaviour

    return named


#: Default probability that a rejection makes an impatient user leave.
LEAVING = 0.02

#: The value of `patience` in memory for a user without a limit.
NO_LIMIT = 0


@worded
def impatient(probability: float = LEAVING, patience: int | None = None) -> Behaviour:
    """Return the behaviour of a user who decides by the paper's rule, and may leave for good.

    She leaves with probability q at each rejection, and after r rejections in a row.

    Args:
        probability: q, in [0, 1]. Unless q is 0 or 1, each rejection takes a draw from her stream.
        patience: r, at least 1; if r is None, she stays after any number of rejections in a row.
    """
    run = NO_LIMIT if patience is None else validation.count("patience", patience, 1, STEP_CAP)
    return Behaviour(
        "impatient",
        start=impatient_start,
        parameters=(share("probability", probability), float(run)),
        memory=1,
        leaves=impatient_leaves,
    )


def impatient_start(user: User, state: State, rng: Stream) -> None:
    """Start as `model.start`, and set the number of rejections in a row to 0."""
    rules.start(user, state, rng)
    state.memory[2] = 0.0


def impatient_leaves(user: User, state: State, accepted: bool, rng: Stream) -> bool:
    """Return whether she leaves. `state.memory` is [probability, patience, rejections in a row]."""
    memory = state.memory
    if accepted:
        memory[2] = 0.0
        return False
    memory[2] += 1.0
    probability = memory[0]
    leaves = probability == 1.0
    if 0.0 < probability < 1.0:
        leaves = rng.random() < probability
    return leaves or 0.0 < memory[1] <= memory[2]


#: Indices in a varied user's memory: the two parameters, then her values.
ALPHA_FACTOR, MOST_NOISE, ALPHA, RHO, NOISE = range(5)


@worded
def varied(alpha_factor: float = 2.0, noise: float = 0.2, gap_factor: float = 1.5) -> Behaviour:
    """Return the behaviour of users who differ: each has the paper's rule with her own parameters.

    Agents know only the options of the environment. Each user draws, in this order,

    - her gap, log-uniform in [gap / gap_factor, gap * gap_factor];
    - her alpha, log-uniform in [alpha / alpha_factor, alpha * alpha_factor];
    - her rho_t, constant over time, uniform in [rho_0, rho_1] of the schedule, by default [1, 2];
    - her click noise, uniform in [0, noise], in addition to the noise of the environment.

    Args:
        alpha_factor: at least 1.
        noise: in [0, 1].
        gap_factor: at least 1.
    """
    return Behaviour(
        "varied",
        start=varied_start,
        respond=varied_respond,
        parameters=(at_least_one("alpha_factor", alpha_factor), share("noise", noise)),
        memory=3,
        rho=varied_rho,
        gap_factor=at_least_one("gap_factor", gap_factor),
    )


def varied_start(user: User, state: State, rng: Stream) -> None:
    """Draw her parameters, then start as `model.start`."""
    memory = state.memory
    memory[ALPHA] = user.alpha * around_one(memory[ALPHA_FACTOR], rng)
    memory[RHO] = user.rho_0 + (user.rho_1 - user.rho_0) * rng.random()
    memory[NOISE] = memory[MOST_NOISE] * rng.random()
    rules.start(user, state, rng)
    widen(user, state)


def varied_respond(user: User, state: State, rule: Rule, arm: int, rng: Stream) -> bool:
    """Respond as `model.respond`, with her noise and her rho_t."""
    wants = rules.with_noise(not rules.rejects(user, state, arm), state.memory[NOISE], rng)
    accepted = rules.respond(user, state, rule, arm, rng, wants)
    widen(user, state)
    return accepted


def widen(user: User, state: State) -> None:
    """Set sqrt(Gamma) with the alpha and rho_t that this user has drawn."""
    n = max(state.acceptances[0], user.least_n)
    state.spread[0] = rules.spread_of(state.memory[ALPHA], state.memory[RHO], n)


def varied_rho(user: User, state: State, rule: Rule) -> float:
    """Return her rho_t."""
    return state.memory[RHO]


@worded
def omniscient(tolerance: float = 0.0) -> Behaviour:
    """Return the behaviour of a user who knows mu and accepts only arms close to the best.

    She accepts i if and only if mu_i >= mu_* - tolerance.

    Args:
        tolerance: the largest accepted distance to the best mean, at least 0.
    """
    parameters = (validation.not_negative("tolerance", tolerance),)
    return Behaviour("omniscient", respond=omniscient_respond, parameters=parameters)


def omniscient_respond(user: User, state: State, rule: Rule, arm: int, rng: Stream) -> bool:
    """Respond as `model.respond`, but decide by the true means."""
    best = -inf
    for mean in state.means:
        best = max(best, mean)
    wants = state.means[arm] >= best - state.memory[0]
    return rules.respond(user, state, rule, arm, rng, wants)


#: Default temperature of a logistic user: a fifth of the usual gap.
TEMPERATURE = 0.1


@worded
def logistic(temperature: float = TEMPERATURE) -> Behaviour:
    """Return the behaviour of a user whose responses are random.

    Let x = ucb_i - max_{j != i} lcb_j. She accepts i with probability
    1 / (1 + exp(-x / temperature)): always if x is infinite, and half of the time if x is 0. As the
    temperature falls to 0, she becomes the paper's user.

    Args:
        temperature: the width of the transition around x = 0, above 0.
    """
    parameters = (validation.positive("temperature", temperature),)
    return Behaviour("logistic", respond=logistic_respond, parameters=parameters)


def logistic_respond(user: User, state: State, rule: Rule, arm: int, rng: Stream) -> bool:
    """Respond as `model.respond`, but decide by a draw with the acceptance probability."""
    wants = rng.random() < acceptance_probability(user, state, arm)
    return rules.respond(user, state, rule, arm, rng, wants)


def acceptance_probability(user: User, state: State, arm: int) -> float:
    """Return the probability that a logistic user accepts `arm`, before click noise."""
    rival = -inf
    for other in range(user.n_arms):
        if other != arm:
            rival = max(rival, rules.lcb(state, other))
    x = (rules.ucb(state, arm) - rival) / state.memory[0]
    if x >= 0.0:
        return 1.0 / (1.0 + exp(-x))
    odds = exp(x)  # exp(x) is at most 1 here, but exp(-x) could overflow
    return odds / (1.0 + odds)


#: Default standard deviation of a drifting mean's step; 0.16 after a thousand interactions.
DRIFT = 0.005


@worded
def drifting(sigma: float = DRIFT) -> Behaviour:
    """Return the behaviour of a user whose taste changes: every mu_i follows a random walk.

    Before each interaction every mean moves by N(0, sigma^2), and her reward is drawn around the
    new mean. Her estimates ignore the walk. Means are reflected into the range that her reward law
    allows, [0, 1] for Bernoulli rewards.

    Args:
        sigma: standard deviation of a step, at least 0.
    """
    parameters = (validation.not_negative("sigma", sigma),)
    return Behaviour("drifting", respond=drifting_respond, parameters=parameters, moves_means=True)


def drifting_respond(user: User, state: State, rule: Rule, arm: int, rng: Stream) -> bool:
    """Move the means, then respond as `model.respond`."""
    for other in range(user.n_arms):
        mean = state.means[other] + state.memory[0] * rng.standard_normal()
        if not user.least_mean <= mean <= user.largest_mean:
            mean = reflected(mean, user.least_mean, user.largest_mean)
        state.means[other] = mean
    return rules.respond(user, state, rule, arm, rng)


#: Default window of a forgetful user, in rewards for each arm.
WINDOW_PER_ARM = 50


@worded
def forgetful(window: int | None = None) -> Behaviour:
    """Return the behaviour of a user who remembers only her last W rewards.

    n_i and hat mu_i count only these W rewards. If they include none of an arm, its interval is
    infinite again. Rewards before the first step (private draws) are the first to be forgotten.
    n(t) counts every acceptance, so Gamma grows as for the paper's user. `state.memory` holds the
    index of the next pair to replace, and then W pairs of an arm and its reward (arm -1 for an
    empty pair).

    Args:
        window: W, at least 1; by default 50 K.
    """
    places = 0 if window is None else 2 * validation.count("window", window, 1, STEP_CAP)
    return Behaviour(
        "forgetful",
        start=forgetful_start,
        respond=forgetful_respond,
        memory=1 + places,
        memory_per_arm=2 * WINDOW_PER_ARM if window is None else 0,
    )


def forgetful_start(user: User, state: State, rng: Stream) -> None:
    """Clear the state. Then learn and remember the rewards that she has before the first step."""
    rules.clear(user, state)
    for place in range(len(state.memory)):
        state.memory[place] = -1.0
    state.memory[0] = 0.0
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            reward = rules.realize(user, state, arm, rng)
            rules.learn(state, arm, reward)
            remember(state, arm, reward)


def forgetful_respond(user: User, state: State, rule: Rule, arm: int, rng: Stream) -> bool:
    """Respond as `model.respond`; a new reward replaces the oldest one in the window."""
    accepted = rules.respond(user, state, rule, arm, rng)
    if accepted:
        remember(state, arm, state.reward[0])
    return accepted


def remember(state: State, arm: int, reward: float) -> None:
    """Replace the oldest stored reward by `reward`, and remove the oldest from the estimates."""
    memory = state.memory
    place = int(memory[0])
    oldest = int(memory[1 + 2 * place])
    if oldest >= 0:  # reverse `model.learn`
        n = state.counts[oldest] - 1
        state.counts[oldest] = n
        if n == 0:
            state.estimates[oldest] = 0.0
            state.scales[oldest] = rules.UNSEEN
        else:
            state.estimates[oldest] -= (memory[2 + 2 * place] - state.estimates[oldest]) / n
            state.scales[oldest] = 1.0 / sqrt(n)
        # Some lcb may have grown, so the upper bound `state.ceiling` is invalid.
        state.ceiling_spread[0] = inf
    memory[1 + 2 * place] = float(arm)
    memory[2 + 2 * place] = reward
    memory[0] = float((place + 1) % (len(memory) // 2))


_FACTORIES: dict[str, Callable[..., Behaviour]] = {
    factory.__name__: factory
    for factory in (omniscient, forgetful, drifting, logistic, impatient, varied)
}

_BEHAVIOURS: dict[str, Behaviour] = {EXPLORATIVE.name: EXPLORATIVE} | {
    name: factory() for name, factory in _FACTORIES.items()
}


def register_behaviour(name: str, behaviour: Behaviour) -> None:
    """Register `behaviour` under a name, so that a specification in JSON can contain this name.

    Raises:
        InvalidArgumentError: if the name is taken.
    """
    rules.register(_BEHAVIOURS, "behaviour", name, behaviour)


def as_behaviour(behaviour: Behaviour | str) -> Behaviour:
    """Return the behaviour for a `Behaviour`, a registered name or a text such as "drifting()".

    Raises:
        InvalidArgumentError: for another text, or a parameter that is out of range.
    """
    if isinstance(behaviour, Behaviour):
        return behaviour
    if isinstance(behaviour, str) and behaviour in _BEHAVIOURS:
        return _BEHAVIOURS[behaviour]
    try:
        call: Any = ast.parse(str(behaviour).strip(), mode="eval").body
        options = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        if isinstance(behaviour, str) and not call.args and len(options) == len(call.keywords):
            return _FACTORIES[call.func.id](**options)
    except InvalidArgumentError as error:
        named = f"{error.name} of behaviour {call.func.id!r}"
        error.args, error.name = (error.spelled({error.name: named}),), named
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # other text
    except (AttributeError, LookupError, TypeError):
        pass  # not a valid call, which the error below reports
    forms = []
    for name, factory in sorted(_FACTORIES.items()):
        parameters = (f"{each}=..." for each in inspect.signature(factory).parameters)
        forms.append(f"{name}({', '.join(parameters)})")
    allowed = "a Behaviour or one of " + ", ".join(sorted(_BEHAVIOURS))
    allowed += f", or one with parameters (in quotes in a shell): {', '.join(forms)}"
    raise InvalidArgumentError("behaviour", behaviour, allowed)

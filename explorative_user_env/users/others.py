"""Users who behave in another way than the paper's: what an agent meets if the model is wrong."""

from collections.abc import Callable
from math import exp, inf, sqrt

from explorative_user_env.tasks import STEP_CAP
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.behaviour import EXPLORATIVE, Behaviour
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.impatient import impatient
from explorative_user_env.users.reward_laws import Stream, reflected
from explorative_user_env.users.state import UNSEEN, RememberingState, User, UserState
from explorative_user_env.users.varied import varied
from explorative_user_env.users.worded import behaviour_in_words, form_of, worded
from explorative_user_env.validation import (
    InvalidArgumentError,
    count,
    not_negative,
    positive,
)

__all__ = [
    "drifting",
    "forgetful",
    "impatient",
    "logistic",
    "omniscient",
    "register_behaviour",
    "varied",
]

WINDOW_PER_ARM = 50
"""Rewards that a forgetful user remembers, for each of her arms, unless a window is given."""

DRIFT = 0.005
"""Standard deviation of a drifting mean's step: 0.16 in a thousand interactions."""

TEMPERATURE = 0.1
"""Of a logistic user: a fifth of the usual gap."""


@worded
def omniscient(tolerance: float = 0.0) -> Behaviour:
    """Return the behaviour of a user who knows mu and accepts her best arms only.

    The classical user, whose responses are the labels of a perfect classifier: she accepts i if
    and only if mu_i >= mu_* - tolerance.

    Args:
        tolerance: how much worse than the best an acceptable arm may be, at least 0.
    """
    parameters = (not_negative("tolerance", tolerance),)
    return Behaviour("omniscient", respond=omniscient_respond, parameters=parameters)


def omniscient_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Decide by the true means; else as `explorative.respond`."""
    best = -inf
    for mean in state.means:
        best = max(best, mean)
    wants = state.means[arm] >= best - state.memory[0]
    return rules.respond(user, state, rule, arm, rng, wants)


@worded
def logistic(temperature: float = TEMPERATURE) -> Behaviour:
    """Return the behaviour of a user who decides by chance where the paper's does by a rule.

    She accepts i with probability 1 / (1 + exp(-x / temperature)), x = ucb_i - max_{j != i} lcb_j:
    always where an interval is infinite, half of the time where the two bounds meet. As the
    temperature falls she becomes the paper's user.

    Args:
        temperature: how wide the doubt around x = 0 is, above 0.
    """
    parameters = (positive("temperature", temperature),)
    return Behaviour("logistic", respond=logistic_respond, parameters=parameters)


def logistic_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Decide by one draw from the acceptance probability; else as `explorative.respond`."""
    wants = rng.random() < acceptance_probability(user, state, arm)
    return rules.respond(user, state, rule, arm, rng, wants)


def acceptance_probability(user: User, state: RememberingState, arm: int) -> float:
    """Return the probability that a logistic user accepts `arm`, before click noise."""
    rival = -inf
    for other in range(user.n_arms):
        if other != arm:
            rival = max(rival, rules.lcb(state, other))
    x = (rules.ucb(state, arm) - rival) / state.memory[0]
    if x >= 0.0:
        return 1.0 / (1.0 + exp(-x))
    odds = exp(x)  # at most 1: exp(-x) could overflow
    return odds / (1.0 + odds)


@worded
def drifting(sigma: float = DRIFT) -> Behaviour:
    """Return the behaviour of a user whose taste changes: every mu_i does a random walk.

    Each interaction begins with a step of N(0, sigma^2) for every arm, and her reward is drawn
    around the new mean. Her own estimates do not know of it. Means are reflected at the ends of
    what her reward law allows, Bernoulli's at 0 and 1.

    Args:
        sigma: standard deviation of a step, at least 0.
    """
    parameters = (not_negative("sigma", sigma),)
    return Behaviour("drifting", respond=drifting_respond, parameters=parameters, moves_means=True)


def drifting_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Move the means, then do as `explorative.respond`."""
    for other in range(user.n_arms):
        mean = state.means[other] + state.memory[0] * rng.standard_normal()
        if not user.least_mean <= mean <= user.largest_mean:
            mean = reflected(mean, user.least_mean, user.largest_mean)
        state.means[other] = mean
    return rules.respond(user, state, rule, arm, rng)


@worded
def forgetful(window: int | None = None) -> Behaviour:
    """Return the behaviour of a user who remembers only her last W rewards.

    One that falls out of the window is taken out of n_i and hat mu_i; an arm without any left has
    an infinite interval again. Private draws are her first rewards. n(t) goes on counting every
    acceptance, so Gamma grows as the paper's.

    Args:
        window: W, at least 1; None is 50 K.
    """
    if window is None:
        return _forgetful(memory=1, memory_per_arm=2 * WINDOW_PER_ARM)
    return _forgetful(memory=1 + 2 * count("window", window, 1, STEP_CAP))


def _forgetful(memory: int, memory_per_arm: int = 0) -> Behaviour:
    """Memory: the place to fill next, then W places of an arm (-1: none) and a reward."""
    return Behaviour(
        "forgetful",
        start=forgetful_start,
        respond=forgetful_respond,
        memory=memory,
        memory_per_arm=memory_per_arm,
    )


def forgetful_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Make `state` a new user's; her private draws, if any, enter the window."""
    rules.clear(user, state)
    for place in range(len(state.memory)):
        state.memory[place] = -1.0
    state.memory[0] = 0.0
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            reward = rules.realize(user, state, arm, rng)
            rules.learn(state, arm, reward)
            remember(state, arm, reward)


def forgetful_respond(
    user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream
) -> bool:
    """Do as `explorative.respond`, then forget what a new reward pushes out of the window."""
    accepted = rules.respond(user, state, rule, arm, rng)
    if accepted:
        remember(state, arm, state.reward[0])
    return accepted


def remember(state: RememberingState, arm: int, reward: float) -> None:
    """Put a reward that has been learned in the place of the oldest, which is unlearned."""
    memory = state.memory
    place = int(memory[0])
    oldest = int(memory[1 + 2 * place])
    if oldest >= 0:
        unlearn(state, oldest, memory[2 + 2 * place])
    memory[1 + 2 * place] = float(arm)
    memory[2 + 2 * place] = reward
    memory[0] = float((place + 1) % (len(memory) // 2))


def unlearn(state: UserState, arm: int, reward: float) -> None:
    """Take a reward out of n_i and the empirical mean, the opposite of `explorative.learn`."""
    n = state.counts[arm] - 1
    state.counts[arm] = n
    if n == 0:
        state.estimates[arm] = 0.0
        state.scales[arm] = UNSEEN
    else:
        state.estimates[arm] -= (reward - state.estimates[arm]) / n
        state.scales[arm] = 1.0 / sqrt(n)
    # Some lcb may be larger than before: no ceiling holds until she looks at all arms again.
    state.ceiling_spread[0] = inf


_FACTORIES: dict[str, Callable[..., Behaviour]] = {
    factory.__name__: factory
    for factory in (omniscient, forgetful, drifting, logistic, impatient, varied)
}
"""What can be asked for by name, and with its parameters in words."""

_BEHAVIOURS: dict[str, Behaviour] = {EXPLORATIVE.name: EXPLORATIVE} | {
    name: factory() for name, factory in _FACTORIES.items()
}


def register_behaviour(name: str, behaviour: Behaviour) -> None:
    """Let `behaviour` be asked for by `name`, as `gym.make(..., behaviour=name)` must to stay JSON.

    Raises:
        InvalidArgumentError: if another behaviour has that name already.
    """
    if _BEHAVIOURS.get(name, behaviour) != behaviour:
        raise InvalidArgumentError("name", name, "a name no other behaviour has")
    _BEHAVIOURS[name] = behaviour


def as_behaviour(behaviour: Behaviour | str) -> Behaviour:
    """Return the behaviour meant: itself, or the one that these words ask for.

    Args:
        behaviour: a record; a registered name; or a name of the package's with its parameters, as
            "drifting(sigma=0.01)".

    Raises:
        InvalidArgumentError: for words that ask for none, or a parameter that is out of range.
    """
    if isinstance(behaviour, Behaviour):
        return behaviour
    if isinstance(behaviour, str):
        if behaviour in _BEHAVIOURS:
            return _BEHAVIOURS[behaviour]
        if (asked := behaviour_in_words(behaviour, _FACTORIES)) is not None:
            return asked
    allowed = "a Behaviour or one of " + ", ".join(sorted(_BEHAVIOURS))
    forms = ", ".join(form_of(_FACTORIES[name]) for name in sorted(_FACTORIES))
    allowed += f", or one with parameters (in quotes in a shell): {forms}"
    raise InvalidArgumentError("behaviour", behaviour, allowed)

"""Exercises of notebook 2 on her intervals: Gamma, lcb and ucb, and how they shrink."""

import math

from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.population import Population
from explorative_user_env.users.confidence import constant
from explorative_user_env.users.explorative import clear, lcb, log_confidence, ucb
from explorative_user_env.users.state import UserState, blank_state


def _gamma(n: int, rho: float, alpha: float) -> float:
    population = Population(n_arms=2, alpha=alpha, rho=constant(rho))
    state = blank_state(population.user)
    clear(population.user, state)
    state.acceptances[0] = n
    logarithm = log_confidence(population.user, state, population.schedule.rule)
    return max(0.0, 2.0 * alpha * logarithm)


def _state(estimate: float, count: int, gamma: float) -> UserState:
    """Return the state of a user who has accepted her first arm so often, and no other."""
    user = Population(n_arms=2).user
    state = blank_state(user)
    clear(user, state)
    state.estimates[0], state.counts[0] = estimate, count
    state.scales[0] = 1.0 / math.sqrt(count) if count else math.inf
    state.spread[0] = math.sqrt(gamma)
    return state


def _interval(estimate: float, count: int, gamma: float) -> tuple[float, float]:
    state = _state(estimate, count, gamma)
    return lcb(state, 0), ucb(state, 0)


def _width(width: float, estimate: float) -> tuple[float, float]:
    return estimate - width, estimate + width


def _acceptances(estimate: float, bound: float, gamma: float) -> float:
    """Return the least n_i >= 1 with hat mu_i + sqrt(Gamma / n_i) <= bound, inf if none is."""
    if estimate > bound or (estimate == bound and gamma > 0.0):
        return math.inf
    return 1 if gamma == 0.0 else max(1, _rounded_up(estimate, bound, gamma))


def _rounded_up(estimate: float, bound: float, gamma: float) -> int:
    return math.ceil(gamma / (bound - estimate) ** 2)


GAMMA = Exercise(
    number="2.1",
    asks="a function of n, rho and alpha that returns Gamma",
    right=_gamma,
    cases=[
        *((1, 2.0, 1.0), (10, 1.0, 1.0), (10, 1.5, 1.0), (100, 1.5, 2.0), (100, 2.0, 0.5)),
        *((0, 2.0, 1.0), (1, 0.5, 1.0)),  # nothing accepted yet; a logarithm below 0
    ],
    shows="Gamma grows with the logarithm of n(t), so that she never stops being a little curious.",
    mistakes=[
        Mistake(
            "it fits until the logarithm is below 0: an interval cannot have a negative width, "
            "and the formula says what Gamma is then.",
            lambda n, rho, alpha: 2 * alpha * math.log(rho * n) if n else 0.0,
        ),
        Mistake(
            "rho_t is missing: two users with the same n(t) and another rho_t get the same Gamma.",
            lambda n, rho, alpha: max(0.0, 2 * alpha * math.log(n)) if n else 0.0,
        ),
        Mistake(
            "rho_t stands outside of the logarithm, where it scales Gamma as alpha does.",
            lambda n, rho, alpha: max(0.0, 2 * alpha * rho * math.log(n)) if n else 0.0,
        ),
        Mistake(
            "alpha is inside of the logarithm: a user twice as willing to explore would hardly "
            "differ.",
            lambda n, rho, alpha: max(0.0, 2 * math.log(alpha * rho * n)) if n else 0.0,
        ),
        Mistake(
            "the factor 2 before alpha is missing: every Gamma is half of what it should be.",
            lambda n, rho, alpha: max(0.0, alpha * math.log(rho * n)) if n else 0.0,
        ),
        Mistake(
            "this logarithm is not the natural one: it has the base 10.",
            lambda n, rho, alpha: max(0.0, 2 * alpha * math.log10(rho * n)) if n else 0.0,
        ),
        Mistake(
            "this logarithm is not the natural one: it has the base 2.",
            lambda n, rho, alpha: max(0.0, 2 * alpha * math.log2(rho * n)) if n else 0.0,
        ),
        Mistake(
            "it is the square root of Gamma: the root is taken later, when Gamma is divided by "
            "n_i.",
            lambda n, rho, alpha: math.sqrt(_gamma(n, rho, alpha)),
        ),
    ],
)

INTERVAL = Exercise(
    number="2.2",
    asks="a function of an estimate, n_i and Gamma that returns (lcb, ucb)",
    right=_interval,
    cases=[
        *((0.5, 4, 4.0), (1.0, 9, 2.0), (-0.5, 2, 3.0), (0.0, 1, 0.0)),
        (0.0, 0, 4.0),  # never accepted
        (0.0, 0, 0.0),  # never accepted, and Gamma is 0 still
    ],
    shows="the interval shrinks as she accepts the arm, and of an arm never accepted she knows "
    "nothing at all.",
    mistakes=[
        Mistake(
            "Gamma is divided by n_i once the root is taken, so that the interval shrinks too fast "
            "as n_i grows.",
            lambda mean, n, gamma: _width(math.sqrt(gamma) / n if n else math.inf, mean),
        ),
        Mistake(
            "there is no root: Gamma / n_i is the square of the half width.",
            lambda mean, n, gamma: _width(gamma / n if n else math.inf, mean),
        ),
        Mistake(
            "it does not depend on n_i: an arm accepted often would be as uncertain as one "
            "accepted once.",
            lambda mean, n, gamma: _width(math.sqrt(gamma) if n else math.inf, mean),
        ),
        Mistake(
            "what is added and subtracted is half of what it should be: the interval reaches as "
            "far as the root to either side.",
            lambda mean, n, gamma: _width(math.sqrt(gamma / n) / 2 if n else math.inf, mean),
        ),
        Mistake(
            "the two ends are swapped: the lower one comes first.",
            lambda mean, n, gamma: _interval(mean, n, gamma)[::-1],
        ),
        Mistake(
            "an arm that was never accepted gets an interval as if its mean were known to be 0.",
            lambda mean, n, gamma: _interval(mean, n, gamma) if n else (mean, mean),
        ),
        Mistake(
            "an arm that was never accepted gets an interval as if it had been accepted once.",
            lambda mean, n, gamma: _interval(mean, max(1, n), gamma),
        ),
        Mistake(
            "an arm that was never accepted gets 0 times infinity where Gamma is 0: that is no "
            "number, and such an arm needs a rule of its own.",
            lambda mean, n, gamma: (
                _interval(mean, n, gamma) if n or gamma else (math.nan, math.nan)
            ),
        ),
    ],
)

HOW_OFTEN = Exercise(
    number="2.5",
    asks="a function of her estimate of an arm, the largest other lcb and Gamma that returns after "
    "how many acceptances she rejects the arm, math.inf for never",
    right=_acceptances,
    cases=[
        *((-0.5, 0.5, 4.0), (0.0, 0.5, 4.0), (0.0, 0.75, 4.0), (0.0, 3.0, 2.0)),
        (0.5, 0.25, 4.0),  # an estimate above the bound
        (-1.0, 0.0, 0.0),  # Gamma = 0, but an arm never accepted is not rejected
        (0.5, 0.5, 4.0),  # her ucb comes down to the bound, and never reaches it
    ],
    shows="an arm that is worse by a little is accepted very often: the number grows as one over "
    "the square of the distance.",
    mistakes=[
        Mistake(
            "the distance is not squared: half the distance takes four times as many acceptances.",
            lambda mean, bound, gamma: (
                max(1, math.ceil(gamma / (bound - mean))) if mean < bound else math.inf
            ),
        ),
        Mistake(
            "it is rounded down, to the last acceptance at which her interval still meets the "
            "other.",
            lambda mean, bound, gamma: (
                max(1, math.floor(gamma / (bound - mean) ** 2)) if mean < bound else math.inf
            ),
        ),
        Mistake(
            "it is one too many where the quotient is a whole number: then the two intervals "
            "touch, and she rejects already.",
            lambda mean, bound, gamma: (
                math.floor(gamma / (bound - mean) ** 2) + 1 if mean < bound else math.inf
            ),
        ),
        Mistake(
            "it is no whole number: nobody accepts an arm seven times and a bit.",
            lambda mean, bound, gamma: (
                max(1.0, gamma / (bound - mean) ** 2) if mean < bound else math.inf
            ),
        ),
        Mistake(
            "an arm that she thinks better than the bound is rejected too: the square hides the "
            "sign of the distance.",
            lambda mean, bound, gamma: (
                max(1, _rounded_up(mean, bound, gamma)) if mean != bound else math.inf
            ),
        ),
        Mistake(
            "where Gamma is 0 she rejects an arm that she has never accepted: its interval is "
            "infinite until she does.",
            lambda mean, bound, gamma: (
                _rounded_up(mean, bound, gamma) if mean < bound else math.inf
            ),
        ),
        Mistake(
            "it shrinks the interval to twice the distance, as if both arms had to lose the same "
            "width: the bound is an lcb, and has its width in it already.",
            lambda mean, bound, gamma: (
                max(1, math.ceil(4 * gamma / (bound - mean) ** 2)) if mean < bound else math.inf
            ),
        ),
        Mistake(
            "Gamma and the distance are divided as they are under a root: square both.",
            lambda mean, bound, gamma: (
                max(1, math.ceil(math.sqrt(gamma) / (bound - mean))) if mean < bound else math.inf
            ),
        ),
    ],
)

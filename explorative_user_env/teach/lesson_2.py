"""The exercises of notebook 2: the explorative user."""

import math

from explorative_user_env.teach.exercises import Exercise, Mistake
from explorative_user_env.users.hidden_state import HiddenState, witness_of
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.laws import constant
from explorative_user_env.users.model import UserState, blank_state, clear, lcb, log_confidence, ucb
from explorative_user_env.users.population import Population


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


_Bounds = list[float]


def _witness(arm: int, lower: _Bounds, upper: _Bounds) -> int | None:
    """Return the arm that stands against another, of a user with these intervals."""
    n_arms = len(lower)
    unknown = Instance(tuple(float(each == 0) for each in range(n_arms)), 0)
    hidden = HiddenState(
        instance=unknown,
        estimates=(0.0,) * n_arms,
        counts=(1,) * n_arms,
        lower_bounds=tuple(lower),
        upper_bounds=tuple(upper),
        gamma=0.0,
        rho=1.0,
        acceptances=n_arms,
        interactions=n_arms,
    )
    return witness_of(hidden, arm)


def _rejects(arm: int, lower: _Bounds, upper: _Bounds) -> bool:
    return _witness(arm, lower, upper) is not None


def _others(arm: int, bounds: _Bounds) -> list[int]:
    return [other for other in range(len(bounds)) if other != arm]


def _middle(arm: int, lower: _Bounds, upper: _Bounds) -> float:
    """Return her empirical mean; no number, which nothing compares with, where she has none."""
    return (lower[arm] + upper[arm]) / 2


_TWO = ([1.0, 0.0], [2.0, 1.0])
_THREE = ([0.5, -0.5, -2.0], [1.5, 1.25, -0.25])
_NARROW = ([0.75, -1.0, 0.0], [1.25, 4.0, 0.5])
_FOUR = ([0.25, 0.5, 0.375, -3.0], [2.5, 1.0, 3.0, -1.0])
_UNKNOWN = ([-math.inf, 0.5], [math.inf, 1.0])
_POINTS = ([0.5, 0.25], [0.5, 0.25])
_MIDDLE = ([-1.0, 0.75, -2.0], [0.5, 1.5, 0.625])
"""Intervals as (lower, upper): that touch; of which one is apart; of which the best for sure is not
the best so far; of which three are above another; an arm never accepted; Gamma = 0; of which one is
above the others, and neither the first nor the last."""

RULE = Exercise(
    number="2.3",
    asks="a function of an arm and all lcb and ucb that returns whether she rejects the arm",
    right=_rejects,
    cases=[
        *(
            (2, *_THREE),
            (1, *_THREE),
            (0, *_THREE),
            (1, *_TWO),
            (0, *_TWO),
            (2, *_NARROW),
            (3, *_FOUR),
        ),
        *((3, *_FOUR), (1, *_FOUR), (0, *_UNKNOWN), (1, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS)),
        *((2, *_MIDDLE), (0, *_MIDDLE)),
    ],
    shows="she rejects an arm only where another is clearly better, and stays curious otherwise.",
    mistakes=[
        Mistake(
            "she rejects by her means here: an arm that looks worse, but whose interval meets the "
            "others, may be the best one, and she is curious.",
            lambda arm, lower, upper: any(
                _middle(other, lower, upper) > _middle(arm, lower, upper)
                for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "where two intervals only touch it says that she accepts: look at the sign between "
            "lcb_j and ucb_i once more.",
            lambda arm, lower, upper: any(
                lower[other] > upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the arm is compared with itself: where Gamma is 0, its own lcb and ucb are equal, and "
            "she would reject everything.",
            lambda arm, lower, upper: max(lower) >= upper[arm],
        ),
        Mistake(
            "every other arm has to be clearly better here; one is enough.",
            lambda arm, lower, upper: all(
                lower[other] >= upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "it says when the arm is clearly better than another: the roles of i and j are "
            "swapped.",
            lambda arm, lower, upper: any(
                lower[arm] >= upper[other] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "it rejects wherever two intervals are apart, also the arm that is the better one.",
            lambda arm, lower, upper: any(
                lower[other] >= upper[arm] or lower[arm] >= upper[other]
                for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "upper ends are compared with upper ends: that is how UCB1 chooses an arm, and not how "
            "she turns one down.",
            lambda arm, lower, upper: any(
                upper[other] >= upper[arm] for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the other arm's lcb is compared with her estimate of this one, which leaves out how "
            "uncertain this one is.",
            lambda arm, lower, upper: any(
                lower[other] >= _middle(arm, lower, upper) for other in _others(arm, lower)
            ),
        ),
        Mistake(
            "the arm is compared only with the one that has the largest mean: another one, which "
            "she knows better, can stand against it.",
            lambda arm, lower, upper: lower[_best_so_far(arm, lower, upper)] >= upper[arm],
        ),
        Mistake(
            "only the first of the other arms is looked at: is there a `return` in every branch of "
            "the loop?",
            lambda arm, lower, upper: lower[_others(arm, lower)[0]] >= upper[arm],
        ),
        Mistake(
            "only the last of the other arms counts: what the loop found before it is forgotten.",
            lambda arm, lower, upper: lower[_others(arm, lower)[-1]] >= upper[arm],
        ),
        Mistake(
            "it says when she accepts.",
            lambda arm, lower, upper: not _rejects(arm, lower, upper),
        ),
    ],
)


def _best_so_far(arm: int, lower: _Bounds, upper: _Bounds) -> int:
    """Return which other arm has the largest empirical mean."""

    def known(other: int) -> float:
        middle = _middle(other, lower, upper)
        return -math.inf if math.isnan(middle) else middle

    return max(_others(arm, lower), key=known)


def _better(arm: int, lower: _Bounds, upper: _Bounds) -> list[int]:
    return [other for other in _others(arm, lower) if lower[other] >= upper[arm]]


WHO_STANDS_AGAINST = Exercise(
    number="2.4",
    asks="a function of an arm and all lcb and ucb that returns the witness, or None",
    right=_witness,
    cases=[
        *((3, *_FOUR), (2, *_THREE), (1, *_THREE), (1, *_TWO), (0, *_TWO), (2, *_NARROW)),
        *((1, *_FOUR), (0, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS)),
    ],
    shows="a rejection has a witness, an arm that is better for sure, as she sees it; and it is "
    "the one fact that you never see.",
    mistakes=[
        Mistake(
            "it is the first arm that is clearly better; of several the witness is the one that "
            "speaks the loudest, by its lcb.",
            lambda arm, lower, upper: next(iter(_better(arm, lower, upper)), None),
        ),
        Mistake(
            "of several clearly better arms it is the one with the largest ucb: that one may be "
            "the best, but she is not surest of it.",
            lambda arm, lower, upper: max(
                _better(arm, lower, upper), key=upper.__getitem__, default=None
            ),
        ),
        Mistake(
            "it is the arm with the largest lcb also where she accepts: then there is no witness.",
            lambda arm, lower, upper: max(_others(arm, lower), key=lower.__getitem__),
        ),
        Mistake(
            "where Gamma is 0 an arm is the witness against itself.",
            lambda arm, lower, upper: lower.index(max(lower)) if max(lower) >= upper[arm] else None,
        ),
        Mistake(
            "where two intervals only touch there is no witness here, though she rejects.",
            lambda arm, lower, upper: max(
                (each for each in _better(arm, lower, upper) if lower[each] > upper[arm]),
                key=lower.__getitem__,
                default=None,
            ),
        ),
        Mistake(
            "it says whether there is a witness, and not which arm it is.",
            _rejects,
        ),
    ],
)


EXERCISES: tuple[Exercise, ...] = (GAMMA, INTERVAL, RULE, WHO_STANDS_AGAINST, HOW_OFTEN)
"""In the order in which they are asked."""

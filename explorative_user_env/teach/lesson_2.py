"""Lesson 2: the explorative user."""

import math
from collections.abc import Callable
from typing import Any

from explorative_user_env.teach.exercises import Exercise, around

Bounds = list[float]


def _gamma(n: int, rho: float, alpha: float) -> float:
    return max(0.0, 2 * alpha * math.log(rho * n)) if n else 0.0


def _interval(mean: float, n: int, gamma: float) -> tuple[float, float]:
    return around(mean, math.sqrt(gamma / n) if n else math.inf)


def _acceptances(mean: float, bound: float, gamma: float) -> float:
    """Return the least n >= 1 with mean + sqrt(gamma / n) <= bound; inf if none is."""
    if mean > bound or (mean == bound and gamma > 0.0):
        return math.inf
    return max(1, math.ceil(gamma / (bound - mean) ** 2)) if gamma else 1


def _unless_better(count: Callable[[float, float], float]) -> Any:
    """Return an answer to 2.5 from a count by Gamma and distance, where an arm looks worse."""

    def answer(mean: float, bound: float, gamma: float) -> float:
        return max(1, count(gamma, bound - mean)) if mean < bound else math.inf

    return answer


def _others(arm: int, lower: Bounds) -> list[int]:
    return [other for other in range(len(lower)) if other != arm]


def _better(arm: int, lower: Bounds, upper: Bounds) -> list[int]:
    return [other for other in _others(arm, lower) if lower[other] >= upper[arm]]


def _witness(arm: int, lower: Bounds, upper: Bounds) -> int | None:
    return max(_better(arm, lower, upper), key=lower.__getitem__, default=None)


def _some(better: Callable[[int, int, Bounds, Bounds], bool]) -> Any:
    """Return an answer to 2.3: whether some other arm j is better than i by this rule."""
    return lambda i, low, high: any(better(j, i, low, high) for j in _others(i, low))


_rejects = _some(lambda j, i, low, high: low[j] >= high[i])


def _middle(arm: int, lower: Bounds, upper: Bounds) -> float:
    return (lower[arm] + upper[arm]) / 2


def _leader(arm: int, lower: Bounds, upper: Bounds) -> int:
    """Return the other arm with the largest mean; one never accepted has none."""
    known = {other: _middle(other, lower, upper) for other in _others(arm, lower)}
    return max(known, key=lambda other: -math.inf if math.isnan(known[other]) else known[other])


_TOUCH = ([1.0, 0.0], [2.0, 1.0])
_ONE_APART = ([0.5, -0.5, -2.0], [1.5, 1.25, -0.25])
_NOT_THE_LEADER = ([0.75, -1.0, 0.0], [1.25, 4.0, 0.5])  # the best for sure is not the best so far
_THREE_ABOVE = ([0.25, 0.5, 0.375, -3.0], [2.5, 1.0, 3.0, -1.0])
_UNKNOWN = ([-math.inf, 0.5], [math.inf, 1.0])  # an arm never accepted
_POINTS = ([0.5, 0.25], [0.5, 0.25])  # Gamma is 0
_MIDDLE = ([-1.0, 0.75, -2.0], [0.5, 1.5, 0.625])  # neither first nor last is above

EXERCISES: tuple[Exercise, ...] = (
    # 2.1
    Exercise(
        asks="a function of n, rho and alpha that returns Gamma",
        right=_gamma,
        cases=[
            *((1, 2.0, 1.0), (10, 1.0, 1.0), (10, 1.5, 1.0), (100, 1.5, 2.0), (100, 2.0, 0.5)),
            *((0, 2.0, 1.0), (1, 0.5, 1.0)),  # nothing accepted yet; a logarithm below 0
        ],
        shows="Gamma grows with log n(t), so that she never stops being a little curious.",
    ).with_mistakes(
        "it fits until the logarithm is below 0, where the width would be negative.",
        lambda n, rho, alpha: 2 * alpha * math.log(rho * n) if n else 0.0,
        "rho_t is missing: two users with the same n(t) and another rho_t get the same Gamma.",
        lambda n, rho, alpha: _gamma(n, 1, alpha),
        "rho_t stands outside of the logarithm, where it scales Gamma as alpha does.",
        lambda n, rho, alpha: rho * _gamma(n, 1, alpha),
        "alpha is inside of the logarithm: a user twice as willing would hardly differ.",
        lambda n, rho, alpha: _gamma(n, rho * alpha, 1),
        "the factor 2 before alpha is missing: every Gamma is half of what it should be.",
        lambda n, rho, alpha: _gamma(n, rho, alpha) / 2,
        "this logarithm is not the natural one: it has the base 10.",
        lambda n, rho, alpha: _gamma(n, rho, alpha) / math.log(10),
        "it is the square root of Gamma: the root is taken later, of Gamma / n_i.",
        lambda n, rho, alpha: math.sqrt(_gamma(n, rho, alpha)),
    ),
    # 2.2
    Exercise(
        asks="a function of an estimate, n_i and Gamma that returns (lcb, ucb)",
        right=_interval,
        cases=[
            *((0.5, 4, 4.0), (1.0, 9, 2.0), (-0.5, 2, 3.0), (0.0, 1, 0.0)),
            (0.0, 0, 4.0),  # never accepted
            (0.0, 0, 0.0),  # never accepted, and Gamma is still 0
        ],
        shows="the interval shrinks as she accepts the arm, and is infinite before.",
    ).with_mistakes(
        "Gamma is divided by n_i once the root is taken: the interval shrinks too fast.",
        lambda m, n, gamma: around(m, math.sqrt(gamma) / n if n else math.inf),
        "there is no root: Gamma / n_i is the square of the half width.",
        lambda m, n, gamma: around(m, gamma / n if n else math.inf),
        "it does not depend on n_i: an arm accepted often is known better.",
        lambda m, n, gamma: around(m, math.sqrt(gamma) if n else math.inf),
        "it reaches half as far as the root: the half width is half of what it should be.",
        lambda m, n, gamma: around(m, math.sqrt(gamma / n) / 2 if n else math.inf),
        "the two ends are swapped: the lower one comes first.",
        lambda m, n, gamma: _interval(m, n, gamma)[::-1],
        "an arm that was never accepted gets an interval as if its mean were known to be 0.",
        lambda m, n, gamma: _interval(m, n, gamma) if n else (m, m),
        "an arm that was never accepted gets an interval as if it had been accepted once.",
        lambda m, n, gamma: _interval(m, max(1, n), gamma),
        "an arm never accepted gets 0 / 0 where Gamma is 0: it needs a rule of its own.",
        lambda m, n, gamma: _interval(m, n, gamma) if n or gamma else (math.nan, math.nan),
    ),
    # 2.3
    Exercise(
        asks="a function of an arm and all lcb and ucb that returns whether she rejects the arm",
        right=_rejects,
        cases=[
            *((2, *_ONE_APART), (1, *_ONE_APART), (0, *_ONE_APART), (1, *_TOUCH), (0, *_TOUCH)),
            *((2, *_NOT_THE_LEADER), (3, *_THREE_ABOVE), (1, *_THREE_ABOVE), (0, *_UNKNOWN)),
            *((1, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS), (2, *_MIDDLE), (0, *_MIDDLE)),
        ],
        shows="she rejects an arm only where another is clearly better, and else stays curious.",
    ).with_mistakes(
        "she rejects by her means here: an arm whose interval meets the others may be best.",
        _some(lambda j, i, low, high: _middle(j, low, high) > _middle(i, low, high)),
        "where two intervals only touch it says that she accepts: look at the sign again.",
        _some(lambda j, i, low, high: low[j] > high[i]),
        "the arm is compared with itself: where Gamma is 0, she would reject everything.",
        lambda arm, low, high: max(low) >= high[arm],
        "every other arm has to be clearly better here; one is enough.",
        lambda arm, low, high: len(_better(arm, low, high)) == len(low) - 1,
        "it says when the arm is clearly better: the roles of i and j are swapped.",
        _some(lambda j, i, low, high: low[i] >= high[j]),
        "upper ends are compared with upper ends: that is how UCB1 chooses an arm.",
        _some(lambda j, i, low, high: high[j] >= high[i]),
        "the other lcb is compared with her estimate of this one, which is uncertain, too.",
        _some(lambda j, i, low, high: low[j] >= _middle(i, low, high)),
        "the arm is compared with the largest mean only: she may know another arm better.",
        lambda arm, low, high: low[_leader(arm, low, high)] >= high[arm],
        "only the first of the other arms is looked at: does every branch have a `return`?",
        lambda arm, low, high: low[_others(arm, low)[0]] >= high[arm],
        "only the last of the other arms counts: what the loop found before it is forgotten.",
        lambda arm, low, high: low[_others(arm, low)[-1]] >= high[arm],
        "it says when she accepts.",
        lambda arm, low, high: not _rejects(arm, low, high),
    ),
    # 2.4
    Exercise(
        asks="a function of an arm and all lcb and ucb that returns the witness, or None",
        right=_witness,
        cases=[
            *((3, *_THREE_ABOVE), (2, *_ONE_APART), (1, *_ONE_APART), (1, *_TOUCH), (0, *_TOUCH)),
            *((2, *_NOT_THE_LEADER), (1, *_THREE_ABOVE), (0, *_UNKNOWN)),
            *((0, *_POINTS), (1, *_POINTS)),
        ],
        shows="a rejection has a witness, an arm clearly better to her, which you never see.",
    ).with_mistakes(
        "it is the first arm that is clearly better; the witness has the largest lcb.",
        lambda arm, low, high: next(iter(_better(arm, low, high)), None),
        "of several clearly better arms it has the largest ucb; she is not surest of it.",
        lambda arm, low, high: max(_better(arm, low, high), key=high.__getitem__, default=None),
        "it is the arm with the largest lcb also where she accepts: then there is no witness.",
        lambda arm, low, high: max(_others(arm, low), key=low.__getitem__),
        "where Gamma is 0 an arm is the witness against itself.",
        lambda arm, low, high: low.index(max(low)) if max(low) >= high[arm] else None,
        "where two intervals only touch there is no witness here, though she rejects.",
        lambda arm, low, high: _witness(arm, low, [high[arm] + 1e-9] * len(low)),
        "it says whether there is a witness, and not which arm it is.",
        _rejects,
    ),
    # 2.5
    Exercise(
        asks="a function of her estimate of an arm, the largest other lcb and Gamma that returns "
        "after how many acceptances she rejects the arm, math.inf for never",
        right=_acceptances,
        cases=[
            *((-0.5, 0.5, 4.0), (0.0, 0.5, 4.0), (0.0, 0.75, 4.0), (0.0, 3.0, 2.0)),
            (0.5, 0.25, 4.0),  # an estimate above the bound
            (-1.0, 0.0, 0.0),  # Gamma is 0, but an arm never accepted is not rejected
            (0.5, 0.5, 4.0),  # her ucb comes down to the bound, and never reaches it
        ],
        shows="a slightly worse arm is accepted often: as one over the square of the distance.",
    ).with_mistakes(
        "the distance is not squared: half the distance takes four times as many acceptances.",
        _unless_better(lambda gamma, far: math.ceil(gamma / far)),
        "it is rounded down, to the last acceptance at which the intervals still meet.",
        _unless_better(lambda gamma, far: math.floor(gamma / far**2)),
        "it is one too many at a whole quotient: the intervals touch, and she rejects.",
        _unless_better(lambda gamma, far: math.floor(gamma / far**2) + 1),
        "it is no whole number: nobody accepts an arm seven times and a bit.",
        _unless_better(lambda gamma, far: gamma / far**2),
        "an arm better than the bound is rejected, too: the square hides the sign.",
        lambda m, bound, gamma: _acceptances(bound - abs(bound - m), bound, gamma),
        "where Gamma is 0 she rejects an arm that she has never accepted.",
        lambda m, bound, gamma: math.ceil(gamma / (bound - m) ** 2) if m < bound else math.inf,
        "it shrinks the interval to twice the distance, as if both arms had a width to lose.",
        _unless_better(lambda gamma, far: math.ceil(4 * gamma / far**2)),
    ),
)

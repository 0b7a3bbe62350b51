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
    """Return the least n >= 1 with mean + sqrt(gamma / n) <= bound, or inf."""
    if mean > bound or (mean == bound and gamma > 0.0):
        return math.inf
    return max(1, math.ceil(gamma / (bound - mean) ** 2)) if gamma else 1


def _unless_better(count: Callable[[float, float], float]) -> Any:
    """Return a function that answers exercise 2.5; its values are inf if mean >= bound."""

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
    """Return a function that answers exercise 2.3: is `better` True for arm i and another arm?"""
    return lambda i, low, high: any(better(j, i, low, high) for j in _others(i, low))


_rejects = _some(lambda j, i, low, high: low[j] >= high[i])


def _middle(arm: int, lower: Bounds, upper: Bounds) -> float:
    return (lower[arm] + upper[arm]) / 2


def _leader(arm: int, lower: Bounds, upper: Bounds) -> int:
    """Return the arm other than `arm` with the largest estimate; ignore arms without estimates."""
    known = {other: _middle(other, lower, upper) for other in _others(arm, lower)}
    return max(known, key=lambda other: -math.inf if math.isnan(known[other]) else known[other])


_TOUCH = ([1.0, 0.0], [2.0, 1.0])
_ONE_WORSE = ([0.5, -0.5, -2.0], [1.5, 1.25, -0.25])
_NOT_THE_LEADER = ([0.75, -1.0, 0.0], [1.25, 4.0, 0.5])  # arm 0: largest lcb; arm 1: largest mean
_THREE_ABOVE = ([0.25, 0.5, 0.375, -3.0], [2.5, 1.0, 3.0, -1.0])
_UNKNOWN = ([-math.inf, 0.5], [math.inf, 1.0])  # an arm without acceptances
_POINTS = ([0.5, 0.25], [0.5, 0.25])  # Gamma is 0
_MIDDLE = ([-1.0, 0.75, -2.0], [0.5, 1.5, 0.625])  # arm 1, in the middle, is clearly better

EXERCISES: tuple[Exercise, ...] = (
    # 2.1
    Exercise(
        asks="a function of n, rho and alpha that returns Gamma",
        right=_gamma,
        cases=[
            *((1, 2.0, 1.0), (10, 1.0, 1.0), (10, 1.5, 1.0), (100, 1.5, 2.0), (100, 2.0, 0.5)),
            *((0, 2.0, 1.0), (1, 0.5, 1.0)),  # no acceptances; a negative logarithm
        ],
        shows="Gamma grows with log n(t), so she never stops exploring.",
    ).with_mistakes(
        "it is negative where the logarithm is negative: Gamma is at least 0.",
        lambda n, rho, alpha: 2 * alpha * math.log(rho * n) if n else 0.0,
        "rho_t is missing: it multiplies n(t) in the logarithm.",
        lambda n, rho, alpha: _gamma(n, 1, alpha),
        "rho_t is outside the logarithm: it belongs inside, as a factor of n(t).",
        lambda n, rho, alpha: rho * _gamma(n, 1, alpha),
        "alpha is inside the logarithm: it belongs outside, as a factor of Gamma.",
        lambda n, rho, alpha: _gamma(n, rho * alpha, 1),
        "the factor 2 is missing: every Gamma is half of the right value.",
        lambda n, rho, alpha: _gamma(n, rho, alpha) / 2,
        "the logarithm has base 10: take the natural logarithm.",
        lambda n, rho, alpha: _gamma(n, rho, alpha) / math.log(10),
        "it is the square root of Gamma: the interval takes the root later, of Gamma / n_i.",
        lambda n, rho, alpha: math.sqrt(_gamma(n, rho, alpha)),
    ),
    # 2.2
    Exercise(
        asks="a function of an estimate, n_i and Gamma that returns (lcb, ucb)",
        right=_interval,
        cases=[
            *((0.5, 4, 4.0), (1.0, 9, 2.0), (-0.5, 2, 3.0), (0.0, 1, 0.0)),
            (0.0, 0, 4.0),  # no acceptances
            (0.0, 0, 0.0),  # no acceptances, and Gamma is 0
        ],
        shows="the interval is infinite before the first acceptance and shrinks with each one.",
    ).with_mistakes(
        "it divides by n_i outside the root: take the root of Gamma / n_i.",
        lambda m, n, gamma: around(m, math.sqrt(gamma) / n if n else math.inf),
        "the root is missing: Gamma / n_i is the square of the half-width.",
        lambda m, n, gamma: around(m, gamma / n if n else math.inf),
        "it does not depend on n_i: more acceptances give a narrower interval.",
        lambda m, n, gamma: around(m, math.sqrt(gamma) if n else math.inf),
        "it halves the root: the half-width is the whole root.",
        lambda m, n, gamma: around(m, math.sqrt(gamma / n) / 2 if n else math.inf),
        "the two ends are swapped: return lcb first.",
        lambda m, n, gamma: _interval(m, n, gamma)[::-1],
        "without acceptances the interval has width 0: it must be infinite.",
        lambda m, n, gamma: _interval(m, n, gamma) if n else (m, m),
        "without acceptances it is the interval of one acceptance: it must be infinite.",
        lambda m, n, gamma: _interval(m, max(1, n), gamma),
        "without acceptances and with Gamma = 0 it is nan: the interval must be infinite.",
        lambda m, n, gamma: _interval(m, n, gamma) if n or gamma else (math.nan, math.nan),
    ),
    # 2.3
    Exercise(
        asks="a function of an arm and all lcb and ucb that returns whether she rejects the arm",
        right=_rejects,
        cases=[
            *((2, *_ONE_WORSE), (1, *_ONE_WORSE), (0, *_ONE_WORSE), (1, *_TOUCH), (0, *_TOUCH)),
            *((2, *_NOT_THE_LEADER), (3, *_THREE_ABOVE), (1, *_THREE_ABOVE), (0, *_UNKNOWN)),
            *((1, *_UNKNOWN), (0, *_POINTS), (1, *_POINTS), (2, *_MIDDLE), (0, *_MIDDLE)),
        ],
        shows="she rejects an arm only if another arm is clearly better; otherwise she explores.",
    ).with_mistakes(
        "it compares her estimates: compare the lcb of another arm with the ucb of this arm.",
        _some(lambda j, i, low, high: _middle(j, low, high) > _middle(i, low, high)),
        "it accepts if two intervals only touch: the rule is lcb_j >= ucb_i.",
        _some(lambda j, i, low, high: low[j] > high[i]),
        "it compares the arm with itself: with Gamma = 0 she would reject every arm.",
        lambda arm, low, high: max(low) >= high[arm],
        "it requires that all other arms are clearly better: one is enough.",
        lambda arm, low, high: len(_better(arm, low, high)) == len(low) - 1,
        "it returns whether arm i is clearly better than arm j: swap the roles of i and j.",
        _some(lambda j, i, low, high: low[i] >= high[j]),
        "it compares ucb with ucb, as UCB1 does: compare lcb_j with ucb_i.",
        _some(lambda j, i, low, high: high[j] >= high[i]),
        "it compares lcb_j with her estimate of arm i: compare it with ucb_i.",
        _some(lambda j, i, low, high: low[j] >= _middle(i, low, high)),
        "it compares only with the arm of the largest estimate: another arm may have a larger lcb.",
        lambda arm, low, high: low[_leader(arm, low, high)] >= high[arm],
        "it checks only the first of the other arms: does the loop return too early?",
        lambda arm, low, high: low[_others(arm, low)[0]] >= high[arm],
        "it uses only the last of the other arms: the loop overwrites its earlier results.",
        lambda arm, low, high: low[_others(arm, low)[-1]] >= high[arm],
        "it returns whether she accepts: return the opposite.",
        lambda arm, low, high: not _rejects(arm, low, high),
    ),
    # 2.4
    Exercise(
        asks="a function of an arm and all lcb and ucb that returns the witness, or None",
        right=_witness,
        cases=[
            *((3, *_THREE_ABOVE), (2, *_ONE_WORSE), (1, *_ONE_WORSE), (1, *_TOUCH), (0, *_TOUCH)),
            *((2, *_NOT_THE_LEADER), (1, *_THREE_ABOVE), (0, *_UNKNOWN)),
            *((0, *_POINTS), (1, *_POINTS)),
        ],
        shows="a rejection has a witness, a clearly better arm, which the system never observes.",
    ).with_mistakes(
        "it returns the first clearly better arm: the witness is the one with the largest lcb.",
        lambda arm, low, high: next(iter(_better(arm, low, high)), None),
        "it returns the clearly better arm with the largest ucb: take the largest lcb.",
        lambda arm, low, high: max(_better(arm, low, high), key=high.__getitem__, default=None),
        "it returns an arm although she accepts: then there is no witness.",
        lambda arm, low, high: max(_others(arm, low), key=low.__getitem__),
        "with Gamma = 0 it returns an arm as the witness against itself.",
        lambda arm, low, high: low.index(max(low)) if max(low) >= high[arm] else None,
        "it returns no witness if two intervals only touch, but she rejects then.",
        lambda arm, low, high: _witness(arm, low, [high[arm] + 1e-9] * len(low)),
        "it returns whether there is a witness: return the arm.",
        _rejects,
    ),
    # 2.5
    Exercise(
        asks="a function of her estimate of an arm, the largest other lcb and Gamma that returns "
        "the number of acceptances before she rejects the arm, math.inf for never",
        right=_acceptances,
        cases=[
            *((-0.5, 0.5, 4.0), (0.0, 0.5, 4.0), (0.0, 0.75, 4.0), (0.0, 3.0, 2.0)),
            (0.5, 0.25, 4.0),  # an estimate above the bound
            (-1.0, 0.0, 0.0),  # Gamma is 0, but she never rejects an arm without acceptances
            (0.5, 0.5, 4.0),  # her ucb approaches the bound without reaching it
        ],
        shows="the number of acceptances grows as one over the squared distance.",
    ).with_mistakes(
        "the distance is not squared: half the distance needs four times as many acceptances.",
        _unless_better(lambda gamma, far: math.ceil(gamma / far)),
        "it rounds down: after so many acceptances the intervals still overlap.",
        _unless_better(lambda gamma, far: math.floor(gamma / far**2)),
        "it is one too many if the quotient is an integer: she rejects when the intervals touch.",
        _unless_better(lambda gamma, far: math.floor(gamma / far**2) + 1),
        "it is not an integer: round up.",
        _unless_better(lambda gamma, far: gamma / far**2),
        "she rejects an arm whose estimate is above the bound: the square hides the sign.",
        lambda m, bound, gamma: _acceptances(bound - abs(bound - m), bound, gamma),
        "with Gamma = 0 it returns 0, but she never rejects an arm without acceptances.",
        lambda m, bound, gamma: math.ceil(gamma / (bound - m) ** 2) if m < bound else math.inf,
        "it is four times too large: the half-width of arm i must shrink to the whole distance.",
        _unless_better(lambda gamma, far: math.ceil(4 * gamma / far**2)),
    ),
)

"""Lesson 1: bandits and best-arm identification."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from scipy.stats import binomtest, norm

from explorative_user_env.results.intervals import LEVEL, proportion_interval
from explorative_user_env.teach.exercises import Exercise, around

Floats = Sequence[float]


def half_width(n: int, delta: float) -> float:
    """Return the half-width of a confidence interval for the mean of n 1-sub-Gaussian rewards.

    The interval misses the mean with probability at most `delta`.
    """
    return math.sqrt(2 * math.log(2 / delta) / n)


def samples_needed(gap: float, delta: float) -> int:
    """Return the least n per arm for which the intervals of two arms with this gap are disjoint."""
    return math.ceil(2 * math.log(2 / delta) / (gap / 2) ** 2)


def survivors(means: Floats, half_widths: Floats) -> list[int]:
    """Return the arms i for which no other arm j is clearly better (lcb_j >= ucb_i)."""
    stay = _arms_where(lambda arm, means, low, high: max(_others(low, arm)) < high[arm])
    return list(stay(means, half_widths))


def _arms_where(rule: Callable[[int, Floats, Floats, Floats], bool]) -> Any:
    """Return a function that answers exercise 1.3: it returns the arms that fulfil `rule`."""

    def answer(means: Floats, half_widths: Floats) -> list[int]:
        low = [mean - width for mean, width in zip(means, half_widths, strict=True)]
        high = [mean + width for mean, width in zip(means, half_widths, strict=True)]
        return [arm for arm in range(len(low)) if rule(arm, list(means), low, high)]

    return answer


def _others(values: Floats, arm: int) -> list[float]:
    return [value for place, value in enumerate(values) if place != arm] or [-math.inf]


def _same_arms(given: Any, expected: Any) -> bool:
    """Return whether two collections contain the same arms in any order; bools are no arms."""
    try:
        pair = [[x.item() if hasattr(x, "item") else x for x in each] for each in (given, expected)]
        mine, theirs = (x if bool in map(type, x) else sorted(x) for x in pair)
    except TypeError:
        return False
    return [*map(type, mine)] == [*map(type, theirs)] and mine == theirs


def _wald(successes: int, n: int) -> tuple[float, float]:
    p = successes / n
    error = norm.ppf((1 + LEVEL) / 2) * math.sqrt(p * (1 - p) / n)
    return around(p, error)


_CERTAIN = "300 successes in 300 runs give width 0, as if failure were impossible"

EXERCISES: tuple[Exercise, ...] = (
    # 1.1
    Exercise(
        asks="a function of n and delta that returns the half-width epsilon",
        right=half_width,
        cases=[(1, 0.1), (4, 0.1), (100, 0.1), (100, 0.01), (37, 0.5), (12, 0.9)],
        shows="four times as many rewards halve the interval; a smaller delta costs little.",
    ).with_mistakes(
        "it bounds one side only: the estimate may be too high or too low, so use delta / 2",
        lambda n, delta: math.sqrt(2 * math.log(1 / delta) / n),
        "a factor 2 is missing: solve 2 exp(-n epsilon^2 / 2) = delta for epsilon again",
        lambda n, delta: math.sqrt(math.log(2 / delta) / n),
        "the factor 2 divides instead of multiplying: solve 2 exp(-n epsilon^2 / 2) = delta again",
        lambda n, delta: math.sqrt(math.log(2 / delta) / (2 * n)),
        "it is the square of the half-width: take the root",
        lambda n, delta: half_width(n, delta) ** 2,
        "it shrinks like 1/n: n belongs under the root",
        lambda n, delta: half_width(1, delta) / n,
        "it is the full width of the interval: the exercise asks for half of it",
        lambda n, delta: 2 * half_width(n, delta),
        "it uses the normal quantile: derive epsilon from the bound, which holds for more rewards",
        lambda n, delta: norm.ppf(1 - delta / 2) / math.sqrt(n),
        "it does not depend on delta: 1.96 is the normal quantile for delta = 0.05",
        lambda n, delta: 1.96 / math.sqrt(n),
    ),
    # 1.2
    Exercise(
        asks="a function of gap and delta that returns an integer number of rewards per arm",
        right=samples_needed,
        cases=[
            *((0.5, 0.1), (0.25, 0.1), (1.0, 0.1), (0.5, 0.01)),
            *((0.3, 0.05), (2.0, 0.2), (0.05, 0.5)),
        ],
        shows="half the gap needs four times as many rewards: the number grows as 1/Delta^2.",
    ).with_mistakes(
        "it rounds down: with one reward too few the intervals still overlap",
        lambda gap, delta: math.floor(8 * math.log(2 / delta) / gap**2),
        "it is not an integer: round up, as a part of a reward is impossible",
        lambda gap, delta: 8 * math.log(2 / delta) / gap**2,
        "it is one more than necessary",
        lambda gap, delta: samples_needed(gap, delta) + 1,
        "it compares the half-width with the gap: compare it with gap / 2",
        lambda gap, delta: samples_needed(2 * gap, delta),
        "the gap is not squared",
        lambda gap, delta: math.ceil(8 * math.log(2 / delta) / gap),
        "it counts the rewards of both arms: the exercise asks for the rewards per arm",
        lambda gap, delta: 2 * samples_needed(gap, delta),
        "it splits delta between the arms: here each interval may miss with probability delta",
        lambda gap, delta: samples_needed(gap, delta / 2),
    ),
    # 1.3
    Exercise(
        asks="a function of estimates and half-widths that returns the arms that remain",
        right=survivors,
        cases=[
            *(([0.2, 1.0, 0.9], [0.1, 0.1, 0.1]), ([0.0, 0.5], [0.3, 0.3])),
            *(([0.0, 1.0], [0.5, 0.5]), ([1.0, 1.0], [0.1, 0.1])),  # touching and equal intervals
            ([1.0, 0.8, 0.4], [0.7, 0.05, 0.2]),  # arm 1, not arm 0, eliminates arm 2
            ([1.0, 0.2], [0.0, 0.1]),  # an interval of width 0
            ([0.0, 2.0, -1.0], [math.inf, 0.1, 0.5]),  # an arm without rewards
            ([0.0, 0.4, 0.6], [0.5, 0.1, 0.3]),
        ],
        shows="an arm goes if another arm is clearly better; the user rejects by the same rule.",
        same=_same_arms,
    ).with_mistakes(
        "it compares only with the arm of the largest estimate: any other arm may eliminate an arm",
        _arms_where(
            lambda arm, means, low, high: (
                (best := means.index(max(means))) == arm or low[best] < high[arm]
            )
        ),
        "it keeps only the arm with the largest estimate, as if estimates were means",
        lambda means, half_widths: [list(means).index(max(means))],
        "it returns the eliminated arms instead of the remaining arms",
        _arms_where(lambda arm, means, low, high: max(_others(low, arm)) >= high[arm]),
        "it keeps an arm whose interval touches a better one: equality eliminates, too",
        _arms_where(lambda arm, means, low, high: max(_others(low, arm)) <= high[arm]),
        "it compares an arm with itself: an arm with an interval of width 0 eliminates itself",
        _arms_where(lambda arm, means, low, high: max(low) < high[arm]),
        "it compares with the other arm's estimate: compare with the lower end of its interval",
        _arms_where(lambda arm, means, low, high: max(_others(means, arm)) < high[arm]),
        "it returns a bool for each arm instead of the numbers of the remaining arms",
        lambda means, widths: [arm in survivors(means, widths) for arm in range(len(means))],
    ),
    # 1.4
    Exercise(
        asks="a function of successes and n that returns both ends of the interval",
        right=proportion_interval,
        cases=[(271, 300), (300, 300), (0, 20), (150, 300), (1, 10), (299, 300)],
        shows="300 successes in 300 runs do not exclude failures; the interval bounds their share.",
    ).with_mistakes(
        _CERTAIN,
        _wald,
        f"clipping the interval to [0, 1] does not help: {_CERTAIN}",
        lambda successes, n: [min(max(end, 0), 1) for end in _wald(successes, n)],
        "it is Wilson's interval: with rare failures its coverage is below its level",
        lambda successes, n: binomtest(successes, n).proportion_ci(LEVEL, method="wilson"),
        "it is Hoeffding's interval: its coverage is sufficient, but it is too wide",
        lambda successes, n: around(successes / n, math.sqrt(math.log(40) / (2 * n))),
        "its level is 0.9: it leaves out 5% on each side instead of 5% in total",
        lambda successes, n: proportion_interval(successes, n, 2 * LEVEL - 1),
    ),
)

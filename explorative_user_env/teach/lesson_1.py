"""Lesson 1: bandits and best-arm identification."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from scipy.stats import binomtest, norm

from explorative_user_env.results.intervals import LEVEL, proportion_interval
from explorative_user_env.teach.exercises import Exercise, around

Floats = Sequence[float]


def half_width(n: int, delta: float) -> float:
    """Return the largest error of the mean of n rewards, up to probability delta.

    The bound holds for sub-Gaussian rewards: spread as normal ones of variance 1, or less.
    """
    return math.sqrt(2 * math.log(2 / delta) / n)


def samples_needed(gap: float, delta: float) -> int:
    """Return the least n for which the intervals of two arms, gap apart, do not overlap."""
    return math.ceil(2 * math.log(2 / delta) / (gap / 2) ** 2)


def survivors(means: Floats, half_widths: Floats) -> list[int]:
    """Return the arms that may be the best: no other arm's interval lies above theirs."""
    stay = _kept(lambda arm, means, low, high: max(_others(low, arm)) < high[arm])
    return list(stay(means, half_widths))


def _kept(rule: Callable[[int, Floats, Floats, Floats], bool]) -> Any:
    """Return an answer to 1.3 that keeps the arms of a rule on means and ends of intervals."""

    def answer(means: Floats, half_widths: Floats) -> list[int]:
        low = [mean - width for mean, width in zip(means, half_widths, strict=True)]
        high = [mean + width for mean, width in zip(means, half_widths, strict=True)]
        return [arm for arm in range(len(low)) if rule(arm, list(means), low, high)]

    return answer


def _others(values: Floats, arm: int) -> list[float]:
    return [value for place, value in enumerate(values) if place != arm] or [-math.inf]


def _same_arms(given: Any, expected: Any) -> bool:
    """Return whether two collections have the same arms, in any order; True is not arm 1."""
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


_CERTAIN = "with 300 successes of 300 its width is 0, as if nothing could ever go wrong"

EXERCISES: tuple[Exercise, ...] = (
    # 1.1
    Exercise(
        asks="a function of n and delta that returns the half-width epsilon",
        right=half_width,
        cases=[(1, 0.1), (4, 0.1), (100, 0.1), (100, 0.01), (37, 0.5), (12, 0.9)],
        shows="four times as many rewards halve an interval; a smaller delta costs little.",
    ).with_mistakes(
        "it bounds one side only: an estimate may be too high or too low, and both share delta",
        lambda n, delta: math.sqrt(2 * math.log(1 / delta) / n),
        "a factor is lost: solve n epsilon^2 / 2 for epsilon again",
        lambda n, delta: math.sqrt(math.log(2 / delta) / n),
        "a factor is on the wrong side: solve n epsilon^2 / 2 for epsilon again",
        lambda n, delta: math.sqrt(math.log(2 / delta) / (2 * n)),
        "it is the square of a half-width",
        lambda n, delta: half_width(n, delta) ** 2,
        "it shrinks like 1/n: n has to stand below the root",
        lambda n, delta: half_width(1, delta) / n,
        "it is the width of the whole interval, from end to end",
        lambda n, delta: 2 * half_width(n, delta),
        "it is the quantile of the normal law; the bound holds for other rewards, too",
        lambda n, delta: norm.ppf(1 - delta / 2) / math.sqrt(n),
        "it does not depend on delta: 1.96 is for one delta only",
        lambda n, delta: 1.96 / math.sqrt(n),
    ),
    # 1.2
    Exercise(
        asks="a function of gap and delta that returns a whole number of rewards of each arm",
        right=samples_needed,
        cases=[
            *((0.5, 0.1), (0.25, 0.1), (1.0, 0.1), (0.5, 0.01)),
            *((0.3, 0.05), (2.0, 0.2), (0.05, 0.5)),
        ],
        shows="half the gap takes four times as many rewards: 1/Delta^2 is the price of a gap.",
    ).with_mistakes(
        "it rounds down: with one reward less than needed the intervals still meet",
        lambda gap, delta: math.floor(8 * math.log(2 / delta) / gap**2),
        "it is no whole number, and nobody can take part of a reward",
        lambda gap, delta: 8 * math.log(2 / delta) / gap**2,
        "it is one more than is needed",
        lambda gap, delta: samples_needed(gap, delta) + 1,
        "each interval may reach half way to the other mean only: these reach all the way",
        lambda gap, delta: samples_needed(2 * gap, delta),
        "the gap is not squared",
        lambda gap, delta: math.ceil(8 * math.log(2 / delta) / gap),
        "it counts the rewards of both arms together; the exercise asks for those of each",
        lambda gap, delta: 2 * samples_needed(gap, delta),
        "delta is shared out between the arms, but each interval may miss with delta here",
        lambda gap, delta: samples_needed(gap, delta / 2),
    ),
    # 1.3
    Exercise(
        asks="a function of estimates and half-widths that returns the arms that stay",
        right=survivors,
        cases=[
            *(([0.2, 1.0, 0.9], [0.1, 0.1, 0.1]), ([0.0, 0.5], [0.3, 0.3])),
            *(([0.0, 1.0], [0.5, 0.5]), ([1.0, 1.0], [0.1, 0.1])),  # intervals touch; are the same
            ([1.0, 0.8, 0.4], [0.7, 0.05, 0.2]),  # the leader does not rule the last arm out
            ([1.0, 0.2], [0.0, 0.1]),  # a known mean
            ([0.0, 2.0, -1.0], [math.inf, 0.1, 0.5]),  # an arm without rewards
            ([0.0, 0.4, 0.6], [0.5, 0.1, 0.3]),
        ],
        shows="an arm goes when some other is clearly better: she rejects by this very rule.",
        same=_same_arms,
    ).with_mistakes(
        "it asks the arm with the largest estimate only; another may rule an arm out first",
        _kept(
            lambda arm, means, low, high: (
                (best := means.index(max(means))) == arm or low[best] < high[arm]
            )
        ),
        "it keeps the arm with the largest estimate alone, as if estimates were means",
        lambda means, half_widths: [list(means).index(max(means))],
        "it returns the arms that go, not those that stay",
        _kept(lambda arm, means, low, high: max(_others(low, arm)) >= high[arm]),
        "intervals that just touch are told apart as well: look at the case of equality",
        _kept(lambda arm, means, low, high: max(_others(low, arm)) <= high[arm]),
        "it compares an arm with itself: one whose mean is known rules itself out",
        _kept(lambda arm, means, low, high: max(low) < high[arm]),
        "it drops an arm below another's estimate: that estimate may be too high",
        _kept(lambda arm, means, low, high: max(_others(means, arm)) < high[arm]),
        "it returns a truth value for each arm, and not which arms stay",
        lambda means, widths: [arm in survivors(means, widths) for arm in range(len(means))],
    ),
    # 1.4
    Exercise(
        asks="a function of successes and n that returns both ends of the interval",
        right=proportion_interval,
        cases=[(271, 300), (300, 300), (0, 20), (150, 300), (1, 10), (299, 300)],
        shows="300 successes of 300 leave room for failures; the interval says how much.",
    ).with_mistakes(
        _CERTAIN,
        _wald,
        f"cut off at 0 and 1 it is no better: {_CERTAIN}",
        lambda successes, n: [min(max(end, 0), 1) for end in _wald(successes, n)],
        "it is Wilson's interval, which for rare failures holds less often than it says",
        lambda successes, n: binomtest(successes, n).proportion_ci(LEVEL, method="wilson"),
        "it is Hoeffding's interval: it holds, but is wider than it need be",
        lambda successes, n: around(successes / n, math.sqrt(math.log(40) / (2 * n))),
        "its level is .9: 5 in a hundred are left out on each side, and not 5 in all",
        lambda successes, n: proportion_interval(successes, n, 2 * LEVEL - 1),
    ),
)

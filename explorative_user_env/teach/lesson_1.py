"""The exercises of notebook 1: bandits and best-arm identification."""

import math
from collections.abc import Sequence
from typing import Any

from explorative_user_env.results.intervals import LEVEL, proportion_interval
from explorative_user_env.teach.exercises import Exercise, Mistake


def survivors(means: Sequence[float], half_widths: Sequence[float]) -> list[int]:
    """Return the arms that may still be the best: none other's interval is clear above theirs.

    Args:
        means: the estimate of each arm.
        half_widths: how far each may be off.
    """
    arms = range(len(means))
    low = [mean - width for mean, width in zip(means, half_widths, strict=True)]
    high = [mean + width for mean, width in zip(means, half_widths, strict=True)]
    return [i for i in arms if not any(low[j] >= high[i] for j in arms if j != i)]


def _kept(rule: Any) -> Any:
    """Return an answer that keeps each arm which a rule keeps, given its number and all ends."""

    def answer(means: Sequence[float], half_widths: Sequence[float]) -> list[int]:
        pairs = list(zip(means, half_widths, strict=True))
        low, high = [m - w for m, w in pairs], [m + w for m, w in pairs]
        return [i for i in range(len(pairs)) if rule(i, list(means), low, high)]

    return answer


def _others(values: list[float], arm: int) -> list[float]:
    return [value for j, value in enumerate(values) if j != arm] or [-math.inf]


def _named(outcome: Any) -> list[Any]:
    """Return arms in order, whatever holds them; truth values stay, where they are no arms."""
    values = [value.item() if hasattr(value, "item") else value for value in outcome]
    return values if any(isinstance(value, bool) for value in values) else sorted(values)


def _same_arms(given: Any, expected: Any) -> bool:
    try:
        mine, theirs = _named(given), _named(expected)
    except TypeError:  # not even a list
        return False
    return [*map(type, mine)] == [*map(type, theirs)] and mine == theirs


WHO_STAYS = Exercise(
    number="1.3",
    asks="a function of estimates and half-widths that returns the arms that stay",
    right=survivors,
    cases=[
        ([0.2, 1.0, 0.9], [0.1, 0.1, 0.1]),
        ([0.0, 0.5], [0.3, 0.3]),
        ([0.0, 1.0], [0.5, 0.5]),  # the intervals touch
        ([1.0, 1.0], [0.1, 0.1]),
        ([1.0, 0.8, 0.4], [0.7, 0.05, 0.2]),  # not the leader rules the last arm out
        ([1.0, 0.2], [0.0, 0.1]),  # a mean that is known
        ([0.0, 2.0, -1.0], [math.inf, 0.1, 0.5]),  # an arm that nobody has tried
        ([0.0, 0.4, 0.6], [0.5, 0.1, 0.3]),
    ],
    shows="an arm goes when some other is clearly better. She, who will say yes and no later on, "
    "rejects by this very rule.",
    same=_same_arms,
    mistakes=[
        Mistake(
            "it asks the arm with the largest estimate only; one whose interval is narrower may "
            "rule an arm out first",
            _kept(
                lambda i, means, low, high: (
                    i == means.index(max(means)) or low[means.index(max(means))] < high[i]
                )
            ),
        ),
        Mistake(
            "it keeps the arm with the largest estimate alone, as if estimates were means",
            lambda means, half_widths: [list(means).index(max(means))],
        ),
        Mistake(
            "it returns the arms that go, not those that stay",
            _kept(lambda i, means, low, high: any(x >= high[i] for x in _others(low, i))),
        ),
        Mistake(
            "intervals that just touch are told apart as well: look at the case of equality",
            _kept(lambda i, means, low, high: not any(x > high[i] for x in _others(low, i))),
        ),
        Mistake(
            "it compares an arm with itself: one whose mean is known rules itself out",
            _kept(lambda i, means, low, high: not any(x >= high[i] for x in low)),
        ),
        Mistake(
            "it compares lower ends with lower ends: who is hardly known is the first to go",
            _kept(lambda i, means, low, high: not any(x >= low[i] for x in _others(low, i))),
        ),
        Mistake(
            "it drops an arm below another's estimate: that estimate may be too high itself",
            _kept(lambda i, means, low, high: not any(x >= high[i] for x in _others(means, i))),
        ),
        Mistake(
            "it drops an arm whose own estimate is below another's interval: it may be too low",
            _kept(lambda i, means, low, high: not any(x >= means[i] for x in _others(low, i))),
        ),
        Mistake(
            "it drops whatever another's interval overlaps",
            _kept(lambda i, means, low, high: not any(x >= low[i] for x in _others(high, i))),
        ),
        Mistake(
            "it returns a truth value for each arm, and not which arms stay",
            lambda means, half_widths: [
                i in survivors(means, half_widths) for i in range(len(means))
            ],
        ),
    ],
)


def _wald(successes: int, n: int) -> tuple[float, float]:
    p = successes / n
    error = 1.959963984540054 * math.sqrt(p * (1.0 - p) / n)
    return p - error, p + error


def _cut(interval: tuple[float, float]) -> tuple[float, float]:
    return max(0.0, interval[0]), min(1.0, interval[1])


def _wilson(successes: int, n: int) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return float(interval.low), float(interval.high)


def _hoeffding(successes: int, n: int) -> tuple[float, float]:
    error = math.sqrt(math.log(2.0 / (1.0 - LEVEL)) / (2.0 * n))
    return successes / n - error, successes / n + error


_CERTAIN = "with 300 successes of 300 its width is 0, as if nothing could ever go wrong"

SUCCESS_RATE = Exercise(
    number="1.4",
    asks="a function of successes and n that returns both ends of the interval",
    right=proportion_interval,
    cases=[(271, 300), (300, 300), (0, 20), (150, 300), (1, 10), (299, 300)],
    shows="300 successes of 300 do not show that an agent is always right; the interval says how "
    "often it may be wrong.",
    mistakes=[
        Mistake(_CERTAIN, _wald),
        Mistake(f"cut off at 0 and 1 it is no better: {_CERTAIN}", lambda s, n: _cut(_wald(s, n))),
        Mistake(
            "it is Wilson's interval: shorter, but for rare failures it holds the truth less often "
            "than it says; the exact one is asked for",
            _wilson,
        ),
        Mistake("it is Hoeffding's interval: it holds, but is wider than it need be", _hoeffding),
        Mistake(
            "it is Hoeffding's interval, cut off at 0 and 1: it holds, and is wider than need be",
            lambda s, n: _cut(_hoeffding(s, n)),
        ),
        Mistake(
            "its level is .9: 5 in a hundred are left out on each side, and not 5 in all",
            lambda s, n: proportion_interval(s, n, 0.9),
        ),
        Mistake(
            "its ends are the wrong way round",
            lambda s, n: proportion_interval(s, n)[::-1],
        ),
        Mistake(
            "it is in hundredths, and a probability is at most 1",
            lambda s, n: tuple(100.0 * end for end in proportion_interval(s, n)),
        ),
        Mistake(
            "it is the interval of the number of successes, not of their probability",
            lambda s, n: tuple(n * end for end in proportion_interval(s, n)),
        ),
        Mistake(
            "it is the interval of the failures",
            lambda s, n: proportion_interval(n - s, n),
        ),
    ],
)


def half_width(n: int, delta: float) -> float:
    """Return how far the mean of n rewards may be off, but with probability delta at most.

    Hoeffding's bound for rewards around their mean as normal ones of variance 1 are, or closer.

    Args:
        n: how many rewards there are, at least 1.
        delta: in (0, 1).
    """
    return math.sqrt(2.0 * math.log(2.0 / delta) / n)


def samples_needed(gap: float, delta: float) -> int:
    """Return the least n at which intervals of two arms, around the true means, meet no more.

    Args:
        gap: Delta, how far the means are apart, above 0.
        delta: the probability at which each interval may miss, in (0, 1).
    """
    return math.ceil(2.0 * math.log(2.0 / delta) / (gap / 2.0) ** 2)


def _normal(n: int, delta: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(1.0 - delta / 2.0)) / math.sqrt(n)


EPSILON = Exercise(
    number="1.1",
    asks="a function of n and delta that returns the half-width epsilon",
    right=half_width,
    cases=[(1, 0.1), (4, 0.1), (100, 0.1), (100, 0.01), (37, 0.5), (12, 0.9)],
    shows="four times as many rewards make an interval half as wide; a smaller delta costs little, "
    "as it stands in a logarithm.",
    mistakes=[
        Mistake(
            "it bounds one side only: an estimate may be too high or too low, and both share delta",
            lambda n, delta: math.sqrt(2.0 * math.log(1.0 / delta) / n),
        ),
        Mistake(
            "a factor is lost: solve n epsilon^2 / 2 for epsilon once more",
            lambda n, delta: math.sqrt(math.log(2.0 / delta) / n),
        ),
        Mistake(
            "a factor is on the wrong side: solve n epsilon^2 / 2 for epsilon once more",
            lambda n, delta: math.sqrt(math.log(2.0 / delta) / (2.0 * n)),
        ),
        Mistake(
            "it is the square of a half-width",
            lambda n, delta: 2.0 * math.log(2.0 / delta) / n,
        ),
        Mistake(
            "it shrinks like 1/n: n has to stand below the root",
            lambda n, delta: math.sqrt(2.0 * math.log(2.0 / delta)) / n,
        ),
        Mistake(
            "it grows with n: the more rewards, the surer she should be",
            lambda n, delta: math.sqrt(2.0 * n * math.log(2.0 / delta)),
        ),
        Mistake(
            "it is the width of the whole interval, from end to end",
            lambda n, delta: 2.0 * half_width(n, delta),
        ),
        Mistake(
            "its logarithm is to base 10 (in Python math.log is the natural one)",
            lambda n, delta: math.sqrt(2.0 * math.log10(2.0 / delta) / n),
        ),
        Mistake(
            "it takes delta for the probability of being right, and it is that of being wrong",
            lambda n, delta: half_width(n, 1.0 - delta),
        ),
        Mistake(
            "it is the normal law's own quantile: good for normal rewards, but Hoeffding's bound "
            "is asked for, which holds for others too",
            _normal,
        ),
        Mistake(
            "it does not depend on delta: 1.96 is for one delta only",
            lambda n, delta: 1.96 / math.sqrt(n),
        ),
    ],
)

SAMPLES_NEEDED = Exercise(
    number="1.2",
    asks="a function of gap and delta that returns a whole number of rewards of each arm",
    right=samples_needed,
    cases=[(0.5, 0.1), (0.25, 0.1), (1.0, 0.1), (0.5, 0.01), (0.3, 0.05), (2.0, 0.2), (0.05, 0.5)],
    shows="half the gap takes four times as many rewards: 1/Delta^2 is the price of a gap.",
    mistakes=[
        Mistake(
            "it rounds down: with one reward less than needed the intervals still meet",
            lambda gap, delta: math.floor(8.0 * math.log(2.0 / delta) / gap**2),
        ),
        Mistake(
            "it is no whole number, and nobody can take part of a reward",
            lambda gap, delta: 8.0 * math.log(2.0 / delta) / gap**2,
        ),
        Mistake(
            "it is one more than is needed",
            lambda gap, delta: samples_needed(gap, delta) + 1,
        ),
        Mistake(
            "each interval may reach half way to the other mean only: these reach all the way",
            lambda gap, delta: math.ceil(2.0 * math.log(2.0 / delta) / gap**2),
        ),
        Mistake(
            "the gap is not squared",
            lambda gap, delta: math.ceil(8.0 * math.log(2.0 / delta) / gap),
        ),
        Mistake(
            "it counts the rewards of both arms together, and those of each are asked for",
            lambda gap, delta: 2 * samples_needed(gap, delta),
        ),
        Mistake(
            "its intervals bound one side only",
            lambda gap, delta: math.ceil(8.0 * math.log(1.0 / delta) / gap**2),
        ),
        Mistake(
            "delta is shared out between the arms, but each interval may miss with delta here",
            lambda gap, delta: samples_needed(gap, delta / 2.0),
        ),
    ],
)


EXERCISES: tuple[Exercise, ...] = (EPSILON, SAMPLES_NEEDED, WHO_STAYS, SUCCESS_RATE)
"""In the order in which they are asked."""

"""Lesson 5: the price of revealed preference."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr

from explorative_user_env.results.intervals import LEVEL, proportion_interval
from explorative_user_env.teach.exercises import Exercise
from explorative_user_env.theory import hard_pair, phase2_error_bound

Floats = Sequence[float]

#: Probability under nu that the first reward of arm 1 is below its mean.
FROM_NU = 0.5

_Z = stats.norm.ppf(LEVEL)


def _fit(x: Callable[[Any], Any], y: Callable[[Any], Any] = np.log, of: int = 0) -> Any:
    """Return a function that answers exercise 5.1: the slope (`of=0`) or the intercept (`of=1`)."""
    return lambda deltas, times: np.polyfit(x(np.array(deltas)), y(np.array(times)), 1)[of]


def _minus_log(deltas: Any) -> Any:
    return -np.log(deltas)


def _misses(n1: float, alpha: float, rho_0: float) -> float:
    return float((rho_0 * n1) ** -alpha)


def _times(factor: Callable[[int], int]) -> Any:
    """Return a function that answers exercise 5.2: `factor(K)` times P(an interval misses)."""
    return lambda n1, n_arms, *user: min(1.0, factor(n_arms) * _misses(n1, *user))


def _means(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    """Return the mean of arm 0 in the instances nu and nu' (for two arms, whatever delta is)."""
    pair = hard_pair(0.1, alpha, n0=n0, gap=gap)
    return pair.nu.means[0], pair.nu_prime.means[0]


def _below(n0: int, alpha: float, m: int | None = None) -> float:
    m = n0 - 1 if m is None else m
    spread = math.sqrt(2 * alpha * math.log(n0)) * (1 + 1 / math.sqrt(m))
    return spread + 2 * math.sqrt(math.log(2 * m) / m)


def _posterior(d: float, prior: float) -> float:
    likely, rival = prior * ndtr(-d), (1 - prior) * FROM_NU
    return float(likely / (likely + rival))


def _least(proves: Callable[[int, int, float], bool], pick: Any = min) -> Any:
    """Return a function that answers exercise 5.5: the least N_1 for which `proves` is True."""
    return lambda n1s, wrong, n, delta: pick(
        (n1 for n1, count in zip(n1s, wrong, strict=True) if proves(count, n, delta)), default=None
    )


def _end(count: int, n: int, level: float = 2 * LEVEL - 1, upper: bool = True) -> float:
    """Return an end of an exact interval, by default the one-sided 95% upper bound."""
    return proportion_interval(count, n, level)[upper]


def _enough(count: int, n: int, delta: float) -> bool:
    return _end(count, n) <= delta


EXERCISES: tuple[Exercise, ...] = (
    # 5.1
    Exercise(
        asks="a function of deltas and times that returns the slope of log T against log(1/δ)",
        right=_fit(_minus_log),
        cases=[
            *(([0.1, 0.01, 0.001], [1e2, 1e3, 1e4]), ([0.1, 0.01, 0.001], [1e2, 1e4, 1e6])),
            ([0.3, 0.1, 0.01, 0.001], [40.0, 70.0, 900.0, 12_000.0]),
            ([0.2, 0.05, 0.004], [31.0, 33.0, 47.0]),
        ],
        shows="slope s means T ~ δ^(-s); for T ~ log(1/δ) the slope tends to 0.",
    ).with_mistakes(
        "the sign is wrong: it is the slope against log δ instead of log(1/δ).",
        _fit(np.log),
        "the logarithm of T is missing.",
        _fit(_minus_log, np.array),
        "the logarithm of 1/δ is missing.",
        _fit(np.reciprocal),
        "both logarithms are missing.",
        _fit(np.reciprocal, np.array),
        "the axes are swapped: it is the slope of log(1/δ) against log T.",
        lambda deltas, times: np.polyfit(np.log(times), _minus_log(deltas), 1)[0],
        "it is the intercept of the line: return its slope.",
        _fit(_minus_log, of=1),
        "it uses only the first and the last point: fit a line to all points.",
        lambda deltas, times: math.log(times[-1] / times[0]) / math.log(deltas[0] / deltas[-1]),
    ),
    # 5.2
    Exercise(
        asks="a function of n1, n_arms, alpha and rho_0 that bounds the probability of an error",
        right=phase2_error_bound,
        cases=[
            *((100, 2, 1.0, 1.0), (100, 5, 1.0, 1.0), (1000, 5, 1.0, 1.0), (1000, 5, 2.0, 1.0)),
            *((1000, 5, 0.5, 1.0), (400, 20, 0.8, 2.0), (5000, 3, 1.5, 0.5), (10, 20, 0.25, 1.0)),
        ],
        shows="set it equal to δ, with K for K - 1, and solve for N_1: this is lesson 4's lemma.",
    ).with_mistakes(
        "it exceeds 1 for a short Phase 1: a probability is at most 1.",
        lambda n1, n_arms, *user: 2 * (n_arms - 1) * _misses(n1, *user),
        "it counts the best arm's interval once: count it once for each rival.",
        _times(lambda n_arms: n_arms),
        "it counts K rivals: there are K - 1.",
        _times(lambda n_arms: 2 * n_arms),
        "it counts one interval for each rival: the best arm's interval may miss, too.",
        _times(lambda n_arms: n_arms - 1),
        "it is the bound for one rival: there are K - 1.",
        _times(lambda n_arms: 2),
        "it assumes independent rivals, but they share the best arm's rewards: add the bounds.",
        lambda n1, n_arms, *user: 1 - (1 - min(1.0, 2 * _misses(n1, *user))) ** (n_arms - 1),
        "it is right for α = 1 only: the exponent is missing.",
        lambda n1, n_arms, alpha, rho_0: phase2_error_bound(n1, n_arms, 1, rho_0),
        "the exponent is inverted: a larger α gives a smaller bound.",
        lambda n1, n_arms, alpha, rho_0: phase2_error_bound(n1, n_arms, 1 / alpha, rho_0),
    ),
    # 5.3
    Exercise(
        asks="a function of n0, alpha and gap that returns the mean of arm 1 under ν and under ν'",
        right=_means,
        cases=[(10, 1.0, 0.5), (30, 0.25, 0.5), (100, 1.0, 0.2), (1000, 2.0, 1.0), (3, 0.5, 0.1)],
        shows="arm 1 is the best arm under ν' and far from the best under ν; arm 2 is the same.",
    ).with_mistakes(
        "the two means are swapped: return the mean under ν first.",
        lambda n0, alpha, gap: _means(n0, alpha, gap)[::-1],
        "it uses N_0 instead of M = N_0 - 1: one acceptance is that of arm 1.",
        lambda n0, alpha, gap: (1 - _below(n0, alpha, m=n0), 1 + gap),
        "α is missing in b.",
        lambda n0, alpha, gap: (1 - _below(n0, 1.0), 1 + gap),
        "it subtracts b from 0: subtract it from the mean of arm 2, which is 1.",
        lambda n0, alpha, gap: (-_below(n0, alpha), 1 + gap),
        "it subtracts b from the best mean of ν': subtract it from the mean of arm 2, which is 1.",
        lambda n0, alpha, gap: (1 + gap - _below(n0, alpha), 1 + gap),
        "it adds the gap to 0: add it to the mean of arm 2, which is 1.",
        lambda n0, alpha, gap: (1 - _below(n0, alpha), gap),
    ),
    # 5.4
    Exercise(
        asks="a function of d and prior that returns the probability of ν' given the low reward",
        right=_posterior,
        cases=[(1.0, 0.5), (2.0, 0.5), (2.8, 0.9), (3.0, 0.1), (4.0, 0.999)],
        shows="the low reward makes ν' unlikely, but not impossible: it is the error of answer 2.",
    ).with_mistakes(
        "it is the probability of the low reward for a user of ν': condition the other way round.",
        lambda d, prior: ndtr(-d),
        "it is the likelihood ratio: use Bayes' rule with the prior.",
        lambda d, prior: ndtr(-d) / FROM_NU,
        "it is right for prior = 1/2 only: the prior is missing.",
        lambda d, prior: _posterior(d, 0.5),
        "it is the odds of ν' against ν: divide by the sum of both terms.",
        lambda d, prior: prior * ndtr(-d) / ((1 - prior) * FROM_NU),
        "it uses probability 1 for the low reward under ν: that probability is 1/2.",
        lambda d, prior: prior * ndtr(-d) / (prior * ndtr(-d) + 1 - prior),
        "the sign of d is wrong: under ν' the low reward is rare.",
        lambda d, prior: _posterior(-d, prior),
        "it is the probability of ν instead of ν'.",
        lambda d, prior: 1 - _posterior(d, prior),
    ),
    # 5.5
    Exercise(
        asks="a function of n1s, wrong, n_runs and delta that returns the smallest sufficient N_1",
        right=_least(_enough),
        cases=[
            ([1, 10, 30, 100], [40, 11, 7, 3], 300, 0.05),
            ([1, 10, 30, 100], [24, 9, 8, 3], 300, 0.05),
            *(([5, 50, 500], [30, 12, 0], 200, 0.1), ([5, 50, 500], [3, 0, 0], 20, 0.1)),
            *(([2, 20, 200], [2, 0, 0], 1000, 0.003), ([4, 40, 400], [5, 4, 0], 2000, 0.004)),
            ([3, 30], [199, 2], 200, 0.05),
        ],
        shows="20 runs without an error prove only δ = 0.14, 300 runs prove δ = 0.01.",
    ).with_mistakes(
        "it compares the share of wrong runs with δ: compare the upper end of an interval.",
        _least(lambda count, n, delta: count / n <= delta),
        "the interval is two-sided: take a one-sided interval of 95%.",
        _least(lambda count, n, delta: _end(count, n, LEVEL) <= delta),
        "it uses the normal approximation, which gives width 0 without a wrong run.",
        _least(lambda k, n, delta: k / n + _Z * math.sqrt(k * (n - k) / n**3) <= delta),
        "it compares the lower end of the interval with δ: compare the upper end.",
        _least(lambda count, n, delta: _end(count, n, upper=False) <= delta),
        "it returns the largest sufficient N_1: return the smallest.",
        _least(_enough, max),
    ),
)

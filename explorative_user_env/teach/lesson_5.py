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

#: P[B]: under nu, arm 1's first reward is below its mean.
FROM_NU = 0.5

_Z = stats.norm.ppf(LEVEL)


def _fit(x: Callable[[Any], Any], y: Callable[[Any], Any] = np.log, of: int = 0) -> Any:
    """Return an answer to 5.1 by a line through what x and y make of deltas and times."""
    return lambda deltas, times: np.polyfit(x(np.array(deltas)), y(np.array(times)), 1)[of]


def _minus_log(deltas: Any) -> Any:
    return -np.log(deltas)


def _misses(n1: float, alpha: float, rho_0: float) -> float:
    return float((rho_0 * n1) ** -alpha)


def _times(factor: Callable[[int], int]) -> Any:
    """Return an answer to 5.2 that counts the misses of an interval so often, by K."""
    return lambda n1, n_arms, *user: min(1.0, factor(n_arms) * _misses(n1, *user))


def _means(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    """Return the first arm's mean under nu and nu'; with two arms the pair needs no delta."""
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
    """Return an answer to 5.5: the least N_1 of which the wrong runs prove something."""
    return lambda n1s, wrong, n, delta: pick(
        (n1 for n1, count in zip(n1s, wrong, strict=True) if proves(count, n, delta)), default=None
    )


def _end(count: int, n: int, level: float = 2 * LEVEL - 1, upper: bool = True) -> float:
    """Return an end of an interval; of one of 90% each end is a one-sided bound of 95%."""
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
        shows="a slope of 1 is T ~ 1/δ, of 1/α is T ~ δ^(-1/α); that of log(1/δ) goes to 0.",
    ).with_mistakes(
        "the sign is wrong: that is the slope against log δ, and T grows as δ falls.",
        _fit(np.log),
        "only 1/δ is in logarithms: T has to be, too, or a power is no straight line.",
        _fit(_minus_log, np.array),
        "only T is in logarithms: 1/δ has to be, too.",
        _fit(np.reciprocal),
        "there is no logarithm in it: that says how many steps one more 1/δ costs.",
        _fit(np.reciprocal, np.array),
        "the axes are swapped: that is log(1/δ) against log T.",
        lambda deltas, times: np.polyfit(np.log(times), _minus_log(deltas), 1)[0],
        "that is where the line begins, not how steep it is: the other number of the fit.",
        _fit(_minus_log, of=1),
        "only the first and the last point are looked at: fit a line to all of them.",
        lambda deltas, times: math.log(times[-1] / times[0]) / math.log(deltas[0] / deltas[-1]),
    ),
    # 5.2
    Exercise(
        asks="a function of n1, n_arms, alpha and rho_0 that returns a bound on a wrong answer",
        right=phase2_error_bound,
        cases=[
            *((100, 2, 1.0, 1.0), (100, 5, 1.0, 1.0), (1000, 5, 1.0, 1.0), (1000, 5, 2.0, 1.0)),
            *((1000, 5, 0.5, 1.0), (400, 20, 0.8, 2.0), (5000, 3, 1.5, 0.5), (10, 20, 0.25, 1.0)),
        ],
        shows="put it equal to δ, with K for K - 1, and solve for N_1: lesson 4's lemma.",
    ).with_mistakes(
        "it is more than 1 for a short Phase 1, and no probability is.",
        lambda n1, n_arms, *user: 2 * (n_arms - 1) * _misses(n1, *user),
        "the best arm's interval counts once: it may miss each rival at a time of its own.",
        _times(lambda n_arms: n_arms),
        "one arm too many is added up: the best arm is no rival of itself.",
        _times(lambda n_arms: 2 * n_arms),
        "one interval misses for each rival here; that of the best arm can miss, too.",
        _times(lambda n_arms: n_arms - 1),
        "that is the chance for one rival: there are K - 1.",
        _times(lambda n_arms: 2),
        "that takes the rivals to be independent, but they share the best arm's rewards.",
        lambda n1, n_arms, *user: 1 - (1 - min(1.0, 2 * _misses(n1, *user))) ** (n_arms - 1),
        "it is right for α = 1 only: the exponent is missing.",
        lambda n1, n_arms, alpha, rho_0: phase2_error_bound(n1, n_arms, 1, rho_0),
        "the exponent is turned over: a user more willing to explore errs less.",
        lambda n1, n_arms, alpha, rho_0: phase2_error_bound(n1, n_arms, 1 / alpha, rho_0),
    ),
    # 5.3
    Exercise(
        asks="a function of n0, alpha and gap that returns the mean of arm 1 under ν and under ν'",
        right=_means,
        cases=[(10, 1.0, 0.5), (30, 0.25, 0.5), (100, 1.0, 0.2), (1000, 2.0, 1.0), (3, 0.5, 0.1)],
        shows="under ν' arm 1 is the best arm, under ν it is hopeless; arm 2 stays the same.",
    ).with_mistakes(
        "the two are in the wrong order: under ν arm 1 is the worse one.",
        lambda n0, alpha, gap: _means(n0, alpha, gap)[::-1],
        "N_0 stands where M = N_0 - 1 should: one of the acceptances is that of arm 1.",
        lambda n0, alpha, gap: (1 - _below(n0, alpha, m=n0), 1 + gap),
        "α is missing: the wider her intervals, the worse arm 1 has to look.",
        lambda n0, alpha, gap: (1 - _below(n0, 1.0), 1 + gap),
        "b is counted from 0; it is how far arm 1 is below arm 2, whose mean is 1.",
        lambda n0, alpha, gap: (-_below(n0, alpha), 1 + gap),
        "b is counted from the best arm of ν'; it is how far arm 1 is below arm 2.",
        lambda n0, alpha, gap: (1 + gap - _below(n0, alpha), 1 + gap),
        "the gap is counted from 0: under ν' arm 1 is better than arm 2 by it.",
        lambda n0, alpha, gap: (1 - _below(n0, alpha), gap),
    ),
    # 5.4
    Exercise(
        asks="a function of d and prior that returns the probability of ν' after so low a reward",
        right=_posterior,
        cases=[(1.0, 0.5), (2.0, 0.5), (2.8, 0.9), (3.0, 0.1), (4.0, 0.999)],
        shows="so low a reward makes ν' unlikely, not impossible: who answers arm 2 errs so often.",
    ).with_mistakes(
        "that is how likely so low a reward is for a user of ν', not ν' for such a reward.",
        lambda d, prior: ndtr(-d),
        "that is the likelihood ratio; a probability weighs it with the prior.",
        lambda d, prior: ndtr(-d) / FROM_NU,
        "it is right where half of the users are of each kind only: the prior is missing.",
        lambda d, prior: _posterior(d, 0.5),
        "these are the odds of ν' against ν: a probability divides by the sum of both.",
        lambda d, prior: prior * ndtr(-d) / ((1 - prior) * FROM_NU),
        "it takes so low a reward for certain under ν, where half of the users have it.",
        lambda d, prior: prior * ndtr(-d) / (prior * ndtr(-d) + 1 - prior),
        "the sign of d is wrong: under ν' a first reward so low is rare.",
        lambda d, prior: _posterior(-d, prior),
        "that is the probability of ν, not of ν'.",
        lambda d, prior: 1 - _posterior(d, prior),
    ),
    # 5.5
    Exercise(
        asks="a function of n1s, wrong, n_runs and delta that returns the least N_1 that is enough",
        right=_least(_enough),
        cases=[
            ([1, 10, 30, 100], [40, 11, 7, 3], 300, 0.05),
            ([1, 10, 30, 100], [24, 9, 8, 3], 300, 0.05),
            *(([5, 50, 500], [30, 12, 0], 200, 0.1), ([5, 50, 500], [3, 0, 0], 20, 0.1)),
            *(([2, 20, 200], [2, 0, 0], 1000, 0.003), ([4, 40, 400], [5, 4, 0], 2000, 0.004)),
            ([3, 30], [199, 2], 200, 0.05),
        ],
        shows="twenty runs without an error prove little, three hundred prove a δ of 0.01.",
    ).with_mistakes(
        "it trusts the share of wrong runs as it is: take the upper end of an interval.",
        _least(lambda count, n, delta: count / n <= delta),
        "that interval is two-sided: half of the 5% is spent on the harmless side.",
        _least(lambda count, n, delta: _end(count, n, LEVEL) <= delta),
        "the normal approximation takes no wrong run for no error at all.",
        _least(lambda k, n, delta: k / n + _Z * math.sqrt(k * (n - k) / n**3) <= delta),
        "it takes every N_1 that is not proved bad, where one proved good is wanted.",
        _least(lambda count, n, delta: _end(count, n, upper=False) <= delta),
        "it returns the largest N_1 that is enough: the exercise asks for the least.",
        _least(_enough, max),
    ),
)

"""The exercises of notebook 5: the price of revealed preference."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from explorative_user_env.course.evidence import ENOUGH, POSTERIOR
from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.theory import hard_pair, phase2_error_bound

Levels = Sequence[float]


def _slope(deltas: Levels, times: Levels) -> float:
    return float(stats.linregress(-np.log(deltas), np.log(times)).slope)


SLOPE = Exercise(
    number="5.1",
    asks="a function of deltas and times that returns the slope of log T against log(1/δ)",
    right=_slope,
    cases=[
        ([0.1, 0.01, 0.001], [100.0, 1000.0, 10_000.0]),
        ([0.1, 0.01, 0.001], [100.0, 10_000.0, 1_000_000.0]),
        ([0.3, 0.1, 0.01, 0.001], [40.0, 70.0, 900.0, 12_000.0]),
        ([0.2, 0.05, 0.004], [31.0, 33.0, 47.0]),
    ],
    shows="a slope of 1 is T ~ 1/δ, of 1/α is T ~ δ^(-1/α), and log(1/δ) has one that goes to 0.",
    mistakes=[
        Mistake(
            "the sign is wrong: that is the slope against log δ, and T grows as δ falls.",
            lambda deltas, times: -_slope(deltas, times),
        ),
        Mistake(
            "only 1/δ is in logarithms: T has to be, too, or a power is no straight line.",
            lambda deltas, times: np.polyfit(-np.log(deltas), times, 1)[0],
        ),
        Mistake(
            "only T is in logarithms: 1/δ has to be, too.",
            lambda deltas, times: np.polyfit(1 / np.array(deltas), np.log(times), 1)[0],
        ),
        Mistake(
            "there is no logarithm in it: that says how many steps one more 1/δ costs.",
            lambda deltas, times: np.polyfit(1 / np.array(deltas), times, 1)[0],
        ),
        Mistake(
            "the axes are swapped: that is log(1/δ) against log T.",
            lambda deltas, times: np.polyfit(np.log(times), -np.log(deltas), 1)[0],
        ),
        Mistake(
            "that is where the line begins, not how steep it is: the other number of the fit.",
            lambda deltas, times: np.polyfit(-np.log(deltas), np.log(times), 1)[1],
        ),
        Mistake(
            "the line is forced through the origin, as if T were 1 at δ = 1.",
            lambda deltas, times: (
                np.dot(-np.log(deltas), np.log(times)) / np.dot(np.log(deltas), np.log(deltas))
            ),
        ),
        Mistake(
            "only the first and the last point are looked at: fit a line to all of them.",
            lambda deltas, times: math.log(times[-1] / times[0]) / math.log(deltas[0] / deltas[-1]),
        ),
    ],
)


def _each(n1: float, alpha: float, rho_0: float) -> float:
    return float((rho_0 * n1) ** -alpha)


ERROR_BOUND = Exercise(
    number="5.2",
    asks="a function of n1, n_arms, alpha and rho_0 that returns a bound on a wrong answer",
    right=phase2_error_bound,
    cases=[
        *((100, 2, 1.0, 1.0), (100, 5, 1.0, 1.0), (1000, 5, 1.0, 1.0), (1000, 5, 2.0, 1.0)),
        *((1000, 5, 0.5, 1.0), (400, 20, 0.8, 2.0), (5000, 3, 1.5, 0.5), (10, 20, 0.25, 1.0)),
    ],
    shows="put it equal to δ, with K for K - 1, and solve for N_1: that is the lemma of lesson 4.",
    mistakes=[
        Mistake(
            "it is more than 1 for a short Phase 1, and no probability is.",
            lambda n1, n_arms, alpha, rho_0: 2 * (n_arms - 1) * _each(n1, alpha, rho_0),
        ),
        Mistake(
            "the best arm's interval counts once here for all rivals. She compares it with each of "
            "them at a time of its own, and it may miss at each.",
            lambda n1, n_arms, alpha, rho_0: min(1.0, n_arms * _each(n1, alpha, rho_0)),
        ),
        Mistake(
            "one arm too many is added up: the best arm is no rival of its own.",
            lambda n1, n_arms, alpha, rho_0: min(1.0, 2 * n_arms * _each(n1, alpha, rho_0)),
        ),
        Mistake(
            "one interval misses for each rival here; two can, hers of the rival and hers of the "
            "best arm.",
            lambda n1, n_arms, alpha, rho_0: min(1.0, (n_arms - 1) * _each(n1, alpha, rho_0)),
        ),
        Mistake(
            "that is the chance for one rival: there are K - 1.",
            lambda n1, n_arms, alpha, rho_0: min(1.0, 2 * _each(n1, alpha, rho_0)),
        ),
        Mistake(
            "that takes the rivals to be independent. They share the best arm's rewards; add the "
            "chances up, which holds whatever they share.",
            lambda n1, n_arms, alpha, rho_0: (
                1 - (1 - min(1.0, 2 * _each(n1, alpha, rho_0))) ** (n_arms - 1)
            ),
        ),
        Mistake(
            "it is right for α = 1 only: the exponent is missing.",
            lambda n1, n_arms, alpha, rho_0: min(1.0, 2 * (n_arms - 1) / (rho_0 * n1)),
        ),
        Mistake(
            "the exponent is turned over: a user more willing to explore errs less.",
            lambda n1, n_arms, alpha, rho_0: min(
                1.0, 2 * (n_arms - 1) * _each(n1, 1 / alpha, rho_0)
            ),
        ),
        Mistake(
            "ρ_0 has come to the wrong side of the fraction.",
            lambda n1, n_arms, alpha, rho_0: min(
                1.0, 2 * (n_arms - 1) * _each(n1, alpha, 1 / rho_0)
            ),
        ),
        Mistake(
            "ρ_0 stands outside of the power here: it belongs to N_1.",
            lambda n1, n_arms, alpha, rho_0: min(
                1.0, 2 * (n_arms - 1) * _each(n1, alpha, 1.0) / rho_0
            ),
        ),
    ],
)


def _means(n0: int, alpha: float, gap: float) -> tuple[float, float]:
    """Return the first arm's mean under nu and under nu'; for K = 2 the pair needs no delta."""
    pair = hard_pair(0.1, alpha, n0=n0, gap=gap)
    return pair.nu.means[0], pair.nu_prime.means[0]


def _below(n0: float, alpha: float, twice: float = 2.0, m: float | None = None) -> float:
    m = n0 - 1 if m is None else m
    spread = math.sqrt(2 * alpha * math.log(n0)) * (1 + 1 / math.sqrt(m))
    return spread + 2 * math.sqrt(math.log(twice * m) / m)


FIRST_ARM = Exercise(
    number="5.3",
    asks="a function of n0, alpha and gap that returns the mean of arm 1 under ν and under ν'",
    right=_means,
    cases=[(10, 1.0, 0.5), (30, 0.25, 0.5), (100, 1.0, 0.2), (1000, 2.0, 1.0), (3, 0.5, 0.1)],
    shows="under ν' arm 1 is the best arm, under ν it is hopeless, and arm 2 is the same in both.",
    mistakes=[
        Mistake(
            "the two are in the wrong order: under ν arm 1 is the worse one.",
            lambda n0, alpha, gap: (1 + gap, 1 - _below(n0, alpha)),
        ),
        Mistake(
            "N_0 stands where M = N_0 - 1 should: one of the acceptances is arm 1's own.",
            lambda n0, alpha, gap: (1 - _below(n0, alpha, m=n0), 1 + gap),
        ),
        Mistake(
            "a factor 2 is missing in the second logarithm.",
            lambda n0, alpha, gap: (1 - _below(n0, alpha, twice=1.0), 1 + gap),
        ),
        Mistake(
            "α is missing: the wider her intervals, the worse arm 1 has to look.",
            lambda n0, alpha, gap: (1 - _below(n0, 1.0), 1 + gap),
        ),
        Mistake(
            "b is counted from 0; it is how far arm 1 is below arm 2, whose mean is 1.",
            lambda n0, alpha, gap: (-_below(n0, alpha), 1 + gap),
        ),
        Mistake(
            "b is counted from the best arm of ν'; it is how far arm 1 is below arm 2.",
            lambda n0, alpha, gap: (1 + gap - _below(n0, alpha), 1 + gap),
        ),
        Mistake(
            "the gap is counted from 0: under ν' arm 1 is better than arm 2 by it.",
            lambda n0, alpha, gap: (1 - _below(n0, alpha), gap),
        ),
        Mistake(
            "arm 1 is above arm 2 under both: the sign of b is wrong.",
            lambda n0, alpha, gap: (1 + _below(n0, alpha), 1 + gap),
        ),
        Mistake(
            "only the first part of b is there.",
            lambda n0, alpha, gap: (
                1 - math.sqrt(2 * alpha * math.log(n0)) * (1 + 1 / math.sqrt(n0 - 1)),
                1 + gap,
            ),
        ),
    ],
)

EXERCISES: tuple[Exercise, ...] = (SLOPE, ERROR_BOUND, FIRST_ARM, POSTERIOR, ENOUGH)
"""In the order in which they are asked."""

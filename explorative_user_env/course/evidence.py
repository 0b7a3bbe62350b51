"""Two exercises of notebook 5: what a history says of a user, and what runs say of an N_1."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats
from scipy.special import ndtr

from explorative_user_env.course.exercises import Exercise, Mistake
from explorative_user_env.results.intervals import LEVEL, proportion_interval

FROM_NU = 0.5
"""P[B]: under nu, arm 1's first reward is below its mean."""


def _posterior(d: float, prior: float) -> float:
    likely, rival = prior * ndtr(-d), (1.0 - prior) * FROM_NU
    return float(likely / (likely + rival))


POSTERIOR = Exercise(
    number="5.4",
    asks="a function of d and prior that returns the probability of ν' after so low a reward",
    right=_posterior,
    cases=[(1.0, 0.5), (2.0, 0.5), (2.8, 0.9), (3.0, 0.1), (4.0, 0.999)],
    shows="so low a reward makes ν' unlikely, not impossible: who answers arm 2 errs so often.",
    mistakes=[
        Mistake(
            "that is how likely so low a reward is for a user of ν'. It asks for the other way "
            "round: how likely ν' is for a user who had it.",
            lambda d, prior: ndtr(-d),
        ),
        Mistake(
            "that is the likelihood ratio; a probability weighs it with how many users of each "
            "kind there are.",
            lambda d, prior: ndtr(-d) / FROM_NU,
        ),
        Mistake(
            "it is right where half of the users are of each kind only: the prior is missing.",
            lambda d, prior: _posterior(d, 0.5),
        ),
        Mistake(
            "these are the odds of ν' against ν: a probability divides by the sum of both.",
            lambda d, prior: prior * ndtr(-d) / ((1 - prior) * FROM_NU),
        ),
        Mistake(
            "it takes so low a reward for certain under ν, but there, too, half of the users have "
            "a first reward above the mean.",
            lambda d, prior: prior * ndtr(-d) / (prior * ndtr(-d) + 1 - prior),
        ),
        Mistake(
            "the sign of d is wrong: under ν' a first reward so low is rare.",
            lambda d, prior: _posterior(-d, prior),
        ),
        Mistake(
            "there is a density where the probability of all that lies below should be.",
            lambda d, prior: (
                prior * stats.norm.pdf(d) / (prior * stats.norm.pdf(d) + (1 - prior) * FROM_NU)
            ),
        ),
        Mistake(
            "that is the probability of ν, not of ν'.",
            lambda d, prior: 1 - _posterior(d, prior),
        ),
        Mistake(
            "that is the prior: so low a reward does say something.",
            lambda d, prior: prior,
        ),
    ],
)

WrongRuns = Sequence[int]


def _least(
    claims: Callable[[int, int, float], bool],
) -> Callable[[WrongRuns, WrongRuns, int, float], int | None]:
    """Return what finds the least N_1 of which something is claimed of its wrong runs."""

    def enough(n1s: WrongRuns, wrong: WrongRuns, n_runs: int, delta: float) -> int | None:
        pairs = zip(n1s, wrong, strict=True)
        return min((n1 for n1, count in pairs if claims(count, n_runs, delta)), default=None)

    return enough


def _at_most(count: int, n: int, level: float) -> float:
    """Return the upper end of an exact interval for the probability of a wrong run."""
    return proportion_interval(count, n, level)[1]


def _is_enough(count: int, n: int, delta: float) -> bool:
    # Of an interval of 90% each side is missed with 5%: its upper end is a one-sided bound of 95%.
    return _at_most(count, n, 2 * LEVEL - 1) <= delta


def _by_normal(count: int, n: int, delta: float) -> bool:
    share = count / n
    return bool(share + stats.norm.ppf(LEVEL) * np.sqrt(share * (1 - share) / n) <= delta)


def _not_refuted(count: int, n: int, delta: float) -> bool:
    return proportion_interval(count, n, 2 * LEVEL - 1)[0] <= delta


_right = _least(_is_enough)

ENOUGH = Exercise(
    number="5.5",
    asks="a function of n1s, wrong, n_runs and delta that returns the least N_1 that is enough",
    right=_right,
    cases=[
        ([1, 10, 30, 100], [40, 11, 7, 3], 300, 0.05),
        ([1, 10, 30, 100], [24, 9, 8, 3], 300, 0.05),
        ([5, 50, 500], [30, 12, 0], 200, 0.1),
        ([5, 50, 500], [3, 0, 0], 20, 0.1),
        ([2, 20, 200], [2, 0, 0], 1000, 0.003),
        ([4, 40, 400], [5, 4, 0], 2000, 0.004),
        ([3, 30], [199, 2], 200, 0.05),
    ],
    shows="twenty runs without an error prove little, three hundred prove a δ of 0.01.",
    mistakes=[
        Mistake(
            "it trusts the share of wrong runs as it is: with other users it may be larger. Take "
            "the upper end of an interval.",
            _least(lambda count, n, delta: count / n <= delta),
        ),
        Mistake(
            "that interval is two-sided: half of the 5% is spent on being wrong the other way, "
            "which hurts nobody here.",
            _least(lambda count, n, delta: _at_most(count, n, LEVEL) <= delta),
        ),
        Mistake(
            "the normal approximation says that no wrong run means no error at all; the exact "
            "interval does not.",
            _least(_by_normal),
        ),
        Mistake(
            "it takes every N_1 that is not proved bad. What is wanted is one that is proved good: "
            "the other end of the interval.",
            _least(_not_refuted),
        ),
        Mistake(
            "it returns the largest N_1 that is enough: the least is wanted.",
            lambda n1s, wrong, n_runs, delta: max(
                (n1 for n1, c in zip(n1s, wrong, strict=True) if _is_enough(c, n_runs, delta)),
                default=None,
            ),
        ),
        Mistake(
            "it returns where N_1 stands in the list, not N_1.",
            lambda n1s, wrong, n_runs, delta: (
                None
                if (found := _right(n1s, wrong, n_runs, delta)) is None
                else list(n1s).index(found)
            ),
        ),
        Mistake(
            "these are bounds of 90%: that is the level of a two-sided interval whose upper end is "
            "a bound of 95%.",
            _least(lambda count, n, delta: _at_most(count, n, 4 * LEVEL - 3) <= delta),
        ),
        Mistake(
            "the counts of wrong runs are taken for counts of right ones.",
            _least(lambda count, n, delta: _is_enough(n - count, n, delta)),
        ),
    ],
)

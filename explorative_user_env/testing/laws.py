"""Whether a law of rewards has the means it is asked for, and is no wider than the paper asks."""

import math
from collections.abc import Iterator

import numpy as np

from explorative_user_env.population import Population
from explorative_user_env.testing.agent_secrets import FALSE_ALARM
from explorative_user_env.testing.checks import FailedCheckError, Subject
from explorative_user_env.testing.compiled_paths import expect_compiled_users
from explorative_user_env.testing.surroundings import other_surroundings, shared_streams
from explorative_user_env.users.reward_laws import RewardLaw
from explorative_user_env.validation import is_real

DRAWN_REWARDS = 20_000
"""Rewards of each mean."""

TRIED_MEANS = (-2.0, -0.5, 0.0, 0.3, 0.7, 1.5, 4.0)
"""Means that are tried, of those that the law allows; the ends of its range are tried as well."""


def draws_finite_numbers(subject: Subject) -> None:
    """Every reward is a finite number."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        rng = np.random.default_rng(subject.seed)
        for place in range(DRAWN_REWARDS // 10):
            reward = law(mean, rng)
            is_number = is_real(reward) or isinstance(reward, bool | np.bool_)
            if not is_number or not math.isfinite(reward):
                told = f"draw {place + 1} around mean {mean:g} is {reward!r}"
                raise FailedCheckError(f"{told}, must be a finite number (seed {subject.seed})")


def has_the_mean_it_is_asked_for(subject: Subject) -> None:
    """The average of many rewards is within the interval of a law that is sub-Gaussian about it."""
    law: RewardLaw = subject.make()
    means = _means(law)
    # Hoeffding: off by x with probability at most 2 exp(-n x^2 / 2).
    width = math.sqrt(2.0 * math.log(2.0 * len(means) / FALSE_ALARM) / DRAWN_REWARDS)
    for mean in means:
        average = float(_rewards(law, mean, subject.seed).mean())
        if abs(average - mean) > width:
            raise FailedCheckError(
                f"the average of {DRAWN_REWARDS} rewards is {average:.4g}, must be within "
                f"{width:.2g} of the mean {mean:g}, as with probability 1 - {FALSE_ALARM:g} "
                f"(seed {subject.seed})"
            )


def has_variance_at_most_one(subject: Subject) -> None:
    """The variance of rewards is at most 1, as of what is sub-Gaussian with parameter 1."""
    law: RewardLaw = subject.make()
    means = _means(law)
    most = _largest_average_of_squares(FALSE_ALARM / len(means))
    for mean in means:
        variance = float(((_rewards(law, mean, subject.seed) - mean) ** 2).mean())
        if variance > most:
            raise FailedCheckError(
                f"the average of (reward - mean)^2 is {variance:.4g} around mean {mean:g}, must be "
                f"at most {most:.3g}, as with probability 1 - {FALSE_ALARM:g} if the law is "
                f"sub-Gaussian with parameter 1 (seed {subject.seed})"
            )


def _largest_average_of_squares(chance: float) -> float:
    """Return what the average square exceeds with at most this probability.

    The square of what is sub-Gaussian with parameter 1 has no larger exponential moments than that
    of a normal: P(average >= 1 + x) <= exp(-n (x - log(1 + x)) / 2).
    """
    low, high = 0.0, 10.0
    for _ in range(60):
        x = (low + high) / 2.0
        if DRAWN_REWARDS * (x - math.log1p(x)) / 2.0 < -math.log(chance):
            low = x
        else:
            high = x
    return 1.0 + high


def draws_from_its_stream_alone(subject: Subject) -> None:
    """The same stream gives the same rewards, whatever was drawn before and whatever else is."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        before = shared_streams()
        wanted = _rewards(law, mean, subject.seed, 200)
        if shared_streams() != before:
            raise FailedCheckError(f"it drew from random, numpy.random or torch (mean {mean:g})")
        with other_surroundings(1):
            found = _rewards(law, mean, subject.seed, 200)
        if not np.array_equal(found, wanted):
            place = int(np.flatnonzero(found != wanted)[0])
            told = f"draw {place + 1} around mean {mean:g} is {wanted[place]} and then"
            raise FailedCheckError(f"{told} {found[place]} with the same stream")


def compiled_law_is_plain(subject: Subject) -> None:
    """Users who draw from it in compiled code are those in plain Python, to the bit."""
    law: RewardLaw = subject.make()
    low, high = law.range_of_means
    inside = [mean for mean in (0.05, 0.25, 0.45, 0.85) if low <= mean <= high]
    inside = inside if len(inside) > 1 else [*_means(law)]
    users = Population(
        n_arms=len(inside), means=tuple(inside), reward_law=law, alpha=0.1, noise=0.1
    )
    expect_compiled_users(users, subject.seed)


def _means(law: RewardLaw) -> list[float]:
    low, high = law.range_of_means
    ends = {end for end in (low, high) if math.isfinite(end)}
    between = {(low + high) / 2.0} if len(ends) == 2 else set()
    return sorted({mean for mean in TRIED_MEANS if low <= mean <= high} | ends | between)


def _rewards(law: RewardLaw, mean: float, seed: int, n_draws: int = DRAWN_REWARDS) -> np.ndarray:
    return np.fromiter(_drawn(law, mean, seed, n_draws), float, n_draws)


def _drawn(law: RewardLaw, mean: float, seed: int, n_draws: int) -> Iterator[float]:
    rng = np.random.default_rng(seed)
    for _ in range(n_draws):
        yield float(law(mean, rng))

"""What a response leaves behind: counts, means and intervals, noise, and the reward learned."""

import copy
import math
from collections.abc import Callable

import numpy as np
import pytest
from one_user import bounds, new_user
from scipy import stats

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import UserState
from explorative_user_env.users.population import PRINTED, RELEASED, Setting

GOOD, BAD = 0, 1


def play_to_a_rejection(setting: Setting) -> tuple[UserState, UserState, Callable[..., float]]:
    """Return her state before and after, and what gives the rho_t of a state."""
    user, state, rule, rng = new_user(setting, [5.0, -5.0])
    for _ in range(50):
        before = copy.deepcopy(state)
        if not rules.respond(user, state, rule, BAD, rng):
            return before, state, lambda state: rules.rho(user, state, rule)
        rules.respond(user, state, rule, GOOD, rng)
    raise AssertionError("the bad arm was never rejected")


def test_a_rejection_moves_the_intervals_but_no_mean() -> None:
    before, after, rho = play_to_a_rejection(PRINTED)
    n, t = before.acceptances[0], before.interactions[0]
    assert (after.acceptances[0], after.interactions[0]) == (n, t + 1)
    assert (after.estimates, after.counts) == (before.estimates, before.counts)
    assert rho(after) == pytest.approx(1 + n / (t + 1))
    assert rho(after) < rho(before)
    (old_lower, old_upper), (lower, upper) = bounds(before), bounds(after)
    for arm in (GOOD, BAD):
        assert old_lower[arm] < lower[arm] < upper[arm] < old_upper[arm]


def test_a_rejection_moves_only_t_in_the_released_code() -> None:
    before, after, rho = play_to_a_rejection(RELEASED)
    assert after.interactions[0] == before.interactions[0] + 1
    assert after.acceptances == before.acceptances
    assert (after.estimates, after.counts) == (before.estimates, before.counts)
    assert (rho(after), after.spread) == (rho(before), before.spread)
    assert bounds(after) == bounds(before)


def test_a_rejection_brings_no_reward(setting: Setting) -> None:
    _, after, _ = play_to_a_rejection(setting)
    assert after.reward == [0.0]


def acceptance_frequency(setting: Setting, arm: int, noise: float, steps: int) -> float:
    user, state, rule, rng = new_user(setting, [100.0, -100.0], seed=7, noise=noise)
    for each in (GOOD, BAD):  # both are known before the count begins
        while state.counts[each] == 0 or state.acceptances[0] < 2:
            rules.respond(user, state, rule, each, rng)
    assert rules.rejects(user, state, BAD)
    return sum(rules.respond(user, state, rule, arm, rng) for _ in range(steps)) / steps


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_noise_p_accepts_a_bad_arm_with_p_half_and_a_good_one_with_one_minus_p_half(
    setting: Setting, noise: float
) -> None:
    steps = 10_000
    margin = 4.0 * math.sqrt(noise / 2 * (1 - noise / 2) / steps)
    bad = acceptance_frequency(setting, BAD, noise, steps)
    good = acceptance_frequency(setting, GOOD, noise, steps)
    assert noise / 2 - margin <= bad <= noise / 2 + margin
    assert 1 - noise / 2 - margin <= good <= 1 - noise / 2 + margin


def test_rewards_are_normal_around_the_mean_with_variance_one(setting: Setting) -> None:
    mean, n = 3.0, 10_000
    user, state, rule, rng = new_user(setting, [mean, -50.0], seed=11)
    sums = [state.counts[0] * state.estimates[0]]
    for _ in range(n):
        assert rules.respond(user, state, rule, GOOD, rng)
        sums.append(state.counts[0] * state.estimates[0])
    rewards = np.diff(sums)
    assert abs(rewards.mean() - mean) < 4 / math.sqrt(n)
    assert abs(rewards.var() - 1.0) < 4 * math.sqrt(2 / n)
    assert stats.kstest(rewards - mean, "norm").pvalue > 0.001


def test_the_reward_kept_is_the_one_learned_from(setting: Setting) -> None:
    user, state, rule, rng = new_user(setting, [1.0, 0.0], seed=2)
    first = state.counts[0] * state.estimates[0]
    rewards = []
    for _ in range(20):
        rules.respond(user, state, rule, 0, rng)
        rewards.append(state.reward[0])
    assert state.estimates[0] == pytest.approx((first + sum(rewards)) / state.counts[0])

"""The user by hand: how she starts and decides, and what a response leaves behind."""

import copy
import math
from collections.abc import Callable
from dataclasses import asdict, fields, replace

import numpy as np
import pytest
from one_user import at_random, bounds, converse, gamma, hand_made, new_user
from scipy import stats

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.users import model as rules
from explorative_user_env.users.hidden_state import witness_of
from explorative_user_env.users.model import UserState
from explorative_user_env.users.population import PRINTED, RELEASED, Setting

GOOD, BAD = 0, 1


@pytest.mark.parametrize(
    ("estimates", "counts", "spread", "rejected"),
    [
        ([3.0, 0.0], [4, 4], 2.0, [False, True]),  # intervals of radius 1
        ([1.9, 0.0], [4, 4], 2.0, [False, False]),
        ([2.0, 0.0], [4, 4], 2.0, [False, None]),  # they touch: it is up to the setting
        ([1.0, 1.0, 0.0], [2, 3, 1], 0.0, [None, None, True]),
        ([1.0, 0.5], [2, 3], 0.0, [False, True]),
        ([50.0, 0.0], [10**6, 0], 0.0, [False, False]),  # an arm without a reward
        ([50.0, 0.0], [10**6, 0], 2.0, [False, False]),
    ],
)
def test_an_arm_is_rejected_if_another_is_clearly_better(
    setting: Setting, estimates: list[float], counts: list[int], spread: float, rejected: list[bool]
) -> None:
    user, state = hand_made(setting, estimates, counts, spread)
    for arm in (0, 1, *range(len(estimates))):
        expected = setting.rejects_ties if rejected[arm] is None else rejected[arm]
        assert rules.rejects(user, state, arm) is expected


# Her start


def test_gamma_is_zero_and_not_minus_infinity_while_nothing_is_accepted() -> None:
    user, state, rule, rng = new_user(PRINTED, [0.0, 1.0], seed=1, noise=1.0)
    assert bounds(state) == ([-math.inf] * 2, [math.inf] * 2)
    while rules.respond(user, state, rule, 0, rng):  # find a user whose first answer is no
        rules.start(user, state, rng)
    assert (state.acceptances[0], state.interactions[0]) == (0, 1)
    assert gamma(state) == 0.0
    assert rules.rho(user, state, rule) == 1.0


def test_private_draws_are_in_n_i_and_in_the_mean_but_not_in_n_t() -> None:
    for n, seed in ((1, 3), (3, 5)):
        user, state, rule, _ = new_user(replace(RELEASED, private_draws=n), [5.0, -5.0], seed)
        draws = np.array([5.0, -5.0]) + np.random.default_rng(seed).standard_normal((n, 2))
        assert state.counts == [n, n]
        assert state.estimates == pytest.approx(draws.mean(axis=0).tolist())
        assert (state.acceptances[0], state.interactions[0]) == (0, 0)
        # Before any response rho_t is as if all were accepted, 2, and n(t) counts as 1.
        assert rules.rho(user, state, rule) == 2.0
        assert gamma(state) == pytest.approx(2 * math.log(2))


def test_a_new_start_forgets_the_last_user(setting: Setting) -> None:
    means = [0.0, 1.0, 0.5]
    user, state, rule, rng = new_user(setting, means)
    _, fresh, *_ = new_user(setting, means, seed=8)
    converse(at_random(means, rng), lambda arm: rules.respond(user, state, rule, arm, rng), 200)
    rules.respond(user, state, rule, 1, rng)  # accepted, so that there is a reward
    never_the_same = {field.name for field in fields(state)}
    never_the_same -= {"means", "witness", "logarithms", "inverse_roots"}
    old, new = asdict(state), asdict(fresh)
    assert {name for name in never_the_same if old[name] == new[name]} == set()
    state.witness[0] = 2
    rules.start(user, state, np.random.default_rng(8))
    assert state == fresh


# What a response leaves behind


def play_to_a_rejection(setting: Setting) -> tuple[UserState, UserState, Callable[..., float]]:
    """Return her state before and after, and what gives the rho_t of a state."""
    user, state, rule, rng = new_user(setting, [5.0, -5.0])
    for _ in range(50):
        before = copy.deepcopy(state)
        if not rules.respond(user, state, rule, BAD, rng):
            return before, state, lambda state: rules.rho(user, state, rule)
        rules.respond(user, state, rule, GOOD, rng)
    raise AssertionError("the bad arm was never rejected")


def test_a_rejection_brings_no_reward_and_moves_the_intervals_in_the_printed_text_alone(
    setting: Setting,
) -> None:
    before, after, rho = play_to_a_rejection(setting)
    n, t = before.acceptances[0], before.interactions[0]
    assert (after.acceptances[0], after.interactions[0]) == (n, t + 1)
    assert (after.estimates, after.counts) == (before.estimates, before.counts)
    assert after.reward == [0.0]
    if setting == RELEASED:
        assert (rho(after), after.spread) == (rho(before), before.spread)
        return
    assert rho(after) == pytest.approx(1 + n / (t + 1))
    assert rho(after) < rho(before)
    (old_lower, old_upper), (lower, upper) = bounds(before), bounds(after)
    for arm in (GOOD, BAD):
        assert old_lower[arm] < lower[arm] < upper[arm] < old_upper[arm]


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_noise_p_accepts_a_bad_arm_with_p_half_and_a_good_one_with_one_minus_p_half(
    setting: Setting, noise: float
) -> None:
    for arm, share in ((BAD, noise / 2), (GOOD, 1 - noise / 2)):
        user, state, rule, rng = new_user(setting, [100.0, -100.0], seed=7, noise=noise)
        for each in (GOOD, BAD):  # both are known before the count begins
            while state.counts[each] == 0 or state.acceptances[0] < 2:
                rules.respond(user, state, rule, each, rng)
        accepted = sum(rules.respond(user, state, rule, arm, rng) for _ in range(10_000))
        assert abs(accepted / 10_000 - share) <= 4.0 * math.sqrt(share * (1 - share) / 10_000)


def test_rewards_are_normal_around_the_mean_with_variance_one_and_are_kept(
    setting: Setting,
) -> None:
    mean, n = 3.0, 10_000
    user, state, rule, rng = new_user(setting, [mean, -50.0], seed=11)
    sums, kept = [state.counts[0] * state.estimates[0]], []
    for _ in range(n):
        assert rules.respond(user, state, rule, GOOD, rng)
        sums.append(state.counts[0] * state.estimates[0])
        kept.append(state.reward[0])
    rewards = np.diff(sums)
    assert rewards == pytest.approx(kept, abs=1e-9)
    assert abs(rewards.mean() - mean) < 4 / math.sqrt(n)
    assert abs(rewards.var() - 1.0) < 4 * math.sqrt(2 / n)
    assert stats.kstest(rewards - mean, "norm").pvalue > 0.001


# Who stands against a recommended arm


@pytest.mark.parametrize(
    "users",
    [
        {"n_arms": 2, "gap": 2.0},
        {"n_arms": 30, "gap": 2.0},
        # Rewards of 0 and 1 and intervals of no width: empirical means tie all the time.
        {"n_arms": 4, "gap": 0.1, "reward_law": "bernoulli", "alpha": 1e-40},
    ],
)
def test_she_rejects_if_and_only_if_there_is_a_witness(
    setting: Setting, users: dict[str, object]
) -> None:
    env = ExplorativeUserEnv(setting=setting, **users)  # type: ignore[arg-type]
    n_arms, rejected, ties = env.population.n_arms, 0, 0
    for seed in range(20):
        env.reset(seed=seed)
        for arm in np.random.default_rng(seed).integers(n_arms, size=8 * n_arms).tolist():
            decided = env.hidden_state()
            response, *_ = env.step(arm)
            witness, lower = witness_of(decided, arm), decided.lower_bounds
            assert (response == 0) == (witness is not None)
            rivals = [low for other, low in enumerate(lower) if other != arm]
            ties += max(rivals) == decided.upper_bounds[arm]
            if witness is not None:
                rejected += 1
                assert witness != arm
                assert lower[witness] == max(rivals) >= decided.upper_bounds[arm]
    assert rejected > 5
    assert ties > 5 or n_arms != 4

"""The user by hand and beside a slow and plain one: the same decisions, counts and intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_user import PLAYS, at_random, bounds, converse, gamma, hand_made, new_user
from reference_user import ReferenceUser

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.users import model as rules
from explorative_user_env.users.hidden_state import witness_of
from explorative_user_env.users.population import SETTINGS


@pytest.mark.parametrize(
    ("estimates", "counts", "spread", "rejected"),
    [
        ([3.0, 0.0], [4, 4], 2.0, [False, True]),  # intervals of radius 1
        ([1.9, 0.0], [4, 4], 2.0, [False, False]),
        ([2.0, 0.0], [4, 4], 2.0, [False, None]),  # they touch: it is up to the setting
        ([1.0, 1.0, 0.0], [2, 3, 1], 0.0, [None, None, True]),
        ([50.0, 0.0], [10**6, 0], 2.0, [False, False]),  # an arm without a reward
    ],
)
def test_an_arm_is_rejected_if_another_is_clearly_better(
    setting, estimates, counts, spread, rejected
):
    user, state = hand_made(setting, estimates, counts, spread)
    for arm in (0, 1, *range(len(estimates))):
        expected = setting.rejects_ties if rejected[arm] is None else rejected[arm]
        assert rules.rejects(user, state, arm) is expected


def test_a_new_start_forgets_the_last_user(setting):
    means = [0.0, 1.0, 0.5]
    user, state, rule, rng = new_user(setting, means)
    _, fresh, *_ = new_user(setting, means, seed=8)
    converse(at_random(means, rng), lambda arm: rules.respond(user, state, rule, arm, rng), 200)
    rules.respond(user, state, rule, 1, rng)  # accepted, so that there is a reward
    state.witness[0] = 2
    rules.start(user, state, np.random.default_rng(8))
    assert state == fresh


@pytest.mark.parametrize(
    "users",
    [
        {"n_arms": 2, "gap": 2.0},
        {"n_arms": 30, "gap": 2.0},
        # Rewards of 0 and 1 and intervals of no width: empirical means tie all the time.
        {"n_arms": 4, "gap": 0.1, "reward_law": "bernoulli", "alpha": 1e-40},
    ],
)
def test_she_rejects_if_and_only_if_there_is_a_witness(setting, users):
    env = ExplorativeUserEnv(setting=setting, **users)
    n_arms, rejected, ties = env.population.n_arms, 0, 0
    for seed in range(10):
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


def close(found, expected):
    """Sums in another order and another library's logarithm: alike but for rounding."""
    return np.allclose(found, expected, rtol=1e-10, atol=1e-10)


def assert_agrees(user, state, rule, reference):
    assert state.counts == reference.counts.tolist()
    assert (state.acceptances[0], state.interactions[0]) == (reference.n, reference.t)
    logarithm = rules.log_confidence(user, state, rule)
    found = [rules.rho(user, state, rule), gamma(state), max(0.0, 2 * user.alpha * logarithm)]
    assert close(found, [reference.rho, reference.gamma, reference.gamma])
    assert close(state.estimates, reference.estimates.tolist())
    for bound, expected in zip(bounds(state), reference.intervals(), strict=True):
        assert close(bound, expected.tolist())


@given(
    setting=st.sampled_from(sorted(SETTINGS)),
    play=st.sampled_from(PLAYS),
    means=st.lists(st.floats(-5, 5), min_size=2, max_size=6),
    alpha=st.floats(0.05, 5.0),
    noise=st.sampled_from([0.0, 0.0, 0.1, 1.0]),
    rho=st.sampled_from([None, None, 0.05, 0.5, 1.0, 3.0]),
    seed=st.integers(0, 2**32),
)
def test_she_decides_as_the_text_says_whatever_is_recommended(
    setting, play, means, alpha, noise, rho, seed
):
    user, state, rule, rng = new_user(SETTINGS[setting], means, seed, alpha, noise, rho)
    reference = ReferenceUser(means, alpha, noise, setting == "released", seed, rho)

    def respond(arm):
        assert_agrees(user, state, rule, reference)
        accepted = rules.respond(user, state, rule, arm, rng)
        assert accepted == reference.respond(arm)
        assert state.reward[0] == (reference.rewards[arm][-1] if accepted else 0.0)
        return accepted

    converse(play(means, np.random.default_rng(seed + 1)), respond, 40)
    assert_agrees(user, state, rule, reference)

"""The user's decision by hand, and what she is when she starts."""

import math
from dataclasses import asdict, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_user import PLAYS, Play, at_random, bounds, converse, gamma, hand_made, new_user

from explorative_user_env.users import model as rules
from explorative_user_env.users.population import PRINTED, RELEASED, SETTINGS, Setting

GOOD, BAD = 0, 1


def test_a_clearly_worse_arm_is_rejected_and_the_better_one_accepted(setting: Setting) -> None:
    user, state = hand_made(setting, [3.0, 0.0], [4, 4], spread=2.0)  # intervals of radius 1
    assert rules.rejects(user, state, BAD)
    assert not rules.rejects(user, state, GOOD)


def test_overlapping_intervals_reject_nobody(setting: Setting) -> None:
    user, state = hand_made(setting, [1.9, 0.0], [4, 4], spread=2.0)
    assert not rules.rejects(user, state, BAD)
    assert not rules.rejects(user, state, GOOD)


def test_touching_intervals_reject_in_the_text_and_not_in_the_released_code() -> None:
    for setting, rejected in ((PRINTED, True), (RELEASED, False)):
        user, state = hand_made(setting, [2.0, 0.0], [4, 4], spread=2.0)
        assert rules.rejects(user, state, BAD) is rejected
        assert not rules.rejects(user, state, GOOD)


def test_two_equal_top_arms_reject_each_other_at_gamma_zero_only_if_ties_reject() -> None:
    for setting, rejected in ((PRINTED, True), (RELEASED, False)):
        user, state = hand_made(setting, [1.0, 1.0, 0.0], [2, 3, 1], spread=0.0)
        assert [rules.rejects(user, state, arm) for arm in (0, 1, 1, 0)] == [rejected] * 4
        assert rules.rejects(user, state, 2)


def test_a_single_top_arm_is_accepted_at_gamma_zero(setting: Setting) -> None:
    user, state = hand_made(setting, [1.0, 0.5], [2, 3], spread=0.0)
    assert not rules.rejects(user, state, GOOD)
    assert rules.rejects(user, state, BAD)


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_an_unseen_arm_has_an_infinite_interval_by_rule(setting: Setting, spread: float) -> None:
    user, state = hand_made(setting, [50.0, 0.0], [10**6, 0], spread)
    assert (rules.lcb(state, 1), rules.ucb(state, 1)) == (-math.inf, math.inf)
    assert not rules.rejects(user, state, 1)
    assert not rules.rejects(user, state, 0)


@given(
    play=st.sampled_from(PLAYS),
    means=st.lists(st.floats(-5, 5), min_size=2, max_size=6),
    alpha=st.floats(0.05, 5.0),
    seed=st.integers(0, 2**32),
)
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_arm_of_largest_lcb_is_never_rejected_while_gamma_is_positive(
    name: str, play: Play, means: list[float], alpha: float, seed: int
) -> None:
    user, state, rule, rng = new_user(SETTINGS[name], means, seed, alpha)
    gammas: list[float] = []

    def respond(arm: int) -> bool:
        gammas.append(gamma(state))
        if gammas[-1] > 0.0:
            lower, _ = bounds(state)
            assert not rules.rejects(user, state, lower.index(max(lower)))
        return rules.respond(user, state, rule, arm, rng)

    converse(play(means, np.random.default_rng(seed)), respond, 60)
    # Her first answer is yes, and from then on rho_t n(t) = n (1 + n/t) > 1.
    assert min(gammas[1:]) > 0.0


# Her start


def test_before_any_acceptance_every_arm_is_unseen_and_gamma_is_zero() -> None:
    user, state, *_ = new_user(PRINTED, [0.0, 1.0, 2.0])
    assert gamma(state) == 0.0
    assert state.counts == [0, 0, 0]
    assert bounds(state) == ([-math.inf] * 3, [math.inf] * 3)
    assert not any(rules.rejects(user, state, arm) for arm in range(3))


def test_gamma_is_zero_and_not_minus_infinity_while_nothing_is_accepted() -> None:
    user, state, rule, rng = new_user(PRINTED, [0.0, 1.0], seed=1, noise=1.0)
    while rules.respond(user, state, rule, 0, rng):  # find a user whose first answer is no
        rules.start(user, state, rng)
    assert (state.acceptances[0], state.interactions[0]) == (0, 1)
    assert gamma(state) == 0.0
    assert rules.rho(user, state, rule) == 1.0


def test_private_draws_are_in_n_i_and_in_the_mean_but_not_in_n_t() -> None:
    user, state, rule, _ = new_user(RELEASED, [5.0, -5.0], seed=3)
    expected = np.array([5.0, -5.0]) + np.random.default_rng(3).standard_normal(2)
    assert state.counts == [1, 1]
    assert state.estimates == pytest.approx(expected.tolist())
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


def test_more_than_one_private_draw_can_be_asked_for() -> None:
    _, state, *_ = new_user(replace(PRINTED, private_draws=3), [0.0, 10.0], seed=5)
    draws = np.array([0.0, 10.0]) + np.random.default_rng(5).standard_normal((3, 2))
    assert state.counts == [3, 3]
    assert state.estimates == pytest.approx(draws.mean(axis=0).tolist())

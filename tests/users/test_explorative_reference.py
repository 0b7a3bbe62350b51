"""The user beside a slow and plain one: the same decisions, counts and intervals at every step."""

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_user import PLAYS, Play, at_random, bounds, converse, gamma, new_user
from pairs import pairs
from reference_user import ReferenceUser

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Rule, User, UserState, acceptance_rate_rule
from explorative_user_env.users.population import SETTINGS, Setting


def close(found: Sequence[float], expected: Sequence[float]) -> bool:
    """Sums in another order and another library's logarithm: alike but for rounding."""
    return np.allclose(found, expected, rtol=1e-10, atol=1e-10)


def assert_agrees(user: User, state: UserState, rule: Rule, reference: ReferenceUser) -> None:
    logarithm = rules.log_confidence(user, state, rule)
    assert state.counts == reference.counts.tolist()
    assert (state.acceptances[0], state.interactions[0]) == (reference.n, reference.t)
    assert close([rules.rho(user, state, rule)], [reference.rho])
    assert close([gamma(state)], [reference.gamma])
    assert close([max(0.0, 2 * user.alpha * logarithm)], [reference.gamma])
    assert close(state.estimates, reference.estimates.tolist())
    for found, expected in zip(bounds(state), reference.intervals(), strict=True):
        assert close(found, expected.tolist())


def compare(
    setting: Setting,
    means: Sequence[float],
    alpha: float,
    noise: float,
    seed: int,
    play: Play,
    steps: int,
    rho: float | None = None,
) -> list[bool]:
    user, state, rule, rng = new_user(setting, means, seed, alpha, noise, rho)
    reference = ReferenceUser(means, alpha, noise, setting.name == "released", seed, rho)
    responses: list[bool] = []

    def respond(arm: int) -> bool:
        assert_agrees(user, state, rule, reference)
        responses.append(rules.respond(user, state, rule, arm, rng))
        assert responses[-1] == reference.respond(arm)
        return responses[-1]

    converse(play(means, np.random.default_rng(seed + 1)), respond, steps)
    assert_agrees(user, state, rule, reference)
    return responses


@pairs(noise=[0.0, 0.3], n_arms=[2, 7], alpha=[0.3, 1.0, 2.5])
def test_the_user_decides_as_the_text_says(
    setting: Setting, alpha: float, n_arms: int, noise: float
) -> None:
    means = np.linspace(0.0, 2.0 * n_arms, n_arms).tolist()
    responses = compare(setting, means, alpha, noise, n_arms, at_random, 300)
    assert 20 < sum(responses) < 280  # both answers were put to the test


@pytest.mark.slow
@given(
    setting=st.sampled_from(sorted(SETTINGS)),
    play=st.sampled_from(PLAYS),
    means=st.lists(st.floats(-5, 5), min_size=2, max_size=6),
    alpha=st.floats(0.05, 5.0),
    noise=st.sampled_from([0.0, 0.0, 0.1, 1.0]),
    rho=st.sampled_from([None, None, 0.05, 0.5, 1.0, 3.0]),
    seed=st.integers(0, 2**32),
)
def test_the_user_decides_as_the_text_says_whatever_is_recommended(
    setting: str,
    play: Play,
    means: list[float],
    alpha: float,
    noise: float,
    rho: float | None,
    seed: int,
) -> None:
    compare(SETTINGS[setting], means, alpha, noise, seed, play, 60, rho)


def assert_logarithm_is_of_rho_n(setting: Setting, user: User, state: UserState) -> None:
    """log(rho_t n) in forty digits, with rho_t = 1 + n/t or 1 + (K + n)/(2K + t)."""
    n, t = state.acceptances[0], state.refreshed[0]
    k = user.n_arms if setting.name == "released" else 0
    with localcontext(prec=40):
        expected = float((n * (1 + Decimal(k + n) / (2 * k + t))).ln())
    assert user.counted
    for counted in (True, False):  # either way to compute it has a handful of roundings
        found = rules.log_confidence(replace(user, counted=counted), state, acceptance_rate_rule)
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@given(t=st.integers(1, 10**9), share=st.floats(0, 1), n_arms=st.integers(2, 1000))
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_logarithm_from_counts_is_that_of_rho_times_n(
    name: str, t: int, share: float, n_arms: int
) -> None:
    user, state, *_ = new_user(SETTINGS[name], [0.0] * n_arms)
    state.acceptances[0], state.refreshed[0] = max(1, int(share * t)), t
    assert_logarithm_is_of_rho_n(SETTINGS[name], user, state)

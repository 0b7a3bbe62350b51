"""log(rho_t n(t)) from tables of logarithms of whole numbers, and the intervals that it makes."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import drawn
from one_user import Play, at_random, best_pair, in_turn, new_user, until_rejected

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import User, UserState, acceptance_rate_rule
from explorative_user_env.users.population import SETTINGS, Setting


def in_history(setting: Setting, n_arms: int, n: int, t: int) -> tuple[User, UserState]:
    user, state, *_ = new_user(setting, [0.0] * n_arms)
    state.acceptances[0], state.interactions[0], state.refreshed[0] = n, t, t
    return user, state


def logarithm_by_hand(setting: Setting, n_arms: int, n: int, t: int) -> float:
    """log(rho_t n) in forty digits, with rho_t = 1 + n/t or 1 + (K + n)/(2K + t)."""
    k = n_arms if setting.name == "released" else 0
    with localcontext(prec=40):
        return float((n * (1 + Decimal(k + n) / (2 * k + t))).ln())


def assert_logarithm_is_of_rho_n(setting: Setting, user: User, state: UserState) -> None:
    n, t = state.acceptances[0], state.refreshed[0]
    expected = logarithm_by_hand(setting, user.n_arms, n, t)
    assert user.counted
    # Either way to compute it has a handful of roundings.
    for counted in (True, False):
        found = rules.log_confidence(replace(user, counted=counted), state, acceptance_rate_rule)
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@given(t=st.integers(1, 10**7), share=st.floats(0, 1), n_arms=st.integers(2, 1000))
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_logarithm_from_counts_is_that_of_rho_times_n(
    name: str, t: int, share: float, n_arms: int
) -> None:
    n = max(1, int(share * t))
    assert_logarithm_is_of_rho_n(SETTINGS[name], *in_history(SETTINGS[name], n_arms, n, t))


def test_the_logarithm_from_counts_is_right_at_the_edges(setting: Setting) -> None:
    for n, t in ((1, 1), (1, 2), (2, 2), (1, 10**9), (10**9, 10**9), (4095, 4096), (4096, 4096)):
        assert_logarithm_is_of_rho_n(setting, *in_history(setting, 2, n, t))


@pytest.mark.parametrize("play", [at_random, best_pair, until_rejected, in_turn])
@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_the_intervals_in_play_are_those_of_the_logarithm(
    setting: Setting, play: Play, alpha: float
) -> None:
    means = drawn(5)
    user, state, rule, rng = new_user(setting, means, alpha=alpha)
    arms = play(means, rng)
    arm = next(arms)
    for t in range(6000):  # beyond the tables' end
        arm = arms.send(rules.respond(user, state, rule, arm, rng))
        logarithm = rules.log_confidence(user, state, rule)
        assert state.spread[0] == math.sqrt(2.0 * alpha * logarithm)
        if t % 20 == 0 or t < 50:
            assert_logarithm_is_of_rho_n(setting, user, state)

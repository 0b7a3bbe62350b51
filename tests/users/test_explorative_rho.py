"""Schedules of rho_t in a user's life, and what alpha and rho_t make of Gamma."""

import math

import numpy as np
import pytest
from one_user import gamma, new_user

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Schedule
from explorative_user_env.users.population import PRINTED, Setting


def drifting_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return parameters[0] + parameters[1] * t


@pytest.mark.parametrize(("first", "drift"), [(2.0, -0.4), (1.0, 0.4)])
def test_rho_that_leaves_its_declared_range_is_an_error(first: float, drift: float) -> None:
    drifting = Schedule(drifting_rule, 1.0, 2.0, (first, drift))
    user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], rho=drifting)
    for t in (1, 2):
        rules.respond(user, state, rule, t - 1, rng)
        assert rules.rho(user, state, rule) == pytest.approx(first + drift * t)
    with pytest.raises(ValueError, match=r"rho_t left the range"):
        rules.respond(user, state, rule, 0, rng)


def test_a_custom_schedule_is_given_n_t_and_k() -> None:
    seen: list[tuple[tuple[float, ...], int, int, int]] = []

    def spy(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        seen.append((parameters, n, t, n_arms))
        return 1.5

    user, state, rule, rng = new_user(
        PRINTED, [9.0, 0.0, 0.0], noise=0.5, rho=Schedule(spy, 1.0, 2.0, (3.0, 4.0))
    )
    accepted = [rules.respond(user, state, rule, arm, rng) for arm in (0, 1, 2, 1, 2, 1)]
    n = np.cumsum(accepted).tolist()
    assert seen == [((3.0, 4.0), n[i], i + 1, 3) for i in range(6)]
    assert 0 < n[-1] < 6


def test_a_constant_rho_holds_from_the_start(setting: Setting) -> None:
    user, state, rule, rng = new_user(setting, [1.0, 0.0], alpha=1.0, rho=1.25)
    assert rules.rho(user, state, rule) == 1.25
    for arm in (0, 1, 0, 1):
        rules.respond(user, state, rule, arm, rng)
    assert rules.rho(user, state, rule) == 1.25
    assert gamma(state) == pytest.approx(2 * math.log(1.25 * state.acceptances[0]))


def test_gamma_is_never_negative() -> None:
    user, state, rule, rng = new_user(PRINTED, [1.0, 0.0], rho=0.1)
    rules.respond(user, state, rule, 0, rng)
    assert gamma(state) == 0.0
    assert rules.lcb(state, 0) == rules.ucb(state, 0) == state.estimates[0]


def test_more_willingness_to_explore_widens_the_intervals_by_its_square_root() -> None:
    widths = []
    for alpha in (0.5, 2.0):
        user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], alpha=alpha)
        for arm in (0, 1):
            rules.respond(user, state, rule, arm, rng)
        widths.append(rules.ucb(state, 0) - rules.lcb(state, 0))
    assert widths[1] / widths[0] == pytest.approx(2.0)
    assert widths[0] == pytest.approx(2 * math.sqrt(2 * 0.5 * math.log(4)))

"""Schedules of rho_t: values, names and ranges, and what they make of a user's Gamma."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from one_user import gamma, new_user

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, Schedule, register_schedule
from explorative_user_env.agents import Uniform
from explorative_user_env.users import model as rules
from explorative_user_env.users.model import (
    ACCEPTANCE_RATE,
    SMOOTHED_ACCEPTANCE_RATE,
    acceptance_rate_rule,
    as_schedule,
    constant,
    constant_rule,
)
from explorative_user_env.users.population import PRINTED, RELEASED, Population


def test_a_schedule_has_the_value_of_its_formula() -> None:
    rows = [
        (ACCEPTANCE_RATE, (0, 1, 2), 1.0),
        (ACCEPTANCE_RATE, (1, 2, 9), 1.5),
        (ACCEPTANCE_RATE, (3, 4, 5), 1.75),
        (ACCEPTANCE_RATE, (0, 0, 3), 2.0),
        (SMOOTHED_ACCEPTANCE_RATE, (0, 0, 2), 1.5),
        (SMOOTHED_ACCEPTANCE_RATE, (2, 6, 5), 1.4375),
        (constant(0.7), (2, 6, 5), 0.7),
    ]
    for schedule, counts, rho in rows:
        assert schedule.rule(schedule.parameters, *counts) == rho
        assert schedule.rho_0 <= rho <= schedule.rho_1


def other_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return acceptance_rate_rule(parameters, n, t, n_arms)


def rate(*parameters: float, ends: tuple[float, float] = (1.0, 2.0)) -> Schedule:
    return Schedule(acceptance_rate_rule, *ends, parameters)


@pytest.mark.parametrize(
    ("schedule", "is_counted"),
    [
        (rate(0.0, 0.0), True),
        (rate(1.0, 2.0), True),
        (rate(0.5, 1.5), True),
        (constant(1.5), False),
        (Schedule(other_rule, 1.0, 2.0, (1.0, 2.0)), False),
        (rate(0.125, 2.0), False),  # half an acceptance of 4 arms
        (rate(1.0, 2.1), False),
        (rate(2.0, 1.0, ends=(1.0, 9.0)), False),
        (rate(0.0, math.inf), False),
    ],
)
def test_gamma_is_by_its_rule_whether_or_not_its_logarithm_is_a_sum_from_a_table(
    schedule: Schedule, is_counted: bool
) -> None:
    user, state, rule, rng = new_user(PRINTED, [0.0] * 4, noise=0.5, rho=schedule)
    assert user.counted == is_counted
    for t in range(1, 60):
        rules.respond(user, state, rule, t % 4, rng)
        n = state.acceptances[0]
        rho = schedule.rule(schedule.parameters, n, t, 4)
        assert rules.rho(user, state, rule) == rho
        expected = max(0.0, 2 * math.log(rho * n)) if n else 0.0
        assert gamma(state) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_rho_that_leaves_its_declared_range_is_an_error() -> None:
    for schedule in (
        rate(1.0, 2.0, ends=(1.6, 2.0)),
        rate(1.0, 2.0, ends=(1.0, 1.6)),
        Schedule(lambda parameters, n, t, n_arms: 2.0 - 0.4 * t, 1.0, 2.0),
        Schedule(lambda parameters, n, t, n_arms: 1.0 + 0.4 * t, 1.0, 2.0),
    ):
        user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], noise=0.5, rho=schedule)
        rules.respond(user, state, rule, 0, rng)
        rest = (rules.respond(user, state, rule, t % 2, rng) for t in range(60))
        with pytest.raises(ValueError, match=r"rho_t left the range"):
            list(rest)


def test_a_custom_schedule_is_given_n_t_and_k() -> None:
    seen: list[tuple[tuple[float, ...], int, int, int]] = []

    def spy(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        seen.append((parameters, n, t, n_arms))
        return 1.5

    own = Schedule(spy, 1.0, 2.0, (3.0, 4.0))
    user, state, rule, rng = new_user(PRINTED, [9.0, 0.0, 0.0], noise=0.5, rho=own)
    accepted = [rules.respond(user, state, rule, arm, rng) for arm in (0, 1, 2, 1, 2, 1)]
    n = np.cumsum(accepted).tolist()
    assert seen == [((3.0, 4.0), n[i], i + 1, 3) for i in range(6)]
    assert 0 < n[-1] < 6


def test_a_schedule_is_asked_for_and_called_by_its_name_or_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rules, "_SCHEDULES", dict(rules._SCHEDULES))
    own = Schedule(other_rule, 1.0, 2.0, (0.5, 3.0))
    assert own.title == "other_rule(0.5, 3)"
    for _ in range(2):  # saying it twice does no harm
        register_schedule("own", own)
    with pytest.raises(InvalidArgumentError, match="name must be a name no other schedule has"):
        register_schedule("acceptance_rate", own)
    for name in ("own", "acceptance_rate", "smoothed_acceptance_rate"):
        assert as_schedule(name).title == name
    assert as_schedule("own") is as_schedule(own) is own
    numbers: list[Any] = [2, 2.0, np.float32(2.0), np.int64(2)]
    for number in numbers:
        assert as_schedule(number) == constant(2.0) == Schedule(constant_rule, 2.0, 2.0, (2.0, 0.0))
        assert as_schedule(number).title == "2"


def test_what_is_no_schedule_is_refused() -> None:
    for rho in (0.0, -1.0, math.nan, math.inf, 10**400, "no such rule", None, True, [1.0]):
        with pytest.raises(InvalidArgumentError, match="rho"):
            as_schedule(rho)  # type: ignore[arg-type]
    ends: list[Any] = [(0.0, 1.0), (2.0, 1.0), (1.0, math.inf), (math.nan, 1.0), (True, 2.0)]
    for low, high in [*ends, ("1", 2.0), (1.0, None)]:
        with pytest.raises(InvalidArgumentError, match="rho range"):
            Schedule(constant_rule, low, high)


@pytest.mark.parametrize(("rho", "for_ever"), [(0.2, True), (0.25, False)])
def test_users_who_would_reject_tied_arms_for_ever_are_warned_of(
    rho: float, for_ever: bool
) -> None:
    tied: dict[str, Any] = {"rho": constant(rho), "reward_law": "bernoulli", "n_arms": 5}
    means = (0.1, 0.2, 0.3, 0.4, 0.9)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        users = Population(means=means, **tied)
    assert [f"down to {rho}, users whose 5 arms" in str(each.message) for each in told] == (
        [True] * for_ever
    )
    agent = Uniform(horizon=300)
    facts: dict[str, Any] = {"n_instances": 60, "compiled": False, "progress": False}
    runs = eu.evaluate([agent], population=users, **facts).runs
    assert (runs["acceptances"] < 30).any() == for_ever
    Population(rho=constant(0.2), n_arms=5)  # equal means have probability 0
    Population(setting=RELEASED, **tied)  # rejects only what is clearly worse

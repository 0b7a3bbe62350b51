import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, Schedule, register_schedule
from explorative_user_env.agents import Uniform
from explorative_user_env.users import model as schedules
from explorative_user_env.users.model import (
    ACCEPTANCE_RATE,
    SMOOTHED_ACCEPTANCE_RATE,
    acceptance_rate_rule,
    as_schedule,
    constant,
    constant_rule,
    prior_counts,
)
from explorative_user_env.users.population import RELEASED, Population


def value(schedule: Schedule, n: int, t: int, n_arms: int) -> float:
    return schedule.rule(schedule.parameters, n, t, n_arms)


@pytest.fixture(autouse=True)
def _registry_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "_SCHEDULES", dict(schedules._SCHEDULES))


@pytest.mark.parametrize(
    ("n", "t", "n_arms", "rho"),
    [(0, 1, 2, 1.0), (1, 1, 2, 2.0), (1, 2, 9, 1.5), (3, 4, 5, 1.75), (0, 0, 3, 2.0)],
)
def test_the_acceptance_rate_is_one_plus_n_over_t(n: int, t: int, n_arms: int, rho: float) -> None:
    assert value(ACCEPTANCE_RATE, n, t, n_arms) == rho


@pytest.mark.parametrize(
    ("n", "t", "n_arms", "rho"),
    [(0, 0, 2, 1.5), (1, 1, 2, 1.6), (2, 6, 5, 1.4375), (90, 100, 50, 1.7)],
)
def test_the_smoothed_acceptance_rate_adds_k_acceptances_in_2k_interactions(
    n: int, t: int, n_arms: int, rho: float
) -> None:
    assert value(SMOOTHED_ACCEPTANCE_RATE, n, t, n_arms) == rho


@given(t=st.integers(0, 10**7), share=st.floats(0, 1), n_arms=st.integers(2, 1000))
@pytest.mark.parametrize("schedule", [ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE])
def test_an_acceptance_rate_stays_between_its_declared_one_and_two(
    schedule: Schedule, t: int, share: float, n_arms: int
) -> None:
    assert (schedule.rho_0, schedule.rho_1) == (1.0, 2.0)
    assert 1.0 <= value(schedule, int(share * t), t, n_arms) <= 2.0


@pytest.mark.parametrize(
    ("parameters", "n_arms", "counts"),
    [
        ((0.0, 0.0), 5, (0, 0)),
        ((1.0, 2.0), 5, (5, 10)),
        ((0.5, 1.5), 4, (2, 6)),
        ((2, 2), 3, (6, 6)),
        ((0.0, 3.0, 9.0), 2, (0, 6)),
    ],
)
def test_whole_prior_counts_are_found(
    parameters: tuple[float, ...], n_arms: int, counts: tuple[int, int]
) -> None:
    found = prior_counts(Schedule(acceptance_rate_rule, 1.0, 2.0, parameters), n_arms)
    assert found == counts
    assert found is not None
    for n, t in ((1, 1), (3, 7), (90, 100)):
        expected = acceptance_rate_rule(parameters, n, t, n_arms)
        assert 1 + (n + found[0]) / (t + found[1]) == expected


def other_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return acceptance_rate_rule(parameters, n, t, n_arms)


@pytest.mark.parametrize(
    "schedule",
    [
        constant(1.5),
        Schedule(other_rule, 1.0, 2.0, (1.0, 2.0)),
        Schedule(acceptance_rate_rule, 1.0, 2.0, (0.25, 2.0)),  # 1.25 acceptances of 5 arms
        Schedule(acceptance_rate_rule, 1.0, 2.0, (1.0, 2.1)),
        Schedule(acceptance_rate_rule, 1.0, 2.0, (-1.0, 2.0)),
        Schedule(acceptance_rate_rule, 1.0, 9.0, (2.0, 1.0)),
        Schedule(acceptance_rate_rule, 1.0, 2.0, (0.0, math.inf)),
        Schedule(acceptance_rate_rule, 1.0, 2.0, (math.nan, math.nan)),
        Schedule(acceptance_rate_rule, 1.2, 2.0, (1.0, 2.0)),  # a range to be watched
        Schedule(acceptance_rate_rule, 1.0, 1.8, (1.0, 2.0)),
    ],
)
def test_of_other_schedules_there_are_no_whole_prior_counts(schedule: Schedule) -> None:
    assert prior_counts(schedule, 5) is None


def test_a_constant_is_its_own_range() -> None:
    schedule = constant(0.7)
    assert (schedule.rho_0, schedule.rho_1) == (0.7, 0.7)
    assert {value(schedule, n, 10, 5) for n in range(10)} == {0.7}


@pytest.mark.parametrize("rho", [0.0, -1.0, math.nan, math.inf, 0, -2])
def test_a_constant_must_be_positive_and_finite(rho: float) -> None:
    for make in (constant, as_schedule):
        with pytest.raises(InvalidArgumentError, match=r"rho.*must be .*positive and finite"):
            make(rho)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        *((0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (1.0, math.inf), (math.nan, 1.0), (1.0, math.nan)),
        *((True, 2.0), (0.5, True), ("1", 2.0), (1.0, None)),
    ],
)
def test_a_range_must_be_positive_finite_and_the_right_way_up(low: Any, high: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"rho range .* positive and finite.*got \("):
        Schedule(constant_rule, low, high)


def test_a_schedule_is_asked_for_by_record_name_or_value() -> None:
    own = Schedule(constant_rule, 1.0, 2.0, (1.5,))
    assert as_schedule(own) is own
    assert as_schedule("acceptance_rate") is ACCEPTANCE_RATE
    assert as_schedule("smoothed_acceptance_rate") is SMOOTHED_ACCEPTANCE_RATE
    for rho in (1.5, 2):
        meant = as_schedule(rho)
        assert value(meant, 3, 10, 5) == meant.rho_0 == meant.rho_1 == rho
        assert meant == constant(float(rho))


def test_a_numpy_number_is_a_constants_value() -> None:
    numbers: tuple[Any, ...] = (np.float64(2.0), np.float32(2.0), np.int64(2))
    for number in numbers:
        assert as_schedule(number) == constant(2.0)


def test_a_constant_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"rho.*must be"):
        as_schedule(10**400)


@pytest.mark.parametrize("rho", ["no such rule", None, True, [1.0]])
def test_an_unknown_schedule_is_refused_with_the_names_there_are(rho: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"rho must be .*acceptance_rate.*got"):
        as_schedule(rho)  # type: ignore[arg-type]


def test_a_schedule_is_called_by_its_name_its_value_or_its_rule_and_numbers() -> None:
    assert ACCEPTANCE_RATE.title == "acceptance_rate"
    assert SMOOTHED_ACCEPTANCE_RATE.title == "smoothed_acceptance_rate"
    assert [constant(rho).title for rho in (1.25, 2.0)] == ["1.25", "2"]
    own = Schedule(other_rule, 1.0, 2.0, (0.5, 3.0))
    assert own.title == "other_rule(0.5, 3)"
    register_schedule("own", own)
    assert own.title == "own"


def test_a_registered_schedule_is_asked_for_by_its_name() -> None:
    own = Schedule(constant_rule, 1.0, 2.0, (1.5,))
    register_schedule("own", own)
    register_schedule("own", own)  # saying it twice does no harm
    assert as_schedule("own") is own


def test_a_name_is_not_given_twice() -> None:
    with pytest.raises(InvalidArgumentError, match="name must be a name no other schedule has"):
        register_schedule("acceptance_rate", constant(1.0))
    assert as_schedule("acceptance_rate") is ACCEPTANCE_RATE


def test_users_who_would_reject_tied_arms_for_ever_are_warned_of() -> None:
    told: dict[str, Any] = {"reward_law": "bernoulli", "n_arms": 5}
    with pytest.warns(UserWarning, match=r"rho_t down to 0.2, users whose 5 arms are tied"):
        Population(rho=constant(0.2), **told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Population(rho=constant(0.25), **told)  # Gamma is above 0 by the fifth acceptance
        Population(rho=constant(0.2), n_arms=5)  # equal means have probability 0
        Population(
            rho=constant(0.2), setting=RELEASED, **told
        )  # rejects only what is clearly worse


@pytest.mark.parametrize(("rho", "for_ever"), [(0.2, True), (0.25, False)])
def test_the_warning_is_right(rho: float, for_ever: bool) -> None:
    means = (0.1, 0.2, 0.3, 0.4, 0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        users = Population(means=means, n_arms=5, rho=constant(rho), reward_law="bernoulli")
    agent = Uniform(horizon=500)
    runs = eu.evaluate([agent], population=users, n_instances=100, progress=False).runs
    assert (runs["acceptances"] < 30).any() == for_ever

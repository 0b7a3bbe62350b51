import math
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"gap": 0.0}, "gap must be a finite number above 0, got 0.0"),
        ({"delta": 1.0}, "delta must be a number in (0, 1), got 1.0"),
        ({"alpha": -1.0}, "alpha must be a finite number above 0, got -1.0"),
        ({"noise": 1.5}, "noise must be a number in [0, 1], got 1.5"),
        ({"rho": 0.0}, "rho range must be positive and finite, [rho_0, rho_1], got (0.0, 0.0)"),
        (
            {"means": [0.0, float("nan"), 1.0]},
            "means must be 3 finite numbers, got [0.0, nan, 1.0]",
        ),
        ({"setting": "text"}, "setting must be one of printed, released, got 'text'"),
        ({"workers": 0}, "workers must be an integer of at least 1, got 0"),
        ({"max_steps": 0}, "max_steps must be an integer of at least 1, got 0"),
        ({"n_instances": 0}, "n_instances must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
)
def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(eu.InvalidArgumentError) as error:
        eu.evaluate([BAIR()], **SMALL | wrong)
    assert str(error.value) == message


@pytest.mark.parametrize("step_cost", [-1e-9, math.nan, math.inf])
def test_a_step_cost_below_0_or_not_finite_is_refused(step_cost: float) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="step_cost must be a finite number of at"):
        eu.evaluate([BAIR()], n_instances=2, step_cost=step_cost, progress=False)


PLAYS: dict[str, Any] = {
    "task": "regret",
    "n_arms": 3,
    "n_instances": 11,
    "seed": 5,
    "delta": 0.3,
    "horizon": 300,
    "progress": False,
}


@pytest.mark.parametrize("horizon", [0, -3, 2.5, "BAIR", True])
def test_a_horizon_that_is_no_number_of_steps_is_refused(horizon: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="horizon must be an integer of at least 1"):
        eu.evaluate([BAIR()], **PLAYS | {"horizon": horizon})


def test_regret_is_refused_where_the_best_arm_moves() -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^behaviour must be one whose means stay"):
        eu.evaluate([BAIR()], **PLAYS, behaviour="drifting")


@pytest.mark.parametrize("name", ["baseline_time", "max_steps", "step_cost"])
def test_what_means_nothing_over_a_horizon_is_refused_by_name(name: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=rf"^{name} must be left out for the task re"):
        eu.evaluate([BAIR()], **PLAYS | {name: 30})


@pytest.mark.parametrize("line_up", [[BAIR()], [BAIR(), EXP3(horizon=9)]])
@pytest.mark.parametrize("time", [30, "BAIR"])
def test_a_time_that_no_agent_needs_is_refused(line_up: list[Any], time: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^baseline_time must be left out, as every"):
        eu.evaluate(line_up, baseline_time=time, **SMALL)


def test_a_time_is_not_given_by_its_old_name_as_well() -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^horizon must be left out for"):
        eu.evaluate(["UNI"], horizon=30, baseline_time=30, **SMALL)


def test_a_time_that_nobody_gave_is_asked_for_as_such() -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^baseline_time must be a num.*got None$"):
        eu.evaluate(["UNI"], **SMALL)

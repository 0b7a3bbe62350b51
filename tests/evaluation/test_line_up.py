from typing import Any

import pytest
from toy_agents import tireless

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TrackAndStop, Uniform
from explorative_user_env.users.population import RELEASED

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 25, "seed": 11, "progress": False}


def test_open_options_are_taken_from_the_setting_and_the_user() -> None:
    facts: dict[str, Any] = {"setting": RELEASED, "delta": 0.2, "alpha": 2.0} | SMALL
    open_agent = eu.evaluate(
        [BAIR(), BAIR(name="by hand", delta=0.2, alpha=2.0, n1="proof")], **facts
    )
    both = open_agent.runs.groupby("agent")["stopping_time"].apply(list)
    assert both["BAIR"] == both["by hand"]


def test_a_given_option_wins_over_the_setting() -> None:
    results = eu.evaluate([BAIR(n1=0), BAIR(n1=2000, name="patient")], **SMALL)
    times = results.runs.groupby("agent")["stopping_time"].min()
    assert times["BAIR"] < 2000 <= times["patient"]


@pytest.mark.parametrize("agent", [BAIR(max_steps=10), tireless(max_steps=10)])
@pytest.mark.parametrize(("max_steps", "steps"), [(4, 4), (1000, 10), (None, 10)])
def test_a_cap_is_everyones_and_an_agents_own_may_be_smaller(
    agent: Any, max_steps: int | None, steps: int
) -> None:
    results = eu.evaluate([agent], max_steps=max_steps, **SMALL)
    assert results.runs["censored"].all()
    assert (results.runs["interactions"] == steps).all()
    ((_, options),) = results.cell["agents"].items()
    assert options["max_steps"] == steps


@pytest.mark.parametrize(("max_steps", "cap"), [(100, 100), (30_000, 30_000), (None, 10_000)])
def test_the_settings_cap_holds_where_none_is_given(max_steps: int | None, cap: int) -> None:
    results = eu.evaluate([TrackAndStop()], setting=RELEASED, max_steps=max_steps, **SMALL)
    assert results.cell["agents"]["T&S"]["max_steps"] == cap
    assert results.runs["interactions"].max() <= cap
    if cap == 100:
        assert results.runs["censored"].any()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("max_steps", "steps"),
    [(19, 19), (20, 20), (None, 21), (500, 21)],  # seven passes of three arms
)
def test_uni_is_not_cut_off_by_a_cap_that_leaves_time_for_its_t(
    compiled: bool, max_steps: int | None, steps: int
) -> None:
    line_up = [Uniform(), Uniform(horizon=20, name="own")]
    options: dict[str, Any] = {"setting": RELEASED, "baseline_time": 20, "compiled": compiled}
    runs = eu.evaluate(line_up, max_steps=max_steps, **SMALL | options).runs
    assert (runs["interactions"] == steps).all()
    assert (runs["censored"] == (steps < 20)).all()


def test_names_stand_for_agents_in_any_case() -> None:
    runs = eu.evaluate(["bair", "TAS", "uniform", "Exp3"], **SMALL).runs
    assert list(runs["agent"].unique()) == ["BAIR", "T&S", "UNI", "EXP3"]


@pytest.mark.parametrize(
    ("line_up", "message"),
    [
        ([], "at least one agent"),
        (["bandit"], "agent must be one of"),
        ([BAIR(), BAIR()], "different names"),
        ([Uniform()], "baseline_time must be a number, or an agent of the line-up"),
        ([object()], "agent must be a name or have the methods"),
    ],
)
def test_a_wrong_line_up_is_refused(line_up: list[Any], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate(line_up, **SMALL)


@pytest.mark.parametrize("told", ["UNI", "T&S"])
def test_a_time_is_not_that_of_an_agent_that_needs_one_or_is_not_there(told: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=rf"as UNI needs T, got '{told}'$"):
        eu.evaluate([BAIR(), Uniform()], baseline_time=told, **SMALL)

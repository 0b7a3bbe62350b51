from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.settings import RELEASED

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


@pytest.mark.parametrize("max_steps", [4, 1000])
def test_an_agents_own_cap_wins_over_the_harness(max_steps: int) -> None:
    runs = eu.evaluate([BAIR(max_steps=10)], max_steps=max_steps, **SMALL).runs
    assert runs["censored"].all()
    assert (runs["interactions"] == 10).all()


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
    with pytest.raises(eu.InvalidArgumentError, match=rf"as UNI needs one, got '{told}'$"):
        eu.evaluate([BAIR(), Uniform()], baseline_time=told, **SMALL)

import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.agents import BAIR, SuccessiveElimination
from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import Agent
from explorative_user_env.users.population import Setting

Drive = Callable[..., list[int]]


def test_three_arms_by_hand(drive: Drive) -> None:
    # The pass: 0 accepted, 1 rejected, 2 accepted; nobody is dropped. Then the least accepted arm
    # left, the lower of tied ones: 1 accepted (one each), 0 dropped, 1 accepted, 2 accepted (two
    # each), 1 dropped.
    script = [True, False, True, True, False, True, True, False]
    agent = SuccessiveElimination()
    assert drive(agent, 3, lambda step, arm: script[step]) == [0, 1, 2, 1, 0, 1, 2, 1]
    assert agent.answer() == 2


def test_a_user_who_accepts_one_arm_only_is_understood_after_a_pass(drive: Drive) -> None:
    agent = SuccessiveElimination()
    arms = drive(agent, 5, lambda step, arm: arm == 3)
    assert arms == [0, 1, 2, 3, 4, 0, 1, 2, 4]
    assert agent.answer() == 3


def test_m_rejections_are_needed_where_m_is_given(drive: Drive) -> None:
    agent = SuccessiveElimination(m=2, phase2="round robin")
    assert drive(agent, 2, lambda step, arm: arm == 1) == [0, 1, 0, 1, 0]
    assert agent.answer() == 1


def test_it_is_an_agent_of_its_own_name_with_the_record_of_bair() -> None:
    agent = SuccessiveElimination()
    assert isinstance(agent, Agent)
    assert agent.name == "SE"
    assert agent.algorithm is BAIR().algorithm
    assert not agent.needs_horizon


def test_every_argument_is_an_option_of_bair_and_handed_on() -> None:
    names = set(inspect.signature(SuccessiveElimination).parameters) - {"name", "max_steps"}
    assert names == set(BAIR().options) - {"n1", "alpha", "rho_0", "phase1_counts"}
    changed: dict[str, Any] = {
        "delta": 0.03,
        "m": 4,
        "rejections": "consecutive",
        "noise": 0.2,
        "first_sweep": "skipping",
        "phase2": "round robin",
    }
    assert set(changed) == names
    for name, value in changed.items():
        agent = SuccessiveElimination(**{name: value})
        assert agent.options[name] == value
        assert agent.params(5, None) == BAIR(n1=0, **{name: value}).params(5, None)


@pytest.mark.parametrize("n1", ["paper", "proof", 100.0])
def test_no_setting_gives_it_a_phase_1(n1: Any) -> None:
    assert SuccessiveElimination().informed({"n1": n1}).params(5, None).n1 == 0.0


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("compiled", [True, False])
def test_its_runs_are_those_of_bair_with_n1_zero(
    setting: Setting, noise: float, compiled: bool
) -> None:
    options: dict[str, Any] = {
        "setting": setting,
        "noise": noise,
        "n_instances": 12,
        "max_steps": 3000,
        "compiled": compiled,
        "progress": False,
    }
    runs = evaluate([SuccessiveElimination()], **options).runs
    # The stream, for ties, follows from the name.
    pd.testing.assert_frame_equal(runs, evaluate([BAIR(n1=0, name="SE")], **options).runs)
    assert not runs.equals(evaluate([BAIR(name="SE")], **options).runs)

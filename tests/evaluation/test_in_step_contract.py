"""What is asked of an agent that meets many users at once, and what it is told."""

from typing import Any

import numpy as np
import pytest
from pairs import pairs
from toy_agents import Wanderer

import explorative_user_env as eu

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 30, "seed": 3, "progress": False}

TASKS: list[dict[str, Any]] = [
    {"task": "bai", "max_steps": 40},
    {"task": "regret", "horizon": 40},
]


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_an_agent_hears_of_users_with_whom_it_goes_on_and_answers_each_once(
    facts: dict[str, Any],
) -> None:
    agent = Wanderer(0.1)
    eu.evaluate([agent], **SMALL | facts)
    assert agent.n_answers == [1] * 30
    going_on = set(range(30))
    for users, arms, accepted in agent.told:
        assert users.shape == arms.shape == accepted.shape
        assert accepted.dtype == bool
        assert users.size
        assert set(users.tolist()) <= going_on
        going_on = set(users.tolist())
    assert 0 < len(going_on) < 30


def test_in_regret_every_agent_is_told_the_horizon_and_in_bai_only_who_needs_it() -> None:
    agent = Wanderer()
    eu.evaluate([agent], **SMALL | TASKS[1])
    assert agent.horizon == 40
    eu.evaluate([agent], **SMALL | TASKS[0])
    assert agent.horizon is None
    needy: Any = Wanderer()
    needy.needs_horizon = True
    eu.evaluate([needy], baseline_time=17, **SMALL | TASKS[0])
    assert needy.horizon == 17


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
@pytest.mark.parametrize(
    "arms",
    [
        lambda users: np.full(users.size, 3),
        lambda users: np.full(users.size, -2),
        lambda users: np.zeros(users.size),
        lambda users: np.zeros(users.size, bool),
        lambda users: np.zeros(users.size + 1, int),
        lambda users: np.zeros((users.size, 1), int),
        lambda users: 0,
        lambda users: None,
    ],
)
def test_wrong_arms_are_refused_by_name(facts: dict[str, Any], arms: Any) -> None:
    agent: Any = Wanderer()
    agent.act_all = arms
    message = r"arms of wanderer must be 30 integers in -1\.\.2"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate([agent], **SMALL | facts)


@pairs(facts=TASKS, answer=[-1, 3, 0.5], stops=[0.0, 1.0])
def test_wrong_answers_are_refused_by_name(
    facts: dict[str, Any], answer: float, stops: float
) -> None:
    agent: Any = Wanderer(stops)
    agent.answer_all = lambda users: np.full(users.size, answer)
    message = r"arms of wanderer must be 30 integers in 0\.\.2"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate([agent], **SMALL | facts)

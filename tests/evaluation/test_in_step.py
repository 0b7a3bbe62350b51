"""Agents that meet many users at once: what is asked of them, and what they are told."""

from typing import Any

import numpy as np
import pytest
from toy_agents import Clock, Wanderer

import explorative_user_env as eu

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 30, "seed": 3, "progress": False}


TASKS: list[dict[str, Any]] = [
    {"task": "bai", "max_steps": 40},
    {"task": "regret", "horizon": 40},
]


def test_a_run_that_stops_at_the_very_cap_is_not_censored() -> None:
    for compiled in (True, False):
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long}).runs
        assert not runs["censored"].any()
        runs = eu.evaluate([Clock()], compiled=compiled, **SMALL | {"max_steps": Clock.long - 1})
        assert runs.runs["censored"].any()


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


WRONG_ARMS: list[Any] = [
    lambda users: np.full(users.size, 3),
    lambda users: np.full(users.size, -2),
    lambda users: np.zeros(users.size),
    lambda users: np.zeros(users.size, bool),
    lambda users: np.zeros(users.size + 1, int),
    lambda users: np.zeros((users.size, 1), int),
    lambda users: 0,
    lambda users: None,
]


@pytest.mark.parametrize("facts", TASKS, ids=["bai", "regret"])
def test_wrong_arms_and_answers_are_refused_by_name(facts: dict[str, Any]) -> None:
    for arms in WRONG_ARMS:
        agent: Any = Wanderer()
        agent.act_all = arms
        message = r"arms of wanderer must be 30 integers in -1\.\.2"
        with pytest.raises(eu.InvalidArgumentError, match=message):
            eu.evaluate([agent], **SMALL | facts)
    for answer, stops in ((-1, 0.0), (3, 1.0), (0.5, 1.0)):
        agent = Wanderer(stops)
        agent.answer_all = lambda users, answer=answer: np.full(users.size, answer)
        message = r"arms of wanderer must be 30 integers in 0\.\.2"
        with pytest.raises(eu.InvalidArgumentError, match=message):
            eu.evaluate([agent], **SMALL | facts)

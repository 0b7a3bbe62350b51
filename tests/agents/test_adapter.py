import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import (
    AGENTS,
    BAIR,
    CARRIERS,
    EXP3,
    REFERENCES,
    AlgorithmAgent,
    TrackAndStop,
    Uniform,
)
from explorative_user_env.protocol import Agent, name_of

Drive = Callable[..., list[int]]

MAKERS = AGENTS | REFERENCES | CARRIERS


def respond(step: int, arm: int) -> bool:
    return step < 80 or (3 * step + arm) % 4 > 0  # plain elimination is soon over with rejections


def test_every_agent_keeps_the_contract(make: Callable[..., AlgorithmAgent]) -> None:
    agent = make()
    assert isinstance(agent, Agent)
    assert MAKERS[name_of(agent)] is make
    agent.reset(3, np.random.default_rng(0), horizon=10)
    arm = agent.act()
    assert type(arm) is int
    agent.observe(arm, True)
    assert type(agent.answer()) is int


def test_an_agent_without_a_horizon_says_that_it_needs_one() -> None:
    assert Uniform().needs_horizon
    assert EXP3().needs_horizon
    assert not Uniform(horizon=3).needs_horizon
    assert not BAIR().needs_horizon
    assert not TrackAndStop().needs_horizon
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given"):
        EXP3().reset(3, np.random.default_rng(0))


def test_an_agent_that_may_not_see_rewards_cannot_be_told_one() -> None:
    agent = BAIR()
    agent.reset(3, np.random.default_rng(0))
    with pytest.raises(TypeError, match="BAIR sees responses only"):
        agent.learn(0, 1.0)


@pytest.mark.parametrize(
    "twin", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))], ids=["copy", "pickle"]
)
def test_a_copy_goes_on_as_the_agent_does(
    make: Callable[..., AlgorithmAgent], twin: Callable[[AlgorithmAgent], AlgorithmAgent]
) -> None:
    agent = make(name="mine", max_steps=99)
    agent.reset(4, np.random.default_rng(0), horizon=150)
    for step in range(60):
        arm = agent.act()
        assert arm is not None
        agent.observe(arm, respond(step, arm))
    other = twin(agent)
    assert (other.name, other.max_steps, other.options) == ("mine", 99, agent.options)
    n_more = 0
    while n_more < 90 and (arm := agent.act()) is not None:
        assert other.act() == arm
        for each in (agent, other):
            each.observe(arm, respond(60 + n_more, arm))
        n_more += 1
    assert n_more > 20
    assert n_more == 90 or other.act() is None
    assert agent.answer() == other.answer()


def test_the_same_stream_gives_the_same_run(
    make: Callable[..., AlgorithmAgent], drive: Drive
) -> None:
    agent = make()
    arms = drive(agent, 4, respond, 200, seed=5, horizon=200)
    assert drive(agent, 4, respond, 200, seed=5, horizon=200) == arms
    assert drive(make(), 4, respond, 200, seed=5, horizon=200) == arms


def test_two_agents_share_no_memory(make: Callable[..., AlgorithmAgent], drive: Drive) -> None:
    agent, other = make(), make()
    agent.reset(4, np.random.default_rng(5), 200)
    arms: list[int] = []
    while len(arms) < 200 and (arm := agent.act()) is not None:
        agent.observe(arm, respond(len(arms), arm))
        arms.append(arm)
        if len(arms) == 50:
            drive(other, 4, lambda step, arm: arm == 3, 100, seed=1, horizon=200)
    assert len(arms) > 60  # else the other one was not there, or hardly
    assert arms == drive(make(), 4, respond, 200, seed=5, horizon=200)


def test_a_record_is_not_changed_by_its_agents(make: Callable[..., AlgorithmAgent]) -> None:
    record = make().algorithm
    before = dict(record.defaults)
    make(max_steps=3).informed(dict.fromkeys(before))
    assert record.defaults == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"  # type: ignore[misc]


SCRATCH: dict[str, Any] = {"scores": [], "heap": [], "chance": []}
"""What `act`, a verdict or a part of a run fills in before anyone looks at it."""


@pytest.mark.parametrize("n_steps", [2, 50, 120])
def test_a_used_state_starts_as_a_blank_one_does(
    make: Callable[..., AlgorithmAgent], drive: Drive, n_steps: int
) -> None:
    # A compiled loop has one state for all users; `reset` makes a new one, so it would not tell.
    agent = make()
    drive(agent, 3, respond, n_steps, horizon=200)
    rule, params, used = agent.algorithm, agent._params, agent._state
    if agent.sees_rewards:
        agent.learn(1, 0.5)
    fresh = rule.blank(params)
    assert used != fresh
    for state in (used, fresh):
        rule.start(params, state, np.random.default_rng(0))
    kept = {name: values for name, values in SCRATCH.items() if name in used._fields}
    assert used._replace(**kept) == fresh._replace(**kept)

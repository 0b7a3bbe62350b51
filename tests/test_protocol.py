import dataclasses
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from explorative_user_env.agents import BAIR, EXP3, FullInformation, uniform
from explorative_user_env.protocol import (
    STOP,
    Agent,
    Array,
    ManyUserAgent,
    OneUserAtATime,
    cap_of,
    name_of,
    needs_horizon,
    sees_rewards,
    trained_on,
)


class Bare:
    """An agent that says nothing of itself."""

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None: ...

    def act(self) -> int | None:
        return None

    def observe(self, arm: int, accepted: bool) -> None: ...

    def answer(self) -> int:
        return 0


class Telling(Bare):
    """One that tells all there is to tell."""

    name = "teller"
    max_steps = 7
    needs_horizon = True
    sees_rewards = True
    trained_on = {"n_arms": 3}  # noqa: RUF012 - as an agent might have it


def test_what_an_agent_does_not_say_has_a_default() -> None:
    agent = Bare()
    assert isinstance(agent, Agent)
    assert not isinstance(agent, ManyUserAgent)
    assert name_of(agent) == "Bare"
    assert cap_of(agent) is None
    assert not needs_horizon(agent)
    assert not sees_rewards(agent)
    assert trained_on(agent) == {}


def test_what_an_agent_says_of_itself_is_heard() -> None:
    agent = Telling()
    assert (name_of(agent), cap_of(agent)) == ("teller", 7)
    assert needs_horizon(agent)
    assert sees_rewards(agent)
    assert trained_on(agent) == {"n_arms": 3}


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_that_is_no_word_gives_way_to_the_class_s(name: Any) -> None:
    agent: Any = Telling()
    agent.name = name
    assert name_of(agent) == "Telling"


@pytest.mark.parametrize("method", ["reset", "act", "observe", "answer"])
def test_what_lacks_a_method_is_no_agent(method: str) -> None:
    methods = {name: None for name in ("reset", "act", "observe", "answer") if name != method}
    assert not isinstance(type("Half", (), methods)(), Agent)


def test_the_agents_of_the_package_say_what_they_are() -> None:
    assert (name_of(BAIR(name="mine")), cap_of(BAIR(max_steps=5))) == ("mine", 5)
    assert (needs_horizon(EXP3()), needs_horizon(EXP3(horizon=3))) == (True, False)
    assert (sees_rewards(FullInformation()), sees_rewards(BAIR())) == (True, False)


class Crowd(OneUserAtATime):
    """Recommends an arm a step and keeps what it is told; it stops after the last."""

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        self.n_arms, self.rngs, self.horizon = n_arms, rngs, horizon
        self.told: list[tuple[list[int], list[int], list[bool]]] = []

    def act_all(self, users: Array) -> Array:
        arm = len(self.told)
        return np.full(users.size, arm if arm < self.n_arms else STOP)

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        self.told.append((users.tolist(), arms.tolist(), accepted.tolist()))

    def answer_all(self, users: Array) -> Array:
        return np.full(users.size, self.n_arms - 1)


def test_an_agent_of_many_users_meets_one_as_its_first() -> None:
    agent, rng = Crowd(), np.random.default_rng(0)
    assert isinstance(agent, Agent)
    assert isinstance(agent, ManyUserAgent)
    agent.reset(2, rng, 50)
    assert (agent.n_arms, [*agent.rngs], agent.horizon) == (2, [rng], 50)
    for arm, accepted in [(0, True), (1, False)]:
        assert agent.act() == arm
        agent.observe(arm, accepted)
    assert agent.told == [([0], [0], [True]), ([0], [1], [False])]
    assert agent.act() is None
    assert agent.answer() == 1
    assert type(agent.answer()) is int


def test_records_with_the_same_parts_are_the_same_record() -> None:
    record = uniform.ALGORITHM
    twin = pickle.loads(pickle.dumps(record))
    assert twin == record
    assert hash(twin) == hash(record)
    other = dataclasses.replace(record, stops_itself=True)
    assert other != record

"""What an agent says of itself, agents of many users, tasks, and which models are for whom."""

import copy
import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorative_user_env import shipped
from explorative_user_env.agents import BAIR, EXP3, FullInformation, uniform
from explorative_user_env.protocol import (
    BAI,
    POPULATION,
    REGRET,
    STOP,
    TASKS,
    Agent,
    Array,
    ManyUserAgent,
    OneUserAtATime,
    as_task,
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

    name: Any = "teller"
    max_steps = 7
    needs_horizon = True
    sees_rewards = True
    trained_on = {"n_arms": 3}  # noqa: RUF012 - as an agent might have it


def said(agent: Any) -> tuple[Any, ...]:
    asked = (name_of, cap_of, needs_horizon, sees_rewards, trained_on)
    return tuple(ask(agent) for ask in asked)


def test_what_an_agent_says_of_itself_is_heard_and_what_it_does_not_say_has_a_default() -> None:
    assert isinstance(Bare(), Agent)
    assert not isinstance(Bare(), ManyUserAgent)
    assert said(Bare()) == ("Bare", None, False, False, {})
    assert said(Telling()) == ("teller", 7, True, True, {"n_arms": 3})
    for name in ("", None, 3):
        nameless = Telling()
        nameless.name = name
        assert name_of(nameless) == "Telling"
    assert said(BAIR(name="mine", max_steps=5))[:4] == ("mine", 5, False, False)
    assert (needs_horizon(EXP3()), needs_horizon(EXP3(horizon=3))) == (True, False)
    assert sees_rewards(FullInformation())


@pytest.mark.parametrize("method", ["reset", "act", "observe", "answer"])
def test_what_lacks_a_method_is_no_agent(method: str) -> None:
    methods = {name: None for name in ("reset", "act", "observe", "answer") if name != method}
    assert not isinstance(type("Half", (), methods)(), Agent)


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
    assert (type(agent.answer()), agent.answer()) == (int, 1)


def test_tasks_and_algorithms_are_values_that_can_be_copied_and_sent() -> None:
    assert TASKS == {"regret": REGRET, "bai": BAI, "population": POPULATION}
    for record in (REGRET, BAI, POPULATION, uniform.ALGORITHM):
        for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert other == record
            assert hash(other) == hash(record)
    assert as_task("bai") == as_task(copy.copy(BAI)) == BAI != REGRET
    assert replace(uniform.ALGORITHM, stops_itself=True) != uniform.ALGORITHM


def test_a_model_of_other_users_is_never_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {
        "a/noisy/seed-0": {"noise": 0.2, "behaviour": "explorative"},
        "a/noisy/seed-1": {"noise": 0.2, "behaviour": "explorative"},
        "usual": {"noise": 0.0},
    }
    for name, users in made.items():
        (tmp_path / name).mkdir(parents=True)
        told = {"task": "regret", "n_arms": 5, "environment": {}, "users": users}
        (tmp_path / name / "settings.json").write_text(json.dumps(told))
    monkeypatch.setattr(shipped, "MODELS", tmp_path)
    assert list(shipped.shipped_models()) == [*made]

    def found(task: Any, n_arms: int, **users: Any) -> str | None:
        model = shipped.shipped_for(task, n_arms, **users)
        return model and model[0]

    assert found(REGRET, 5) == found(REGRET, 5, behaviour="logistic") == "usual"
    assert found(REGRET, 5, noise=0.2) == "a/noisy/seed-0"
    assert found(REGRET, 4) is found(BAI, 5) is None

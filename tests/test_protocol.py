"""What an agent says of itself, agents of many users, tasks, and which models are for whom."""

import copy
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
from keepers import KeeperOfMany

from explorative_user_env import shipped
from explorative_user_env.agents import BAIR, EXP3, FullInformation, uniform
from explorative_user_env.protocol import (
    BAI,
    POPULATION,
    REGRET,
    TASKS,
    Agent,
    ManyUserAgent,
    as_task,
    cap_of,
    name_of,
    needs_horizon,
    sees_rewards,
    trained_on,
)


class Bare:
    """An agent that says nothing of itself."""

    def reset(self, n_arms, rng, horizon=None): ...

    def act(self):
        return None

    def observe(self, arm, accepted): ...

    def answer(self):
        return 0


class Telling(Bare):
    """One that tells all there is to tell."""

    name: Any = "teller"
    max_steps = 7
    needs_horizon = True
    sees_rewards = True
    trained_on = {"n_arms": 3}  # noqa: RUF012 - as an agent might have it


def said(agent):
    asked = (name_of, cap_of, needs_horizon, sees_rewards, trained_on)
    return tuple(ask(agent) for ask in asked)


def test_what_an_agent_does_not_say_of_itself_has_a_default():
    assert said(Bare()) == ("Bare", None, False, False, {})
    assert said(Telling()) == ("teller", 7, True, True, {"n_arms": 3})
    for name in ("", None, 3):
        nameless = Telling()
        nameless.name = name
        assert name_of(nameless) == "Telling"
    assert said(BAIR(name="mine", max_steps=5))[:4] == ("mine", 5, False, False)
    assert (needs_horizon(EXP3()), needs_horizon(EXP3(horizon=3))) == (True, False)
    assert sees_rewards(FullInformation())


def test_an_object_that_lacks_a_method_is_no_agent():
    methods = ("reset", "act", "observe", "answer")
    assert isinstance(Bare(), Agent)
    assert not isinstance(Bare(), ManyUserAgent)
    for missing in methods:
        rest = {name: None for name in methods if name != missing}
        assert not isinstance(type("Half", (), rest)(), Agent)


def test_an_agent_of_many_users_meets_one_as_its_first():
    agent, rng = KeeperOfMany(), np.random.default_rng(0)
    assert isinstance(agent, Agent)
    assert isinstance(agent, ManyUserAgent)
    agent.reset(2, rng, 50)
    n_arms, rngs, horizon = agent.kept.pop()
    assert (n_arms, [*rngs], horizon) == (2, [rng], 50)
    for arm, accepted in [(0, True), (1, False)] * 6:
        assert agent.act() == arm
        agent.observe(arm, accepted)
        assert [each.tolist() for each in agent.kept.pop()] == [[0], [arm], [accepted]]
    assert agent.act() is None
    assert (type(agent.answer()), agent.answer()) == (int, 0)


def test_tasks_and_algorithms_are_values_that_can_be_copied_and_sent():
    assert TASKS == {"regret": REGRET, "bai": BAI, "population": POPULATION}
    for record in (REGRET, BAI, POPULATION, uniform.ALGORITHM):
        for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert other == record
            assert hash(other) == hash(record)
    assert as_task("bai") == as_task(copy.copy(BAI)) == BAI != REGRET
    assert replace(uniform.ALGORITHM, stops_itself=True) != uniform.ALGORITHM


def test_a_model_of_other_users_is_never_the_usual_one(tmp_path, monkeypatch):
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

    def found(task, n_arms, **users):
        model = shipped.shipped_for(task, n_arms, **users)
        return model and model[0]

    assert found(REGRET, 5) == found(REGRET, 5, behaviour="logistic") == "usual"
    assert found(REGRET, 5, noise=0.2) == "a/noisy/seed-0"
    assert found(REGRET, 4) is found(BAI, 5) is None

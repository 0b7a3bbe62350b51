"""What an agent says of itself, agents of many users, tasks, and which models are for whom."""

import copy
import json
import pickle

import numpy as np
from keepers import KeeperOfMany
from watched import Silent

from explorative_user_env import protocol, shipped
from explorative_user_env.agents import BAIR, EXP3, FullInformation, uniform
from explorative_user_env.protocol import BAI, REGRET, TASKS, Agent, ManyUserAgent


class Telling(Silent):
    """One that tells all there is to tell."""

    name = "teller"
    max_steps = 7
    needs_horizon = True
    sees_rewards = True
    trained_on = {"n_arms": 3}  # noqa: RUF012 - as an agent might have it


def said(agent):
    asked = ("name_of", "cap_of", "needs_horizon", "sees_rewards", "trained_on")
    return tuple(getattr(protocol, ask)(agent) for ask in asked)


def test_what_an_agent_does_not_say_of_itself_has_a_default():
    assert said(Silent()) == ("silent", None, False, False, {})
    assert said(Telling()) == ("teller", 7, True, True, {"n_arms": 3})
    for name in ("", None, 3):
        nameless = Telling()
        nameless.name = name
        assert said(nameless)[0] == "Telling"
    assert said(BAIR(name="mine", max_steps=5))[:4] == ("mine", 5, False, False)
    assert [said(agent)[2] for agent in (EXP3(), EXP3(horizon=3))] == [True, False]
    assert said(FullInformation())[3]


def test_an_agent_of_many_users_meets_one_as_its_first():
    agent, rng = KeeperOfMany(), np.random.default_rng(0)
    assert isinstance(agent, Agent)
    assert isinstance(agent, ManyUserAgent)
    assert not isinstance(Silent(), ManyUserAgent)
    assert not isinstance(object(), Agent)
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
    for record in (*TASKS.values(), uniform.ALGORITHM):
        for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert other == record
            assert hash(other) == hash(record)
    assert protocol.as_task("bai") == protocol.as_task(copy.copy(BAI)) == BAI != REGRET


def test_a_model_of_other_users_is_never_the_usual_one(tmp_path, monkeypatch):
    noisy = {"noise": 0.2, "behaviour": "explorative"}
    for name, users in (("a/seed-0", noisy), ("a/seed-1", noisy), ("usual", {"noise": 0.0})):
        (tmp_path / name).mkdir(parents=True)
        told = {"task": "regret", "n_arms": 5, "environment": {}, "users": users}
        (tmp_path / name / "settings.json").write_text(json.dumps(told))
    monkeypatch.setattr(shipped, "MODELS", tmp_path)
    assert list(shipped.shipped_models()) == ["a/seed-0", "a/seed-1", "usual"]

    def found(task, n_arms, **users):
        model = shipped.shipped_for(task, n_arms, **users)
        return model and model[0]

    assert found(REGRET, 5) == found(REGRET, 5, behaviour="logistic") == "usual"
    assert found(REGRET, 5, noise=0.2) == "a/seed-0"
    assert found(REGRET, 4) is found(BAI, 5) is None

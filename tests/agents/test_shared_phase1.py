"""Agents that meet users who have been through BAIR's Phase 1."""

import numpy as np
import pytest
from toy_agents import drive

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, Phase1, TrackAndStop, Uniform, after_phase1


def test_phase1_is_the_beginning_of_bairs_own_run():
    env = eu.ExplorativeUserEnv(n_arms=5)
    for seed in range(5):
        whole = eu.rollout(env, BAIR(delta=0.1), seed)
        beginning = eu.rollout(env, Phase1(n1="paper"), seed)
        assert whole.arms[: beginning.stopping_time] == beginning.arms
        assert beginning.acceptances >= 100 > beginning.acceptances - 5
        assert len(set(beginning.arms)) > 1


@pytest.mark.parametrize("agent", [Uniform(horizon=40), EXP3(horizon=40), TrackAndStop()])
def test_an_agent_after_phase1_is_the_agent_alone_with_the_prepared_user(agent):
    env = eu.ExplorativeUserEnv(n_arms=4)
    for seed in range(3):
        both = eu.rollout(env, after_phase1(agent, n1=60), seed, max_steps=5000)
        first = eu.rollout(env, Phase1(n1=60), seed).arms
        assert both.arms[: len(first)] == first
        # Fed the responses that it had, the agent by itself does the same: it knows no more.
        agent.reset(4, eu.seeding.agent_generator(seed, agent.name))
        rest = list(zip(both.arms, both.accepted, strict=True))[len(first) :]
        for arm, accepted in rest:
            assert agent.act() == arm
            agent.observe(arm, accepted)
        assert rest
        assert agent.answer() == both.answer


def test_an_agent_after_phase1_keeps_its_cap_and_its_options():
    agent = after_phase1(TrackAndStop(delta=0.3, max_steps=77))
    assert (agent.max_steps, agent.options["delta"]) == (77, 0.3)
    agent.reset(3, np.random.default_rng(0))
    assert agent.explain()["phase"] == "Phase 1, first sweep"
    drive(agent, 3, lambda step, arm: True, n_steps=200)
    assert "phase" not in agent.explain()
    with pytest.raises(ValueError, match=r"^n1 must be"):
        after_phase1(Uniform(horizon=5), n1=-1)

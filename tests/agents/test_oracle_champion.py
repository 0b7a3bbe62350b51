"""The oracle-champion: what it is told, how it divides recommendations, and how far it goes."""

import gymnasium as gym
import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, OracleChampion


def told(n_arms, best, **options):
    agent = OracleChampion(**options)
    agent.reset(n_arms, np.random.default_rng(0))
    agent.tell(best)
    return agent


def test_the_best_arm_has_the_optimal_share_of_the_recommendations():
    agent, counts = told(4, 2, n1=0), np.zeros(4)
    for _ in range(4000):
        arm = agent.act()
        agent.observe(arm, accepted=True)
        counts[arm] += 1
    others = np.delete(counts, 2)
    assert others.max() - others.min() <= 1
    assert counts[2] ** 1.5 == pytest.approx((others**1.5).sum(), rel=0.01)


def test_it_stops_when_all_other_arms_were_rejected_after_n1_acceptances():
    agent = told(3, 1)  # N_1 = 9
    for step in range(9):
        assert agent.act() == step % 3
        agent.observe(step % 3, accepted=step % 3 != 0)
    while (arm := agent.act()) is not None:
        agent.observe(arm, accepted=arm == 1)
    assert agent.explain()["F"] == [False, True, False]
    assert agent.answer() == 1


def test_a_rejection_of_the_best_arm_drops_nothing():
    agent = told(2, 0, n1=0)
    agent.observe(0, accepted=False)
    assert agent.act() == 1
    assert agent.explain()["F"] == [True, True]


@pytest.mark.parametrize(("n_arms", "share"), [(5, 0.87), (20, 0.66)])
def test_its_share_of_the_time_of_a_tuned_bair_equals_that_of_another_program(n_arms, share):
    agents = [OracleChampion(), BAIR(n1=3 * n_arms)]
    results = eu.evaluate(
        agents, setting="released", n_arms=n_arms, n_instances=4000, progress=False
    )
    times = results.runs.groupby("agent")["stopping_time"].mean()
    assert abs(times["oracle-champion"] / times["BAIR"] - share) < 0.04
    assert results.references == {"oracle-champion"}
    assert "oracle-champion†" in str(results)


def test_the_readable_loop_tells_it_the_best_arm():
    env = gym.make(eu.ENV_ID, n_arms=3, reward="realized", max_episode_steps=-1)
    episode = eu.rollout(env, OracleChampion(), seed=3)
    assert episode.answer == env.unwrapped.instance().best_arm
    again = eu.evaluate([OracleChampion()], n_arms=3, n_instances=20, seed=3, progress=False)
    assert again.runs["correct"].all()

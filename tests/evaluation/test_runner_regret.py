"""Evaluations over a horizon."""

from typing import Any

import numpy as np
import pytest
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.agents import (
    UCB1,
    FullInformation,
    Thompson,
    Uniform,
)

HORIZON = 300


SMALL: dict[str, Any] = {
    "task": "regret",
    "n_arms": 3,
    "n_instances": 11,
    "seed": 7,
    "delta": 0.3,
    "horizon": HORIZON,
    "progress": False,
}


def replayed(run: Any, agent: Any, reward: str, horizon: int = HORIZON, **env: Any) -> eu.Episode:
    """The run as the step-by-step loop has it, by the user's seed alone."""
    made = eu.ExplorativeUserEnv(n_arms=3, reward=reward, **env)
    seed = int(run["user_seed"])
    return eu.rollout(made, agent, seed, max_steps=horizon, horizon=horizon, commits=True)


@pytest.mark.parametrize("compiled", [True, False])
def test_an_agent_that_stops_goes_on_with_its_answer(compiled: bool) -> None:
    agent = scripted([0, 1, 1, 0], answer=2)
    runs = eu.evaluate([agent], **SMALL | {"compiled": compiled}).runs
    assert [[arm for arm, _ in told] for told in agent.told] == [[0, 1, 1, 0]] * len(runs)
    for _, run in runs.iterrows():
        episode = replayed(run, scripted([0, 1, 1, 0], answer=2), "none")
        assert episode.arms == (0, 1, 1, 0, *[2] * (HORIZON - 4))
        assert run["acceptances"] == episode.acceptances
    assert (runs["last_arm"] == 2).all()
    assert (runs["answer"] == 2).all()


@pytest.mark.parametrize("make", [Thompson, Uniform])
def test_utility_is_what_the_environment_pays_for_the_same_run(make: Any) -> None:
    runs = eu.evaluate([make()], **SMALL).runs
    for _, run in runs.iterrows():
        episode = replayed(run, make(), "utility")
        assert run["utility"] == pytest.approx(sum(episode.rewards), abs=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
def test_full_information_answers_by_the_rewards_that_were_realized(compiled: bool) -> None:
    facts = SMALL | {"noise": 0.4, "n_instances": 40, "horizon": 30, "compiled": compiled}
    runs = eu.evaluate([FullInformation()], **facts).runs
    differs = 0
    for _, run in runs.iterrows():
        episode = replayed(run, FullInformation(), "realized", horizon=30, noise=0.4)
        sums, counts = np.zeros(3), np.zeros(3)
        for arm, yes, reward in zip(episode.arms, episode.accepted, episode.rewards, strict=True):
            sums[arm] += reward
            counts[arm] += yes
        # The posterior mean of a standard normal prior.
        assert run["answer"] == np.argmax(sums / (counts + 1.0))
        assert run["acceptances"] == counts.sum()
        assert counts.sum() > 10
        differs += int(run["answer"] != np.argmax(counts))
    assert differs > 2  # else the responses might have told it as much


def test_only_who_sees_rewards_is_told_them() -> None:
    blind, seeing = scripted([0, 1, 2] * 100), scripted([0, 1, 2] * 100)
    seeing.sees_rewards, seeing.name = True, "seeing"
    eu.evaluate([blind, seeing], **SMALL)
    assert blind.learned == []
    accepted = [arm for told in seeing.told for arm, yes in told if yes]
    assert [arm for arm, _ in seeing.learned] == accepted
    rewards = [reward for _, reward in seeing.learned]
    assert len(set(rewards)) == len(rewards) > 100  # realized, so never the same twice


def test_every_agent_is_told_the_horizon_and_500_is_the_default() -> None:
    agent = scripted([0])
    results = eu.evaluate([agent, Uniform()], **SMALL | {"horizon": None, "n_instances": 2})
    assert agent.horizon == 500
    assert results.cell["horizon"] == 500
    assert results.cell["task"] == "regret"
    assert "step_cost" not in results.cell


def test_an_agents_own_step_cap_does_not_end_a_play() -> None:
    capped = eu.evaluate([UCB1(max_steps=7)], **SMALL).runs
    assert capped.equals(eu.evaluate([UCB1()], **SMALL).runs)

"""Evaluations over a horizon."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.agents import (
    AGENTS,
    BAIR,
    REFERENCES,
    UCB1,
    FullInformation,
    SuccessiveElimination,
    Thompson,
    TrackAndStop,
    Uniform,
)
from explorative_user_env.users.population import Setting

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


def everyone() -> list[Any]:
    return [make() for make in (AGENTS | REFERENCES).values()]


def replayed(run: Any, agent: Any, reward: str, horizon: int = HORIZON, **env: Any) -> eu.Episode:
    """The run as the step-by-step loop has it, by the user's seed alone."""
    made = eu.ExplorativeUserEnv(n_arms=3, reward=reward, **env)
    seed = int(run["user_seed"])
    return eu.rollout(made, agent, seed, max_steps=horizon, horizon=horizon, commits=True)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_compiled_and_readable_play_alike_for_every_agent(setting: Setting, noise: float) -> None:
    facts = SMALL | {"setting": setting, "noise": noise}
    fast = eu.evaluate(everyone(), **facts)
    slow = eu.evaluate(everyone(), compiled=False, **facts)
    pd.testing.assert_frame_equal(fast.runs, slow.runs, check_exact=True)
    assert set(fast.runs["agent"]) == set(AGENTS | REFERENCES)


def test_some_agents_of_these_studies_stop_before_the_horizon(setting: Setting) -> None:
    # Without such runs, nothing above would say what happens after an answer.
    facts = SMALL | {"task": "bai", "setting": setting, "horizon": None, "max_steps": HORIZON}
    runs = eu.evaluate([BAIR(), TrackAndStop(max_steps=HORIZON), SuccessiveElimination()], **facts)
    n_censored = runs.runs.groupby("agent")["censored"].sum()
    assert (n_censored < SMALL["n_instances"]).all()
    assert (n_censored > 0).any()


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


def test_an_agent_that_stops_at_once_recommends_its_answer_alone() -> None:
    runs = eu.evaluate([scripted([], answer=1)], **SMALL).runs
    assert (runs["last_arm"] == 1).all()
    means = {}
    env = eu.ExplorativeUserEnv(n_arms=3)
    for seed in runs["user_seed"]:
        env.reset(seed=int(seed))
        means[seed] = env.hidden_state().instance.means
    expected = [HORIZON * (max(means[seed]) - means[seed][1]) for seed in runs["user_seed"]]
    np.testing.assert_allclose(runs["regret"], expected)


@pytest.mark.parametrize("make", [Thompson, BAIR, Uniform, FullInformation])
def test_regret_is_what_the_environment_takes_from_the_same_run(make: Any) -> None:
    runs = eu.evaluate([make()], **SMALL).runs
    agent = make(delta=0.3) if make is BAIR else make()
    for _, run in runs.iterrows():
        told = "realized" if make is FullInformation else "regret"
        episode = replayed(run, agent, told)
        if told == "realized":  # the rewards of regret for the same recommendations
            episode = replayed(run, scripted(list(episode.arms)), "regret")
        assert len(episode.arms) == HORIZON
        assert run["regret"] == pytest.approx(-sum(episode.rewards), abs=1e-9)
        assert run["last_arm"] == episode.arms[-1]


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


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("steps", [1, 2])
def test_the_shortest_plays_have_all_their_steps(steps: int, compiled: bool) -> None:
    runs = eu.evaluate([Uniform()], **SMALL | {"horizon": steps, "compiled": compiled}).runs
    assert set(runs["last_arm"]) == {steps - 1}
    assert (runs["acceptances"] <= steps).all()


def test_the_summary_is_the_mean_of_the_runs_and_ranks_by_regret() -> None:
    results = eu.evaluate([Uniform(), Thompson(), FullInformation()], **SMALL)
    summary = results.summary().set_index("agent")
    for name, runs in results.runs.groupby("agent"):
        row = summary.loc[name]
        assert row["regret"] == pytest.approx(runs["regret"].mean())
        assert row["acceptance_rate"] == pytest.approx(runs["acceptances"].mean() / HORIZON)
        assert row["last_is_best"] == (runs["last_arm"] == runs["best_arm"]).mean()
    competing = summary[~summary["sees_rewards"]]
    assert competing.index.tolist() == ["UNI", "Thompson"]
    assert competing.sort_values("rank").index.tolist() == ["Thompson", "UNI"]
    assert summary["rank"].isna().tolist() == [False, False, True]


def test_an_agents_own_step_cap_does_not_end_a_play() -> None:
    capped = eu.evaluate([UCB1(max_steps=7)], **SMALL).runs
    assert capped.equals(eu.evaluate([UCB1()], **SMALL).runs)


def test_a_task_that_is_not_known_is_refused() -> None:
    with pytest.raises(eu.InvalidArgumentError, match="one of bai, population, regret"):
        eu.evaluate([BAIR()], **SMALL | {"task": "sleep"})

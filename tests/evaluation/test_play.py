from typing import Any

import numpy as np
import pandas as pd
import pytest

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
from explorative_user_env.evaluation.plays import PLAY_COLUMNS, Play, figures
from explorative_user_env.settings import Setting
from explorative_user_env.users.instances import Instance

HORIZON = 300
SMALL: dict[str, Any] = {
    "task": "regret",
    "n_arms": 3,
    "n_instances": 11,
    "seed": 5,
    "delta": 0.3,
    "horizon": HORIZON,
    "progress": False,
}


def everyone() -> list[Any]:
    return [make() for make in (AGENTS | REFERENCES).values()]


def scripted(script: list[int], answer: int = 2) -> Any:
    """An agent that recommends by a script, stops, answers, and keeps all it is told."""

    # A class inside a function travels to worker processes by value.
    class Scripted:
        name = "scripted"

        def __init__(self) -> None:
            self.told: list[list[Any]] = []
            self.learned: list[Any] = []

        def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
            self.left, self.horizon = list(script), horizon
            self.told.append([])

        def act(self) -> int | None:
            return self.left.pop(0) if self.left else None

        def observe(self, arm: int, accepted: bool) -> None:
            self.told[-1].append((arm, accepted))

        def learn(self, arm: int, reward: float) -> None:
            self.learned.append((arm, reward))

        def answer(self) -> int:
            return answer

    return Scripted()


def replayed(run: Any, agent: Any, reward: str, **env: Any) -> eu.Episode:
    """The run as the step-by-step loop has it, by the user's seed alone."""
    made = eu.ExplorativeUserEnv(n_arms=3, reward=reward, **env)
    seed = int(run["user_seed"])
    return eu.rollout(made, agent, seed, max_steps=HORIZON, horizon=HORIZON, commits=True)


def test_the_figures_are_those_of_a_slow_loop() -> None:
    rng = np.random.default_rng(0)
    n_users, horizon, n_arms = 6, 40, 3
    means = rng.standard_normal((n_users, n_arms))
    best_arms = means.argmax(axis=1).tolist()
    instances = [
        Instance(tuple(row), best) for row, best in zip(means.tolist(), best_arms, strict=True)
    ]
    arms = rng.integers(0, n_arms, (n_users, horizon)).astype(np.int32)
    accepted = rng.random((n_users, horizon)) < 0.5
    answers = rng.integers(0, n_arms, n_users)
    found = figures(Play(instances, arms, accepted, answers))
    assert found.shape == (n_users, len(PLAY_COLUMNS))
    for user in range(n_users):
        regret = utility = 0.0
        accepted_arms = [0] * n_arms
        for arm, yes in zip(arms[user].tolist(), accepted[user].tolist(), strict=True):
            regret += max(means[user]) - means[user][arm]
            if yes:
                utility += means[user][arm]
                accepted_arms[arm] += 1
        row = dict(zip(PLAY_COLUMNS, found[user].tolist(), strict=True))
        assert row["best_arm"] == best_arms[user]
        assert row["answer"] == answers[user]
        assert row["acceptances"] == sum(accepted_arms)
        assert row["regret"] == pytest.approx(regret)
        assert row["utility"] == pytest.approx(utility)
        assert row["last_arm"] == arms[user, -1]
        assert row["most_accepted_arm"] == accepted_arms.index(max(accepted_arms))


def test_of_arms_accepted_equally_often_the_first_is_the_most_accepted() -> None:
    arms = np.array([[2, 1, 0, 2, 1]], np.int32)
    accepted = np.array([[True, True, False, True, True]])
    play = Play([Instance((0.0, 1.0, 2.0), 2)], arms, accepted, np.array([0]))
    assert figures(play)[0, PLAY_COLUMNS.index("most_accepted_arm")] == 1


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_compiled_and_readable_play_alike_for_every_agent(setting: Setting, noise: float) -> None:
    facts = SMALL | {"setting": setting, "noise": noise}
    fast = eu.evaluate(everyone(), **facts)
    slow = eu.evaluate(everyone(), compiled=False, **facts)
    pd.testing.assert_frame_equal(fast.runs, slow.runs, check_exact=True)
    assert set(fast.runs["agent"]) == set(AGENTS | REFERENCES)


@pytest.mark.parametrize("compiled", [True, False])
def test_one_and_two_workers_play_alike(compiled: bool) -> None:
    line_up = [*everyone(), scripted([0, 1] * 10)]
    # As in the tests above, so that the loops are compiled already.
    facts = SMALL | {"n_instances": 21, "noise": 0.1, "horizon": 60, "compiled": compiled}
    one = eu.evaluate(line_up, workers=1, **facts)
    two = eu.evaluate(line_up, workers=2, **facts)
    pd.testing.assert_frame_equal(one.runs, two.runs, check_exact=True)


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


def test_an_agents_own_step_cap_does_not_end_a_play() -> None:
    capped = eu.evaluate([UCB1(max_steps=7)], **SMALL).runs
    assert capped.equals(eu.evaluate([UCB1()], **SMALL).runs)


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
    facts = SMALL | {"noise": 0.2, "compiled": compiled}
    runs = eu.evaluate([FullInformation()], **facts).runs
    differs = 0
    for _, run in runs.iterrows():
        episode = replayed(run, FullInformation(), "realized", noise=0.2)
        sums, counts, wins = np.zeros(3), np.zeros(3), np.zeros(3)
        for arm, yes, reward in zip(episode.arms, episode.accepted, episode.rewards, strict=True):
            sums[arm] += reward
            counts[arm] += yes
            wins[arm] += yes
        # The posterior mean of a standard normal prior.
        assert run["answer"] == np.argmax(sums / (counts + 1.0))
        assert run["acceptances"] == counts.sum()
        assert counts.sum() > 10
        differs += int(np.argmax(sums / (counts + 1.0)) != np.argmin(wins))
    assert differs > 0


def test_only_who_sees_rewards_is_told_them() -> None:
    blind, seeing = scripted([0, 1, 2] * 100), scripted([0, 1, 2] * 100)
    seeing.sees_rewards, seeing.name = True, "seeing"
    eu.evaluate([blind, seeing], **SMALL)
    assert blind.learned == []
    accepted = [arm for told in seeing.told for arm, yes in told if yes]
    assert [arm for arm, _ in seeing.learned] == accepted
    rewards = [reward for _, reward in seeing.learned]
    assert len(set(rewards)) == len(rewards) > 100  # realized, so never the same twice


@pytest.mark.parametrize("make", [*AGENTS.values(), *REFERENCES.values()])
def test_full_information_alone_sees_rewards(make: Any) -> None:
    agent = make()
    assert agent.sees_rewards == (agent.name == "Full-information")


def test_every_agent_is_told_the_horizon_and_500_is_the_default() -> None:
    agent = scripted([0])
    results = eu.evaluate([agent, Uniform()], **SMALL | {"horizon": None, "n_instances": 2})
    assert agent.horizon == 500
    assert results.cell["horizon"] == 500
    assert results.cell["task"] == "regret"
    assert "step_cost" not in results.cell


@pytest.mark.parametrize("horizon", [0, -3, 2.5, "BAIR", True])
def test_a_horizon_that_is_no_number_of_steps_is_refused(horizon: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="horizon must be an integer of at least 1"):
        eu.evaluate([BAIR()], **SMALL | {"horizon": horizon})


def test_a_task_that_is_not_known_is_refused() -> None:
    with pytest.raises(eu.InvalidArgumentError, match="task must be one of bai, regret"):
        eu.evaluate([BAIR()], **SMALL | {"task": "sleep"})


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
    assert (
        summary["regret"].sort_values().index.tolist() == summary.sort_values("rank").index.tolist()
    )

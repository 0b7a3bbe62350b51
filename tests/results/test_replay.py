"""A row of the results replays alone: by `Results.replay` and by `rollout` with its user's seed."""

from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest
from toy_agents import Answering, scripted, spy

import explorative_user_env as eu
from explorative_user_env.agents import AGENTS, BAIR, REFERENCES, FullInformation, Uniform
from explorative_user_env.protocol import needs_horizon
from explorative_user_env.users.population import PRINTED, RELEASED, Setting

USERS: dict[str, Any] = {"n_arms": 3, "alpha": 1.5, "noise": 0.05}
SMALL: dict[str, Any] = {"n_instances": 3, "seed": 11, "delta": 0.3, "progress": False}
TASKS: dict[str, dict[str, Any]] = {
    "bai": {"task": "bai", "max_steps": 3000},
    "regret": {"task": "regret", "horizon": 60},
}


def policy(task: str) -> eu.PolicyAgent:
    return eu.PolicyAgent(Answering(), task=task, observation="counts", name="policy")


def everyone(task: str) -> list[Any]:
    own = scripted([0, 1, 2, 1, 1])
    return [make() for make in (AGENTS | REFERENCES).values()] + [own, policy(task)]


def assert_is_the_run(episode: eu.Episode, row: Any, private_draws: int = 0) -> None:
    assert (episode.agent, episode.seed) == (row["agent"], row["user_seed"])
    assert (episode.acceptances, episode.answer) == (row["acceptances"], row["answer"])
    if "regret" in row:
        assert episode.stopping_time == 60
        assert episode.arms[-1] == row["last_arm"]
        return
    assert episode.stopping_time == row["interactions"]
    assert episode.stopping_time + private_draws == row["stopping_time"]
    assert episode.censored == row["censored"]


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_every_row_of_every_agent_replays(task: str, setting: Setting, compiled: bool) -> None:
    users = USERS | {"setting": setting}
    options = SMALL | TASKS[task] | users
    results = eu.evaluate(everyone(task), compiled=compiled, **options)
    drawn = setting.private_draws * 3 if setting.counts_private_draws else 0
    assert len(results.runs) == 3 * 10
    fresh = {getattr(agent, "name", ""): agent for agent in everyone(task)}
    for label, row in results.runs.iterrows():
        episode = results.replay(label)
        assert_is_the_run(episode, row, drawn)
        # The agent as anyone writes it, with its options open, in an environment as anyone has it.
        agent, reward = fresh[row["agent"]], "regret"
        if isinstance(agent, type(FullInformation())) and agent.sees_rewards:
            reward = "realized"
        env: Any = gym.make(eu.ENV_ID, reward=reward, max_episode_steps=-1, **users)
        told = results.cell["horizon"] if needs_horizon(agent) or task == "regret" else None
        own: dict[str, Any] = {"delta": 0.3, "horizon": told, "commits": task == "regret"}
        if row["agent"] not in ("T&S", "policy") and task == "bai":
            own["max_steps"] = 3000
        by_seed = eu.rollout(env, agent, seed=int(row["user_seed"]), **own)
        assert (by_seed.arms, by_seed.accepted) == (episode.arms, episode.accepted)
        assert (by_seed.answer, by_seed.censored) == (episode.answer, episode.censored)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "behaviour"),
    [
        *(("bai", name) for name in ("omniscient", "forgetful", "drifting", "logistic")),
        *(("regret", name) for name in ("omniscient", "forgetful", "logistic")),
    ],
)
def test_rows_of_every_kind_of_user_replay(task: str, behaviour: str) -> None:
    options = SMALL | TASKS[task] | USERS | {"behaviour": behaviour}
    results = eu.evaluate([BAIR(), Uniform(), scripted([0, 1, 2])], **options)
    for label, row in results.runs.iterrows():
        assert_is_the_run(results.replay(label), row)


def test_open_options_are_filled_in_by_rollout_as_in_an_evaluation() -> None:
    """Click noise and a setting decide what BAIR does; only `evaluate` knew of them once."""
    users: dict[str, Any] = {"n_arms": 3, "noise": 0.1, "alpha": 2.0, "rho": 1.5}
    users["setting"] = RELEASED
    results = eu.evaluate([BAIR()], n_instances=5, seed=3, compiled=False, progress=False, **users)
    env = eu.ExplorativeUserEnv(**users)
    by_seed = [eu.rollout(env, BAIR(), seed=seed) for seed in results.runs["user_seed"]]
    assert [each.stopping_time for each in by_seed] == results.runs["interactions"].tolist()
    told = BAIR(alpha=2.0, rho_0=1.5, noise=0.1, delta=0.1, **RELEASED.agent_options("BAIR", 3))
    assert [eu.rollout(env, told, seed=each.seed) for each in by_seed] == by_seed
    plain = eu.ExplorativeUserEnv(n_arms=3)  # of others, other options
    assert eu.rollout(plain, BAIR(), seed=0) == eu.rollout(plain, BAIR(n1="paper"), seed=0)


def test_delta_of_an_evaluation_is_said_to_rollout() -> None:
    results = eu.evaluate(["BAIR"], n_arms=3, n_instances=1, delta=0.01, progress=False)
    env, seed = eu.ExplorativeUserEnv(n_arms=3), int(results.runs["user_seed"][0])
    same = eu.rollout(env, "BAIR", seed, delta=0.01)
    assert same == eu.rollout(env, BAIR(delta=0.01), seed)
    assert_is_the_run(same, results.runs.iloc[0])
    assert eu.rollout(env, "BAIR", seed) != same


def test_an_agent_of_ones_own_is_told_on_replay_what_it_was_told() -> None:
    agent = spy()
    options: dict[str, Any] = {"n_arms": 3, "n_instances": 1, "progress": False}
    for task, told in (({"task": "regret", "horizon": 25}, 25), ({"baseline_time": 9}, None)):
        results = eu.evaluate([agent, Uniform()], **options | task)
        n_before = len(agent.seen)
        results.replay(0)
        assert agent.seen[n_before] == (3, told) == agent.seen[0 if told else n_before]


@pytest.fixture(scope="module")
def few() -> eu.Results:
    results: eu.Results = eu.evaluate(
        [BAIR(), Uniform()], n_arms=3, n_instances=4, seed=1, progress=False, compiled=False
    )
    return results


def test_a_row_is_a_label_or_a_series_in_any_order(few: eu.Results) -> None:
    row = few.runs.sort_values("stopping_time", ascending=False).iloc[0]
    assert few.replay(row) == few.replay(row.name) == few.replay(np.int64(int(row.name)))
    assert few.replay(row.to_dict()) == few.replay(row)
    assert few.replay(6).agent == "UNI"
    assert few.replay(row) == eu.rollout(
        eu.ExplorativeUserEnv(n_arms=3), BAIR(), int(row["user_seed"])
    )


@pytest.mark.parametrize("row", [8, -1, True, "BAIR", None, {"agent": "BAIR", "user_seed": 1}])
def test_what_is_no_row_of_the_runs_is_refused(few: eu.Results, row: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="row must be a row of these runs"):
        few.replay(row)


def test_results_that_do_not_hold_their_agents_say_so(few: eu.Results) -> None:
    bare = eu.Results(few.runs, few.cell, few.population)
    with pytest.raises(eu.InvalidArgumentError, match="line_up must be with BAIR, to replay it"):
        bare.replay(0)


def test_replaying_leaves_the_results_as_they_are(few: eu.Results) -> None:
    before = few.runs.copy()
    assert few.replay(5) == few.replay(5)
    pd.testing.assert_frame_equal(few.runs, before)


def test_a_run_longer_than_gym_makes_time_limit_replays_whole_or_warns() -> None:
    users: dict[str, Any] = {"n_arms": 3, "setting": PRINTED}
    results = eu.evaluate([BAIR(n1=1500)], n_instances=1, progress=False, **users)
    episode = results.replay(0)
    assert episode.stopping_time > 1500
    made: Any = gym.make(eu.ENV_ID, **users)
    with pytest.warns(UserWarning, match=r"time limit cut the run of BAIR off after 1000 steps"):
        cut = eu.rollout(made, BAIR(n1=1500), episode.seed)
    assert cut.censored
    assert cut.arms == episode.arms[:1000]
    assert eu.rollout(made.unwrapped, BAIR(n1=1500), episode.seed).arms == episode.arms

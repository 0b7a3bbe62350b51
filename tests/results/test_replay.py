"""A row of the results replays alone: by `Results.replay` and by `rollout` with its user's seed."""

from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest
from toy_agents import spy

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.users.population import PRINTED, RELEASED


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
    sure = eu.rollout(plain, "BAIR", 0, delta=0.01)
    assert sure == eu.rollout(plain, BAIR(delta=0.01), 0) != eu.rollout(plain, "BAIR", 0)


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
    before = few.runs.copy()
    row = few.runs.sort_values("stopping_time", ascending=False).iloc[0]
    assert few.replay(row) == few.replay(row.name) == few.replay(np.int64(int(row.name)))
    assert few.replay(row.to_dict()) == few.replay(row)
    assert few.replay(6).agent == "UNI"
    assert few.replay(row) == eu.rollout(
        eu.ExplorativeUserEnv(n_arms=3), BAIR(), int(row["user_seed"])
    )
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


def test_what_is_no_row_or_has_no_agent_is_refused(few: eu.Results) -> None:
    for row in (8, -1, True, "BAIR", None, {"agent": "BAIR", "user_seed": 1}):
        with pytest.raises(eu.InvalidArgumentError, match="row must be a row of these runs"):
            few.replay(row)
    bare = eu.Results(few.runs, few.cell, few.population)
    with pytest.raises(eu.InvalidArgumentError, match="line_up must be with BAIR, to replay it"):
        bare.replay(0)

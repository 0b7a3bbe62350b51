"""Results: cost and rank, scores as rliable takes them, and rows that are replayed alone."""

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.users.population import PRINTED, RELEASED


def test_agents_rank_by_cost_and_over_a_horizon_by_regret():
    quick_and_wrong = bai_runs("quick", [10, 10], [False, False])
    slow_and_right = bai_runs("slow", [500, 500], [True, True])
    slower = bai_runs("slower", [600, 600], [True, True])
    runs = pd.concat([quick_and_wrong, slower, slow_and_right])
    summary = Results(runs, CELL).summary()
    assert summary["agent"].tolist() == ["quick", "slower", "slow"]
    assert summary["rank"].tolist() == [3, 2, 1]
    tied = Results(pd.concat([runs, slow_and_right.assign(agent="as slow")]), CELL).summary()
    assert tied["rank"].tolist() == [4, 3, 1, 1]
    dear = Results(runs, CELL | {"step_cost": 0.1}).summary()
    assert dear["rank"].tolist() == [1, 3, 2]
    plays = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 1.0])])
    assert Results(plays, PLAY_CELL).summary()["rank"].tolist() == [2, 1]


SCORED = pd.concat(
    [bai_runs("a", [100, 300], [True, False]), bai_runs("b", [500, 200], [True, True])]
).assign(censored=[False, False, True, False])


def test_each_agent_has_a_column_of_its_users_costs_negated():
    results = Results(SCORED, CELL)
    scores = results.to_rliable()
    assert {name: array.shape for name, array in scores.items()} == {"a": (2, 1), "b": (2, 1)}
    assert scores["a"][:, 0] == pytest.approx([-0.1, -1.3])  # c = .001, and 1 for a wrong answer
    assert scores["b"][:, 0] == pytest.approx([-1.5, -0.2])  # cut off is no success
    summary = results.summary().set_index("agent")["cost"]
    assert {name: -array.mean() for name, array in scores.items()} == pytest.approx(dict(summary))


def test_the_cells_of_a_sweep_are_tasks():
    quick = {"n_instances": 3, "compiled": False, "progress": False}
    found = eu.sweep(["BAIR", "UNI"], deltas=[0.3, 0.2], n_arms=[2, 3], **quick)
    for name, array in found.to_rliable("success").items():
        assert array.shape == (3, 4)
        own = [cell.summary().set_index("agent").loc[name, "success"] for cell in found.cells]
        assert array.mean(axis=0) == pytest.approx(own)


def test_other_scores_are_asked_for_by_name():
    results = Results(SCORED, CELL)
    assert results.to_rliable("success")["b"].tolist() == [[0.0], [1.0]]
    assert results.to_rliable("stopping_time")["a"].tolist() == [[-100.0], [-300.0]]
    plays = Results(play_runs("a", [9.0, 7.0]), PLAY_CELL)
    assert plays.to_rliable()["a"].tolist() == [[-9.0], [-7.0]]
    alone = Results(SCORED[SCORED["agent"] == "a"], CELL)
    with pytest.raises(eu.InvalidArgumentError, match="score must be one of regret, utility"):
        plays.to_rliable("cost")
    with pytest.raises(eu.InvalidArgumentError, match="cells must be of the same agents and users"):
        Sweep([results, alone]).to_rliable()


@pytest.fixture(scope="module")
def few():
    results = eu.evaluate(
        [BAIR(), Uniform()], n_arms=3, n_instances=4, seed=1, progress=False, compiled=False
    )
    return results


def test_a_row_is_a_label_or_a_series_in_any_order(few):
    before = few.runs.copy()
    row = few.runs.sort_values("stopping_time", ascending=False).iloc[0]
    assert few.replay(row) == few.replay(row.name) == few.replay(np.int64(int(row.name)))
    assert few.replay(row.to_dict()) == few.replay(row)
    assert few.replay(6).agent == "UNI"
    assert few.replay(row) == eu.rollout(
        eu.ExplorativeUserEnv(n_arms=3), BAIR(), int(row["user_seed"])
    )
    pd.testing.assert_frame_equal(few.runs, before)


def test_a_run_longer_than_gym_makes_time_limit_replays_whole_or_warns():
    users = {"n_arms": 3, "setting": PRINTED}
    results = eu.evaluate([BAIR(n1=1500)], n_instances=1, progress=False, **users)
    episode = results.replay(0)
    assert episode.stopping_time > 1500
    made = gym.make(eu.ENV_ID, **users)
    with pytest.warns(UserWarning, match=r"time limit cut the run of BAIR off after 1000 steps"):
        cut = eu.rollout(made, BAIR(n1=1500), episode.seed)
    assert cut.censored
    assert cut.arms == episode.arms[:1000]
    assert eu.rollout(made.unwrapped, BAIR(n1=1500), episode.seed).arms == episode.arms


def test_what_is_no_row_or_has_no_agent_is_refused(few):
    for row in (8, -1, True, "BAIR", None, {"agent": "BAIR", "user_seed": 1}):
        with pytest.raises(eu.InvalidArgumentError, match="row must be a row of these runs"):
            few.replay(row)
    bare = eu.Results(few.runs, few.cell, few.population)
    with pytest.raises(eu.InvalidArgumentError, match="line_up must be with BAIR, to replay it"):
        bare.replay(0)


def test_open_options_are_filled_in_by_rollout_as_in_an_evaluation():
    """Click noise and a setting decide what BAIR does; only `evaluate` knew of them once."""
    users = {"n_arms": 3, "noise": 0.1, "alpha": 2.0, "rho": 1.5}
    env = eu.ExplorativeUserEnv(setting=RELEASED, **users)
    told = BAIR(alpha=2.0, rho_0=1.5, noise=0.1, delta=0.01, **RELEASED.agent_options("BAIR", 3))
    assert eu.rollout(env, told, 4) == eu.rollout(env, "BAIR", 4, delta=0.01)
    assert eu.rollout(env, "BAIR", 4) != eu.rollout(env, "BAIR", 4, delta=0.01)

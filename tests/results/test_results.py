from dataclasses import replace

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
    rows = [("quick", 10, False), ("slower", 600, True), ("slow", 500, True), ("tied", 500, True)]
    runs = pd.concat([bai_runs(name, [time] * 2, right) for name, time, right in rows])
    summary = Results(runs, CELL).summary()
    assert summary["agent"].tolist() == ["quick", "slower", "slow", "tied"]
    assert summary["rank"].tolist() == [4, 3, 1, 1]
    dear = Results(runs, CELL | {"step_cost": 0.1}).summary()
    assert dear["rank"].tolist() == [1, 4, 2, 2]
    plays = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 1.0])])
    assert Results(plays, PLAY_CELL).summary()["rank"].tolist() == [2, 1]


def test_scores_for_rliable_have_a_row_a_user_and_more_is_better():
    runs = pd.concat([bai_runs("a", [100, 300], [True, False]), bai_runs("b", [500, 200], True)])
    runs = runs.assign(censored=[False, False, True, False])
    results, alone = Results(runs, CELL), Results(runs[runs["agent"] == "a"], CELL)
    scores = results.to_rliable()
    assert scores["a"] == pytest.approx(np.array([[-0.1], [-1.3]]))  # c = .001, 1 for a wrong one
    assert scores["b"] == pytest.approx(np.array([[-1.5], [-0.2]]))  # cut off is no success
    assert results.to_rliable("success")["b"].tolist() == [[0.0], [1.0]]
    assert results.to_rliable("stopping_time")["a"].tolist() == [[-100.0], [-300.0]]
    plays = Results(play_runs("a", [9.0, 7.0]), PLAY_CELL)
    assert plays.to_rliable()["a"].tolist() == [[-9.0], [-7.0]]
    with pytest.raises(eu.InvalidArgumentError, match="score must be one of regret, utility"):
        plays.to_rliable("cost")
    with pytest.raises(eu.InvalidArgumentError, match="cells must be results of"):
        Sweep([results, alone]).to_rliable()


def test_the_cells_of_a_sweep_are_tasks():
    quick = {"n_instances": 3, "compiled": False, "progress": False}
    found = eu.sweep(["BAIR", "UNI"], deltas=[0.3, 0.2], n_arms=[2, 3], **quick)
    for name, array in found.to_rliable("success").items():
        own = [cell.summary().set_index("agent").loc[name, "success"] for cell in found.cells]
        assert array.mean(axis=0) == pytest.approx(own)


@pytest.fixture(scope="module")
def few():
    users = {"n_arms": 3, "n_instances": 4, "seed": 1}
    return eu.evaluate([BAIR(), Uniform()], progress=False, compiled=False, **users)


def test_results_have_a_length_the_names_in_order_and_a_csv_file_of_the_runs(few, tmp_path):
    assert (len(few), bool(few), few.agents) == (8, True, ["BAIR", "UNI"])
    path = tmp_path / "new" / "runs.csv"
    for results in (few, replace(few, runs=few.runs[:5])):
        results.to_csv(path)
        assert path.read_text(encoding="utf-8") == results.runs.to_csv(index=False)
    (tmp_path / "file").write_text("")
    with pytest.raises(eu.InvalidArgumentError, match="path must be a file that can be written"):
        few.to_csv(tmp_path / "file" / "runs.csv")


def test_a_row_is_a_label_or_a_series_in_any_order(few):
    row = few.runs.sort_values("stopping_time", ascending=False).iloc[0]
    env = eu.ExplorativeUserEnv(n_arms=3)
    assert few.replay(row) == few.replay(row.name) == few.replay(row.to_dict())
    assert few.replay(row) == eu.rollout(env, BAIR(), int(row["user_seed"]))
    assert few.replay(6).agent == "UNI"


def test_a_run_longer_than_gym_makes_time_limit_replays_whole_or_warns():
    users = {"n_arms": 3, "setting": PRINTED}
    results = eu.evaluate([BAIR(n1=1500)], n_instances=1, progress=False, **users)
    episode = results.replay(0)
    assert episode.stopping_time > 1500
    made = gym.make(eu.ENV_ID, **users)
    with pytest.warns(UserWarning, match=r"time limit ended the run of BAIR after 1000 steps"):
        cut = eu.rollout(made, BAIR(n1=1500), episode.seed)
    assert cut.censored
    assert cut.arms == episode.arms[:1000]
    assert eu.rollout(made.unwrapped, BAIR(n1=1500), episode.seed).arms == episode.arms


def test_what_is_no_row_or_has_no_agent_is_refused(few):
    for row in (8, -1, "BAIR", {"agent": "BAIR", "user_seed": 1}):
        with pytest.raises(eu.InvalidArgumentError, match="row must be a row of these runs"):
            few.replay(row)
    bare = eu.Results(few.runs, few.cell, few.population)
    with pytest.raises(eu.InvalidArgumentError, match="line_up must be a mapping that has BAIR"):
        bare.replay(0)


def test_open_options_are_filled_in_by_rollout_as_in_an_evaluation():
    """Click noise and a setting decide what BAIR does; only `evaluate` knew of them once."""
    users = {"n_arms": 3, "noise": 0.1, "alpha": 2.0, "rho": 1.5}
    env = eu.ExplorativeUserEnv(setting=RELEASED, **users)
    told = BAIR(alpha=2.0, rho_0=1.5, noise=0.1, delta=0.01, **RELEASED.agent_options("BAIR", 3))
    assert eu.rollout(env, told, 4) == eu.rollout(env, "BAIR", 4, delta=0.01)

"""Runs as rliable takes them: by agent an array (users, cells), the more the better."""

import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs

import explorative_user_env as eu
from explorative_user_env.results.results import Results, Sweep

RUNS = pd.concat(
    [bai_runs("a", [100, 300], [True, False]), bai_runs("b", [500, 200], [True, True])]
).assign(censored=[False, False, True, False])


def test_each_agent_has_a_column_of_its_users_costs_negated() -> None:
    results = Results(RUNS, CELL)
    scores = results.to_rliable()
    assert {name: array.shape for name, array in scores.items()} == {"a": (2, 1), "b": (2, 1)}
    assert scores["a"][:, 0] == pytest.approx([-0.1, -1.3])  # c = .001, and 1 for a wrong answer
    assert scores["b"][:, 0] == pytest.approx([-1.5, -0.2])  # cut off is no success
    summary = results.summary().set_index("agent")["cost"]
    assert {name: -array.mean() for name, array in scores.items()} == pytest.approx(dict(summary))


def test_other_scores_are_asked_for_by_name() -> None:
    results = Results(RUNS, CELL)
    assert results.to_rliable("success")["b"].tolist() == [[0.0], [1.0]]
    assert results.to_rliable("stopping_time")["a"].tolist() == [[-100.0], [-300.0]]
    plays = Results(play_runs("a", [9.0, 7.0]), PLAY_CELL)
    assert plays.to_rliable()["a"].tolist() == [[-9.0], [-7.0]]
    assert plays.to_rliable("utility")["a"].tolist() == [[1.0], [1.0]]
    with pytest.raises(eu.InvalidArgumentError, match="score must be one of regret, utility"):
        plays.to_rliable("cost")


def test_the_cells_of_a_sweep_are_tasks() -> None:
    found = eu.sweep(
        ["BAIR", "UNI"], deltas=[0.3, 0.2], n_arms=[2, 3], n_instances=7, progress=False
    )
    scores = found.to_rliable("success")
    assert {name: array.shape for name, array in scores.items()} == {"BAIR": (7, 4), "UNI": (7, 4)}
    means = found.summary().pivot_table(
        index="agent", columns=["delta", "n_arms"], values="success"
    )
    for name, array in scores.items():
        cells = [(cell.cell["delta"], cell.cell["n_arms"]) for cell in found.cells]
        assert array.mean(axis=0) == pytest.approx([means.loc[name, cell] for cell in cells])


def test_cells_that_differ_in_who_met_whom_are_none_of_one_array() -> None:
    one, other = Results(RUNS, CELL), Results(RUNS[RUNS["agent"] == "a"], CELL)
    with pytest.raises(eu.InvalidArgumentError, match="cells must be of the same agents and users"):
        Sweep([one, other]).to_rliable()


def test_rliable_s_own_metrics_take_them() -> None:
    metrics = pytest.importorskip("rliable.metrics", reason="rliable is not installed")
    scores = eu.sweep(
        ["BAIR", "UNI"], deltas=[0.3], n_arms=[2, 3], n_instances=20, progress=False
    ).to_rliable()
    assert metrics.aggregate_mean(scores["BAIR"]) == pytest.approx(scores["BAIR"].mean())
    assert metrics.probability_of_improvement(scores["BAIR"], scores["UNI"]) > 0.5

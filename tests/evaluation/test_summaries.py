"""Sweeps, users who leave, and the paper's bounds: what an evaluation says of them."""

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.monitors import broken_table, check_run
from explorative_user_env.results.results import Sweep
from explorative_user_env.results.tables import legend_of

FEW = {"n_instances": 4, "seed": 3, "progress": False}


def test_a_sweep_is_an_evaluation_of_each_cell_with_progress_over_all():
    told = []
    tell = FEW | {"progress": lambda *what: told.append(what)}
    found = eu.sweep(["BAIR", "UNI"], [0.2, 0.1], (2, 3), alpha=2.0, **tell)
    cells = [{"delta": delta, "n_arms": arms} for delta in (0.2, 0.1) for arms in (2, 3)]
    alone = [eu.evaluate(["BAIR", "UNI"], alpha=2.0, **FEW, **cell) for cell in cells]
    for cell, other in zip(found.cells, alone, strict=True):
        pd.testing.assert_frame_equal(cell.runs, other.runs)
        assert cell.cell == other.cell
    summaries = pd.concat([other.summary() for other in alone], ignore_index=True)
    pd.testing.assert_frame_equal(found.summary(), summaries)
    assert found.runs.groupby(["delta", "n_arms", "agent"]).ngroups == 8
    assert told[0] == ("delta=0.2 K=2 BAIR", 0, 32)
    assert told[-1] == ("delta=0.1 K=3 UNI", 32, 32)
    found = eu.sweep(lambda delta, arms: [BAIR(n1=arms, delta=delta)], n_arms=[2, 3], **FEW)
    assert [cell.cell["agents"]["BAIR"]["n1"] for cell in found.cells] == [2, 3]


def test_a_run_that_was_left_is_neither_right_nor_wrong_nor_censored():
    users = {"n_arms": 3, "alpha": 0.05, "behaviour": "impatient(probability=0.05)"}
    facts = users | {"max_steps": 120, "n_instances": 60, "progress": False}
    results = eu.evaluate(["UNI", "SE"], baseline_time=90, compiled=False, **facts)
    runs = results.runs[results.runs["agent"] == "UNI"]
    assert not (runs["left"] & runs["censored"]).any()
    stopped = ~runs["left"] & ~runs["censored"]
    row = results.summary().set_index("agent").loc["UNI"]
    assert row["left"] == runs["left"].mean() > 0.3
    assert row["success"] == (stopped & runs["correct"]).mean()
    assert row["wrong"] == (stopped & ~runs["correct"]).mean()
    assert row["success"] + row["wrong"] + row["censored"] + row["left"] == pytest.approx(1.0)
    assert row["cost"] == pytest.approx(5e-4 * runs["stopping_time"].mean() + 1 - row["success"])
    assert " left" in str(results).splitlines()[0]
    assert any("Users left in 0." in note for note in results.compare("UNI", "SE").notes())
    usual = eu.evaluate(["SE"], **facts | {"behaviour": "explorative", "n_instances": 2})
    assert "left" not in str(usual) + "".join(legend_of(usual.summary()))


def test_every_run_of_every_bair_is_checked():
    line_up = ["UNI", BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    watched = {"n_arms": 3, "n_instances": 30, "max_steps": 400, "progress": False}
    checked = eu.evaluate(line_up, check_theory=True, **watched)
    checks = checked.checks
    assert list(checks["agent"]) == ["BAIR"] * 30 + ["eager"] * 30
    assert list(checks["delta"].unique()) == [0.1, 0.3]
    runs = checked.runs[checked.runs["agent"] != "UNI"].reset_index(drop=True)
    for name in ("user_seed", "best_arm", "answer", "censored"):
        assert list(checks[name]) == list(runs[name])
    assert list(checks["recommendations"]) == list(runs["interactions"])
    assert checks["censored"].any()
    row = checks.iloc[4]
    env, agent = eu.ExplorativeUserEnv(n_arms=3), BAIR(delta=0.1)
    alone = check_run(env, agent, int(row["user_seed"]), max_steps=400)
    assert row.to_dict() == pytest.approx(vars(alone), nan_ok=True)
    plain = eu.evaluate(line_up, **watched)  # the check changes no run
    assert plain.checks is None
    pd.testing.assert_frame_equal(plain.runs, checked.runs)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, pytest.param(5, marks=pytest.mark.exhaustive)])
def test_nothing_is_broken_more_often_than_it_may_be(n_arms):
    """300 users of the paper's text at delta = 0.1; the low ends of the intervals count."""
    users = {"n_arms": n_arms, "delta": 0.1, "n_instances": 300, "progress": False}
    checks = eu.evaluate(["BAIR"], check_theory=True, **users).checks
    table = broken_table(checks, delta=0.1)
    assert (table["low"] <= 0.1).all()
    met = table["put_to_test"] > 0
    assert table[met]["holds"].all()
    # The text's users never need a round.
    assert table[~met]["claim"].tolist() == ["rounds", "drop"]
    assert checks["band_broken"].any()  # the band is near enough to be left now and then


def test_cells_of_other_users_or_tasks_are_shown_apart_and_say_in_what_they_differ():
    users = [{"noise": 0.0, "n_arms": 2}, {"noise": 0.0, "n_arms": 3}, {"noise": 0.25, "n_arms": 2}]
    cells = [eu.evaluate(["UNI"], baseline_time=4, **FEW | each) for each in users]
    one, other = str(Sweep(cells)).split("noise=0.25")
    assert [one.count(" UNI "), other.count(" UNI ")] == [2, 1]
    assert one.splitlines()[0].strip() == "noise=0"
    regret = eu.evaluate(["UNI"], task="regret", horizon=4, **FEW)
    assert str(Sweep([cells[0], regret])) == f"{cells[0]}\n\n{regret}"

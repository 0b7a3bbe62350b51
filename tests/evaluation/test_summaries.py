"""Sweeps, users who leave, and the paper's bounds: what an evaluation says of them."""

from typing import Any

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.monitors import broken_table, check_run
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.protocol import Agent
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.results.tables import legend_of


def test_cells_run_in_order_with_progress_over_all() -> None:
    told: list[tuple[str, int, int]] = []
    results = run_cells(
        ["bair"], [0.2, 0.1], [2, 3], progress=lambda *what: told.append(what), n_instances=3
    )
    assert [(cell.cell["delta"], cell.cell["n_arms"]) for cell in results] == [
        (0.2, 2),
        (0.2, 3),
        (0.1, 2),
        (0.1, 3),
    ]
    assert told[0] == ("delta=0.2 K=2 BAIR", 0, 12)
    assert told[-1] == ("delta=0.1 K=3 BAIR", 12, 12)


FEW: dict[str, Any] = {"n_instances": 4, "seed": 3, "progress": False}


def test_a_sweep_is_an_evaluation_of_each_cell() -> None:
    found = eu.sweep(["BAIR", "UNI"], [0.2, 0.1], (2, 3), alpha=2.0, **FEW)
    alone = [
        eu.evaluate(["BAIR", "UNI"], delta=delta, n_arms=arms, alpha=2.0, **FEW)
        for delta in (0.2, 0.1)
        for arms in (2, 3)
    ]
    for cell, other in zip(found.cells, alone, strict=True):
        pd.testing.assert_frame_equal(cell.runs, other.runs)
        assert cell.cell == other.cell
    summaries = pd.concat([other.summary() for other in alone], ignore_index=True)
    pd.testing.assert_frame_equal(found.summary(), summaries)
    assert len(found.runs) == 4 * 2 * 4
    assert found.runs.groupby(["delta", "n_arms", "agent"]).ngroups == 8


def test_a_sweep_may_make_its_agents_for_each_cell() -> None:
    found = eu.sweep(lambda delta, arms: [BAIR(n1=arms, delta=delta)], n_arms=[2, 3], **FEW)
    assert [cell.cell["agents"]["BAIR"]["n1"] for cell in found.cells] == [2, 3]


def test_cells_of_several_tasks_are_shown_in_a_table_each_with_its_own_figures() -> None:
    bai = eu.evaluate(["UNI"], baseline_time=4, **FEW)
    regret = eu.evaluate(["UNI"], task="regret", horizon=4, **FEW)
    found = Sweep([bai, regret])
    assert str(found) == f"{bai}\n\n{regret}"
    assert found._repr_html_() == bai._repr_html_() + regret._repr_html_()


IMPATIENT: dict[str, Any] = {"n_arms": 3, "alpha": 0.05, "behaviour": "impatient(probability=0.05)"}


LONG = 120


BAI: dict[str, Any] = {"task": "bai", "max_steps": LONG}


REGRET: dict[str, Any] = {"task": "regret", "horizon": LONG}


def met(agents: Any, task: dict[str, Any], n_instances: int = 60, **options: Any) -> Results:
    return eu.evaluate(
        agents, progress=False, n_instances=n_instances, **IMPATIENT | task | options
    )


@pytest.fixture(scope="module")
def results() -> Results:
    return met(["UNI", "SE"], BAI, baseline_time=90, compiled=False)


@pytest.fixture(scope="module")
def played() -> Results:
    return met(["UNI", "SE"], REGRET, compiled=False)


def test_a_run_that_was_left_is_neither_right_nor_wrong_nor_censored(results: Results) -> None:
    runs = results.runs[results.runs["agent"] == "UNI"]
    assert not (runs["left"] & runs["censored"]).any()
    stopped = ~runs["left"] & ~runs["censored"]
    row = results.summary().set_index("agent").loc["UNI"]
    assert row["left"] == runs["left"].mean() > 0.3
    assert row["success"] == (stopped & runs["correct"]).mean()
    assert row["wrong"] == (stopped & ~runs["correct"]).mean()
    assert row["success"] + row["wrong"] + row["censored"] + row["left"] == pytest.approx(1.0)
    assert row["cost"] == pytest.approx(5e-4 * runs["stopping_time"].mean() + 1 - row["success"])
    assert results.to_rliable("success")["UNI"].mean() == row["success"]


def test_who_leaves_is_told_of_where_users_can_leave_and_nowhere_else(
    results: Results, played: Results
) -> None:
    for found in (results, played):
        assert " left" in str(found).splitlines()[0]
        assert any(line.startswith("left: ") for line in legend_of(found.summary()))
        assert any("Users left in 0." in note for note in found.compare("UNI", "SE").notes())
    usual = met(["SE"], BAI, behaviour="explorative", n_instances=2)
    assert "left" not in usual.summary()
    assert "left" not in str(usual) + "".join(legend_of(usual.summary()))


@pytest.fixture(scope="module")
def checked() -> eu.Results:
    agents: list[Agent | str] = ["UNI", BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    return eu.evaluate(
        agents, n_arms=3, n_instances=30, max_steps=400, check_theory=True, progress=False
    )


def test_every_run_of_every_bair_is_checked(checked: eu.Results) -> None:
    checks = checked.checks
    assert checks is not None
    assert list(checks["agent"]) == ["BAIR"] * 30 + ["eager"] * 30
    assert list(checks["delta"].unique()) == [0.1, 0.3]
    runs = checked.runs[checked.runs["agent"] != "UNI"].reset_index(drop=True)
    for name in ("user_seed", "best_arm", "answer", "censored"):
        assert list(checks[name]) == list(runs[name])
    assert list(checks["recommendations"]) == list(runs["interactions"])
    assert list(checks["answer_broken"]) == list(~runs["correct"] & ~runs["censored"])
    assert checks["censored"].any()


def test_a_row_is_what_a_check_of_the_run_gives(checked: eu.Results) -> None:
    assert checked.checks is not None
    row = checked.checks.iloc[4]
    env = eu.ExplorativeUserEnv(n_arms=3)
    alone = check_run(env, BAIR(delta=0.1), int(row["user_seed"]), max_steps=400)
    assert row.to_dict() == pytest.approx(vars(alone), nan_ok=True)


def test_the_check_changes_no_run_and_is_made_only_if_asked_for(checked: eu.Results) -> None:
    agents: list[Agent | str] = ["UNI", BAIR(), BAIR(name="eager", n1=5.0, delta=0.3)]
    plain = eu.evaluate(agents, n_arms=3, n_instances=30, max_steps=400, progress=False)
    assert plain.checks is None
    pd.testing.assert_frame_equal(plain.runs, checked.runs)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 5])
def test_nothing_is_broken_more_often_than_it_may_be(n_arms: int) -> None:
    """300 users of the paper's text at delta = 0.1; the low ends of the intervals count."""
    checked = eu.evaluate(
        ["BAIR"], n_arms=n_arms, delta=0.1, n_instances=300, check_theory=True, progress=False
    )
    assert checked.checks is not None
    table = broken_table(checked.checks, delta=0.1)
    assert (table["low"] <= 0.1).all()
    met = table["put_to_test"] > 0
    assert table[met]["holds"].all()
    assert table[~met]["claim"].tolist() == [
        "rounds",
        "drop",
    ]  # the text's users never need a round
    assert checked.checks["band_broken"].any()  # the band is near enough to be left now and then


def test_cells_of_other_users_are_shown_apart_and_say_in_what_they_differ() -> None:
    users = [{"noise": 0.0, "n_arms": 2}, {"noise": 0.0, "n_arms": 3}, {"noise": 0.25, "n_arms": 2}]
    cells = [eu.evaluate(["UNI"], baseline_time=4, **FEW | each) for each in users]
    one, other = str(Sweep(cells)).split("noise=0.25")
    assert [one.count(" UNI "), other.count(" UNI ")] == [2, 1]
    assert one.splitlines()[0].strip() == "noise=0"
    assert "noise" not in str(Sweep(cells[:2]))

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import table_of
from explorative_user_env.users.population import PRINTED, Population


def test_the_cost_of_an_evaluation_is_by_its_step_cost() -> None:
    facts: dict[str, Any] = {"n_arms": 2, "n_instances": 20, "delta": 0.3, "progress": False}
    results = eu.evaluate([BAIR()], step_cost=0.01, **facts)
    runs, row = results.runs, results.summary().iloc[0]
    failures = 1 - (runs["correct"] & ~runs["censored"]).mean()
    assert row["cost"] == pytest.approx(0.01 * runs["stopping_time"].mean() + failures)
    assert results.cell["step_cost"] == row["step_cost"] == 0.01
    usual = eu.evaluate([BAIR()], **facts).summary().iloc[0]
    assert usual["cost"] == pytest.approx(5e-4 * runs["stopping_time"].mean() + failures)


def test_agents_rank_by_cost_and_not_by_time() -> None:
    quick_and_wrong = bai_runs("quick", [10, 10], [False, False])
    slow_and_right = bai_runs("slow", [500, 500], [True, True])
    slower = bai_runs("slower", [600, 600], [True, True])
    runs = pd.concat([quick_and_wrong, slower, slow_and_right])
    summary = Results(runs, CELL).summary()
    assert summary["agent"].tolist() == ["quick", "slower", "slow"]
    assert summary["rank"].tolist() == [3, 2, 1]
    dear = Results(runs, CELL | {"step_cost": 0.1}).summary()
    assert dear["rank"].tolist() == [1, 3, 2]


def test_tied_agents_share_the_better_rank() -> None:
    frames = [bai_runs(name, [50], [True]) for name in "ab"]
    summary = Results(pd.concat([*frames, bai_runs("c", [60], [True])]), CELL).summary()
    assert summary["rank"].tolist() == [1, 1, 3]


def test_a_summary_is_as_the_setting_of_its_users_has_it() -> None:
    runs = bai_runs("one", [100, 300, 900], [True, True, False])
    runs = runs.assign(rejections=[10, 60, 0], censored=[False, False, True])
    printed = Results(runs, CELL, Population(setting=PRINTED)).summary().iloc[0]
    assert printed["stopping_time"] == pytest.approx(1300 / 3)
    assert printed["rejection_rate"] == pytest.approx((0.1 + 0.2 + 0) / 3)
    setting = replace(PRINTED, drops_censored=True, rejection_rate="ratio of means")
    dropped = Results(runs, CELL, Population(setting=setting)).summary().iloc[0]
    assert dropped["stopping_time"] == 200
    assert dropped["rejection_rate"] == pytest.approx(70 / 400)


def test_over_a_horizon_agents_rank_by_regret() -> None:
    runs = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 1.0])])
    summary = Results(runs, PLAY_CELL).summary()
    assert summary["rank"].tolist() == [2, 1]
    assert summary["regret"].tolist() == [8.0, 1.5]


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_printed_results_are_the_table_of_their_task(task: str) -> None:
    time = {"regret": "horizon", "bai": "baseline_time"}[task]
    facts: dict[str, Any] = {"n_arms": 2, "n_instances": 5, "progress": False, time: 20}
    text = str(eu.evaluate([Uniform()], task=task, **facts))
    assert ("regret" in text) == (task == "regret")
    assert ("stopping time" in text) == (task == "bai")
    assert "UNI" in text


def test_a_representation_is_one_short_line() -> None:
    facts: dict[str, Any] = {"n_arms": 2, "n_instances": 5, "progress": False, "seed": 3}
    results = eu.evaluate([BAIR(n1=3), Uniform(horizon=9, name="mine")], **facts)
    assert repr(results) == (
        "Results(task='bai', setting='printed', n_arms=2, seed=3, n_instances=5, "
        "agents=['BAIR', 'mine'])"
    )


def test_a_notebook_shows_the_table_whatever_agents_are_called() -> None:
    runs = pd.concat([bai_runs("T&S", [50], [True]), bai_runs("<b>bold", [60], [True])])
    results = Results(runs, CELL)
    table = ElementTree.fromstring(results._repr_html_())
    headings = [cell.text or "" for cell in table.iter("th")]
    cells = [[cell.text for cell in row.iter("td")] for row in table.iter("tr")]
    assert headings == [column.header for column in table_of(results.summary()).columns]
    by_name = [dict(zip(headings, row, strict=True)) for row in cells if row]
    assert [row["agent"] for row in by_name] == ["T&S", "<b>bold"]
    assert [row["rank"] for row in by_name] == ["1", "2"]

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.display.tables import WIDTH, as_text, markdown
from explorative_user_env.results.metrics import summarize, summarize_play
from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import (
    LEGEND,
    REGRET_LEGEND,
    legend_of,
    regret_table,
    summary_table,
    table_of,
)

# Four runs: right, wrong, cut off with the right guess, cut off with a wrong one.
TIMES = np.array([100, 200, 1000, 1000])
CORRECT = np.array([True, False, True, False])
CENSORED = np.array([False, False, True, True])

CELL = {"task": "bai", "setting": "printed", "n_arms": 5, "delta": 0.1, "step_cost": 1e-3}
PLAY_CELL = {"task": "regret", "setting": "printed", "n_arms": 5, "delta": 0.1, "horizon": 10}


def cost(**options: Any) -> float:
    given: dict[str, Any] = {"delta": 0.1, "step_cost": 1e-3} | options
    return float(summarize(TIMES, TIMES // 2, CORRECT, CENSORED, **given)["cost"])


def bai_runs(agent: str, times: list[int], correct: list[bool]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "agent": agent,
            "stopping_time": times,
            "rejections": 0,
            "correct": correct,
            "censored": False,
        }
    )


def play_runs(agent: str, regrets: list[float]) -> pd.DataFrame:
    runs = {"regret": regrets, "utility": 1.0, "acceptances": 5, "best_arm": 1}
    return pd.DataFrame(runs | {"agent": agent, "last_arm": 1, "most_accepted_arm": 0})


def wide_summary(over_horizon: bool, longest: int = 21_000) -> pd.DataFrame:
    """Figures as wide as they get in a study of 100 arms."""
    names = ["Full-information", "RecurrentPPO", "MaskablePPO"]
    if over_horizon:
        frames = [play_runs(name, [999_000.0, 990_000.0, 988_888.0]) for name in names]
        cell = PLAY_CELL | {"n_arms": 100, "horizon": 100_000}
    else:
        times = [longest, longest - longest // 20, longest]
        frames = [bai_runs(name, times, [True, False, True]) for name in names]
        cell = CELL | {"n_arms": 100, "delta": 0.005}
    return Results(pd.concat(frames), cell).summary()


def test_the_cost_is_time_at_its_price_and_every_run_without_success() -> None:
    # One success of four; 1 - 1/4 counts the runs cut off as failures, right guess or not.
    assert cost() == pytest.approx(1e-3 * 575 + 0.75)


def test_all_runs_count_in_the_cost_where_a_setting_drops_censored_ones() -> None:
    assert cost(drops_censored=True) == pytest.approx(cost())


def test_the_cost_is_a_failure_rate_where_steps_are_free() -> None:
    assert cost(step_cost=0.0) == 0.75


def test_the_cost_of_an_evaluation_is_by_its_step_cost() -> None:
    facts: dict[str, Any] = {"n_arms": 2, "n_instances": 20, "delta": 0.3, "progress": False}
    results = eu.evaluate([BAIR()], step_cost=0.01, **facts)
    runs, row = results.runs, results.summary().iloc[0]
    failures = 1 - (runs["correct"] & ~runs["censored"]).mean()
    assert row["cost"] == pytest.approx(0.01 * runs["stopping_time"].mean() + failures)
    assert results.cell["step_cost"] == row["step_cost"] == 0.01
    usual = eu.evaluate([BAIR()], **facts).summary().iloc[0]
    assert usual["cost"] == pytest.approx(5e-4 * runs["stopping_time"].mean() + failures)


@pytest.mark.parametrize("step_cost", [-1e-9, math.nan, math.inf])
def test_a_step_cost_below_0_or_not_finite_is_refused(step_cost: float) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="step_cost must be a finite number of at"):
        eu.evaluate([BAIR()], n_instances=2, step_cost=step_cost, progress=False)


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


def test_over_a_horizon_agents_rank_by_regret() -> None:
    runs = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 1.0])])
    summary = Results(runs, PLAY_CELL).summary()
    assert summary["rank"].tolist() == [2, 1]
    assert summary["regret"].tolist() == [8.0, 1.5]


def test_the_figures_of_a_play_are_means_with_their_intervals() -> None:
    regrets, utilities = np.array([1.0, 2.0, 6.0]), np.array([-1.0, 0.0, 4.0])
    last, most = np.array([True, False, False]), np.array([True, True, False])
    accepted = np.array([5, 10, 0])
    figures = summarize_play(regrets, utilities, accepted, last, most, horizon=20)
    assert figures["n_runs"] == 3
    assert (figures["regret"], figures["utility"]) == (3.0, 1.0)
    assert figures["acceptance_rate"] == pytest.approx(0.25)
    assert figures["last_is_best"] == pytest.approx(1 / 3)
    assert figures["most_accepted_is_best"] == pytest.approx(2 / 3)
    half = stats.t.ppf(0.975, 2) * np.std(regrets, ddof=1) / math.sqrt(3)
    assert figures["regret_low"] == pytest.approx(3.0 - half)
    assert figures["regret_high"] == pytest.approx(3.0 + half)
    assert figures["utility_high"] == pytest.approx(1.0 + half)  # the same spread
    wilson = stats.binomtest(1, 3).proportion_ci(0.95, method="wilson")
    assert (figures["last_is_best_low"], figures["last_is_best_high"]) == (wilson.low, wilson.high)
    wilson = stats.binomtest(2, 3).proportion_ci(0.95, method="wilson")
    assert figures["most_accepted_is_best_low"] == wilson.low
    assert figures["most_accepted_is_best_high"] == wilson.high


def test_one_play_has_a_mean_and_no_interval() -> None:
    one = np.ones(1)
    figures = summarize_play(one, one, one, one == 1, one == 1, horizon=1)
    assert figures["regret"] == figures["acceptance_rate"] == 1.0
    assert math.isnan(figures["regret_low"])
    assert math.isnan(figures["regret_high"])


def headers(summary: pd.DataFrame) -> list[str]:
    return [str(column.header) for column in table_of(summary).columns]


def test_the_table_of_regret_has_its_columns_and_figures() -> None:
    runs = pd.concat([play_runs("bad", [9.0, 7.0]), play_runs("good", [2.0, 2.0])])
    summary = Results(runs, PLAY_CELL).summary()
    columns = ["K", "T", "agent", "regret", "utility", "acc. %", "last best", "most acc. best"]
    assert headers(summary) == columns
    bad, good = as_text(regret_table(summary)).splitlines()[-2:]
    assert bad.split()[:6] == ["5", "10", "bad", "8", "±", "13"]
    assert good.split()[:6] == ["5", "10", "good", "2", "1", "50.0"]
    assert "1.00 [.342, 1.00]" in good
    assert ".000 [.000, .658]" in good


def test_the_table_of_answers_has_cost_and_rank() -> None:
    summary = Results(bai_runs("one", [100, 300], [True, False]), CELL).summary()
    assert headers(summary)[-2:] == ["cost", "rank"]
    line = as_text(summary_table(summary)).splitlines()[-1]
    assert line.split()[-2:] == [".700", "1"]


def test_a_cost_above_1_keeps_its_digit() -> None:
    summary = Results(bai_runs("one", [1500], [True]), CELL).summary()
    assert as_text(summary_table(summary)).splitlines()[-1].split()[-2:] == ["1.500", "1"]


def test_beside_published_figures_cost_and_rank_give_way() -> None:
    summary = Results(bai_runs("one", [100, 300], [True, False]), CELL).summary()
    published = {"published_stopping_time": 99.0, "published_rejection_rate": 0.1}
    summary = summary.assign(**published, published_success=0.999)
    assert not {"cost", "rank"} & set(headers(summary))
    assert headers(summary).count("paper") == 3


@pytest.mark.parametrize("over_horizon", [True, False])
def test_the_widest_table_fits_100_columns_with_nothing_cut_off(over_horizon: bool) -> None:
    summary = wide_summary(over_horizon)
    text = as_text(table_of(summary))
    assert max(map(len, text.splitlines())) <= WIDTH == 100
    assert "…" not in text
    for name in summary["agent"]:
        assert sum(name in line for line in text.splitlines()) == 1


PUBLISHED = {
    "published_stopping_time": 20_000.0,
    "published_rejection_rate": 0.123,
    "published_success": 0.999,
}


@pytest.mark.parametrize("published", [{}, PUBLISHED])
def test_even_absurd_figures_stay_within_100_columns(published: dict[str, float]) -> None:
    summary = wide_summary(over_horizon=False, longest=10**9).assign(**published)
    assert max(map(len, as_text(table_of(summary)).splitlines())) <= 100


@pytest.mark.parametrize("over_horizon", [True, False])
def test_markdown_has_the_columns_and_rows_of_the_table(over_horizon: bool) -> None:
    table = table_of(wide_summary(over_horizon))
    lines = markdown(table).splitlines()
    assert len(lines) == 2 + 3
    assert {line.count("|") for line in lines} == {len(table.columns) + 1}


def test_the_legend_is_that_of_the_task() -> None:
    assert legend_of(wide_summary(over_horizon=True)) == REGRET_LEGEND
    summary = wide_summary(over_horizon=False)
    assert legend_of(summary.assign(published_success=1.0)) == LEGEND
    assert legend_of(summary.drop(columns="published_success", errors="ignore")) == (
        *LEGEND,
        "cost: c T + error, by which agents rank.",
    )


@pytest.mark.parametrize("task", ["bai", "regret"])
def test_printed_results_are_the_table_of_their_task(task: str) -> None:
    time = {"regret": "horizon", "bai": "baseline_time"}[task]
    facts: dict[str, Any] = {"n_arms": 2, "n_instances": 5, "progress": False, time: 20}
    text = str(eu.evaluate([Uniform()], task=task, **facts))
    assert ("regret" in text) == (task == "regret")
    assert ("stopping time" in text) == (task == "bai")
    assert "UNI" in text

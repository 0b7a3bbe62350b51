from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.results import metrics
from explorative_user_env.users.population import Population


def summarize(runs: pd.DataFrame, *, delta: float, step_cost: float, **setting: Any) -> Any:
    """The figures of best-arm identification, with a setting that reports them in its own way."""
    users = Population(setting=replace(Population().setting, **setting))
    return metrics.summarize(runs, {"task": "bai", "step_cost": step_cost}, users, delta)


# Four runs: right, wrong, cut off with the right guess, cut off with a wrong one.
TIMES = np.array([100, 200, 1000, 1000])

CORRECT = np.array([True, False, True, False])

CENSORED = np.array([False, False, True, True])

RUNS = pd.DataFrame(
    {
        "stopping_time": TIMES,
        "rejections": TIMES // 2,
        "correct": CORRECT,
        "censored": CENSORED,
        "left": False,
    }
)


def cost(**options: Any) -> float:
    given: dict[str, Any] = {"delta": 0.1, "step_cost": 1e-3} | options
    return float(summarize(RUNS, **given)["cost"])


def test_the_cost_is_time_at_its_price_and_every_run_without_success() -> None:
    # One success of four; 1 - 1/4 counts the runs cut off as failures, right guess or not.
    assert cost() == pytest.approx(1e-3 * 575 + 0.75)


def test_all_runs_count_in_the_cost_where_a_setting_drops_censored_ones() -> None:
    assert cost(drops_censored=True) == pytest.approx(cost())


def test_the_cost_is_a_failure_rate_where_steps_are_free() -> None:
    assert cost(step_cost=0.0) == 0.75

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.results.intervals import mean_interval, share_interval
from explorative_user_env.results.metrics import summarize
from explorative_user_env.users.population import Population


def figures_of(task: str, runs: pd.DataFrame, horizon: int) -> dict[str, Any]:
    return summarize(runs, {"task": task, "horizon": horizon}, Population(), 0.1)


def play(regrets: Any, utilities: Any, accepted: Any, last: Any, most: Any) -> pd.DataFrame:
    """Runs over a horizon, or episodes."""
    columns = {"regret": regrets, "utility": utilities, "acceptances": accepted}
    columns |= {"last_arm": np.where(last, 0, 1), "best_arm": 0, "most_accepted_is_best": most}
    return pd.DataFrame(columns)


def test_the_figures_of_a_play_are_means_with_their_intervals() -> None:
    regrets, utilities = np.array([1.0, 2.0, 6.0]), np.array([-1.0, 0.0, 4.0])
    last, most = np.array([True, False, False]), np.array([True, True, False])
    accepted = np.array([5, 10, 0])
    figures = figures_of("regret", play(regrets, utilities, accepted, last, most), horizon=20)
    assert figures["n_runs"] == 3
    assert (figures["regret"], figures["utility"]) == (3.0, 1.0)
    assert figures["acceptance_rate"] == pytest.approx(0.25)
    assert figures["last_is_best"] == pytest.approx(1 / 3)
    assert figures["most_accepted_is_best"] == pytest.approx(2 / 3)
    assert (figures["regret_low"], figures["regret_high"]) == mean_interval(regrets)
    assert (figures["utility_low"], figures["utility_high"]) == mean_interval(utilities)
    for name, shares in (("last_is_best", last), ("most_accepted_is_best", most)):
        assert (figures[f"{name}_low"], figures[f"{name}_high"]) == share_interval(shares)


def test_a_tie_counts_as_a_share_of_a_play() -> None:
    one, shares = np.ones(4), np.array([1.0, 1 / 3, 1 / 3, 1.0])
    figures = figures_of("regret", play(one, one, one, one == 1, shares), horizon=1)
    assert figures["most_accepted_is_best"] == pytest.approx(2 / 3)
    assert figures["most_accepted_is_best_low"] == share_interval(shares)[0]


def test_the_interval_of_a_share_of_users_stays_among_shares() -> None:
    last, most = np.array([0.0, 0.0, 0.0, 0.9]), np.array([0.1, 1.0, 1.0, 1.0])
    few = np.array([-5.0, 0.0, 0.0, 40.0])
    runs = play(few, few, np.ones(4), last, most)
    runs = runs.assign(last_is_best=last, regret_by_user=[f"{each} {each}" for each in few])
    figures = figures_of("population", runs, horizon=1)
    for name, shares in (("last_is_best", last), ("most_accepted_is_best", most)):
        low, high = mean_interval(shares)
        assert (figures[f"{name}_low"], figures[f"{name}_high"]) == (max(low, 0), min(high, 1))
    assert figures["last_is_best_low"] == 0.0 > mean_interval(last)[0]
    assert figures["most_accepted_is_best_high"] == 1.0 < mean_interval(most)[1]
    assert (figures["regret_low"], figures["regret_high"]) == mean_interval(few)


def test_one_play_has_a_mean_and_no_interval() -> None:
    one = np.ones(1)
    figures = figures_of("regret", play(one, one, one, one == 1, one == 1), horizon=1)
    assert figures["regret"] == figures["acceptance_rate"] == 1.0
    assert math.isnan(figures["regret_low"])
    assert math.isnan(figures["regret_high"])

import math

import numpy as np
import pytest
from scipy import stats

from explorative_user_env.results.metrics import summarize_play


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


def test_a_tie_s_credit_widens_the_interval_to_whole_numbers_on_both_sides() -> None:
    one, shares = np.ones(4), np.array([1.0, 1 / 3, 1 / 3, 1.0])
    figures = summarize_play(one, one, one, one == 1, shares, horizon=1)
    assert figures["most_accepted_is_best"] == pytest.approx(2 / 3)
    low, high = (stats.binomtest(k, 4).proportion_ci(0.95, method="wilson") for k in (2, 3))
    assert figures["most_accepted_is_best_low"] == low.low
    assert figures["most_accepted_is_best_high"] == high.high


def test_one_play_has_a_mean_and_no_interval() -> None:
    one = np.ones(1)
    figures = summarize_play(one, one, one, one == 1, one == 1, horizon=1)
    assert figures["regret"] == figures["acceptance_rate"] == 1.0
    assert math.isnan(figures["regret_low"])
    assert math.isnan(figures["regret_high"])

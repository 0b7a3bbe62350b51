import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_results import bai_runs

from explorative_user_env.results import metrics
from explorative_user_env.results.intervals import mean_interval, share_interval
from explorative_user_env.users.population import Population

# Four runs: right, wrong, cut off with the right guess, cut off with a wrong one.
TIMES, REJECTIONS = np.array([100, 200, 1000, 1000]), np.array([10, 10, 500, 0])
RUNS = bai_runs("A", TIMES, [True, False, True, False])
RUNS = RUNS.assign(rejections=REJECTIONS, censored=[False, False, True, True])


def summary(runs=RUNS, **setting):
    users = Population(setting=replace(Population().setting, **setting))
    return metrics.summarize(runs, {"task": "bai", "step_cost": 1e-3}, users, 0.5)


def test_shares_rates_and_cost_are_those_by_hand():
    figures = summary()
    assert (figures["success"], figures["wrong"], figures["censored"]) == (0.25, 0.25, 0.5)
    assert figures["failure_over_delta"] == pytest.approx(0.75 / 0.5)
    assert figures["rejection_rate_mean_of_ratios"] == pytest.approx((0.1 + 0.05 + 0.5 + 0) / 4)
    assert figures["rejection_rate_ratio_of_means"] == pytest.approx(520 / 2300)
    # 1 - 1/4 counts the runs cut off as failures, right guess or not, dropped elsewhere or not.
    assert figures["cost"] == pytest.approx(1e-3 * 575 + 0.75)
    assert summary(drops_censored=True)["cost"] == pytest.approx(figures["cost"])
    short = summary(RUNS[:3].assign(stopping_time=[0, 1, 4], rejections=[0, 1, 1]))
    assert short["rejection_rate_mean_of_ratios"] == pytest.approx((0 + 1 + 0.25) / 3)


def test_the_interval_of_the_headline_rate_is_of_the_mean_or_of_what_is_left_over():
    left_over = (REJECTIONS - 520 / 2300 * TIMES) / TIMES.mean()
    for form, values in (("mean of ratios", REJECTIONS / TIMES), ("ratio of means", left_over)):
        figures = summary(rejection_rate=form)
        rate, low, high = (figures[f"rejection_rate{end}"] for end in ("", "_low", "_high"))
        assert rate == figures["rejection_rate_" + form.replace(" ", "_")]
        assert (low + high) / 2 == pytest.approx(rate)
        apart = mean_interval(values)
        assert high - low == pytest.approx(apart[1] - apart[0], rel=1e-8)


def test_censored_runs_count_in_times_unless_the_setting_drops_them():
    assert (summary()["stopping_time"], summary()["stopping_time_median"]) == (575, 600)
    dropped = summary(drops_censored=True)
    assert dropped["stopping_time"] == dropped["stopping_time_median"] == 150
    assert dropped["rejection_rate_ratio_of_means"] == pytest.approx(20 / 300)
    assert dropped["success"] == 0.25  # never dropped from success
    all_censored = summary(RUNS.assign(censored=True), drops_censored=True)
    assert math.isnan(all_censored["stopping_time"])


def play(regrets, utilities, accepted, last, most):
    columns = {"regret": regrets, "utility": utilities, "acceptances": accepted}
    columns |= {"last_arm": np.where(last, 0, 1), "best_arm": 0, "most_accepted_is_best": most}
    return pd.DataFrame(columns)


def test_the_figures_of_a_play_are_means_with_their_intervals():
    regrets, utilities = np.array([1.0, 2.0, 6.0]), np.array([-1.0, 0.0, 4.0])
    last, most = np.array([True, False, False]), np.array([True, True, False])
    runs = play(regrets, utilities, [5, 10, 0], last, most)
    figures = metrics.summarize(runs, {"task": "regret", "horizon": 20}, Population(), 0.1)
    assert figures["acceptance_rate"] == pytest.approx(0.25)
    for name, values, interval in (
        ("regret", regrets, mean_interval(regrets)),
        ("utility", utilities, mean_interval(utilities)),
        ("last_is_best", last, share_interval(last)),
        ("most_accepted_is_best", most, share_interval(most)),
    ):
        assert figures[name] == pytest.approx(values.mean())
        assert (figures[f"{name}_low"], figures[f"{name}_high"]) == interval


def test_the_interval_of_a_share_of_users_stays_among_shares():
    last, most = np.array([0.0, 0.0, 0.0, 0.9]), np.array([0.1, 1.0, 1.0, 1.0])
    few = np.array([-5.0, 0.0, 0.0, 40.0])
    runs = play(few, few, np.ones(4), last, most)
    runs = runs.assign(last_is_best=last, regret_by_user=[f"{each} {each}" for each in few])
    figures = metrics.summarize(runs, {"task": "population", "horizon": 1}, Population(), 0.1)
    for name, shares in (("last_is_best", last), ("most_accepted_is_best", most)):
        low, high = mean_interval(shares)
        assert (figures[f"{name}_low"], figures[f"{name}_high"]) == (max(low, 0), min(high, 1))
    assert figures["last_is_best_low"] == 0.0 > mean_interval(last)[0]
    assert figures["most_accepted_is_best_high"] == 1.0 < mean_interval(most)[1]

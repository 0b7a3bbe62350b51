from itertools import chain, combinations, product

import numpy as np
import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs
from scipy import stats

from explorative_user_env.results import compare as module
from explorative_user_env.results.compare import crossed_difference, paired_difference
from explorative_user_env.results.intervals import mean_interval, mean_p_value
from explorative_user_env.results.intervals import paired_difference_interval as of_pairs
from explorative_user_env.results.results import Results
from explorative_user_env.validation import InvalidArgumentError


def with_users(*frames):
    users = {"instance": range(len(frames[0])), "user_seed": range(0, 7 * len(frames[0]), 7)}
    return pd.concat([runs.assign(**users) for runs in frames], ignore_index=True)


TIMES = [100, 250, 300, 420, 520, 700]
OTHERS = [90, 300, 310, 420, 600, 900]
RIGHT = [True, True, False, True, True, True]
WRONG = [not right for right in RIGHT]
RUNS = with_users(bai_runs("a", TIMES, RIGHT), bai_runs("b", OTHERS, WRONG))


def compared(results):
    return results.compare("a", "b").frame().set_index("figure")


def test_users_are_paired_by_their_seeds_in_whatever_order_the_runs_are():
    found = compared(Results(RUNS.sample(frac=1.0, random_state=3), CELL))
    apart = np.array(TIMES) - np.array(OTHERS)
    row = found.loc["stopping time"]
    assert (row["low"], row["high"]) == mean_interval(apart)
    assert row["value"] == apart.mean() == row["first"] - row["second"]
    assert found.loc["P(stops sooner)", "value"] == (4 + 0.5) / 6
    assert found.loc["success", "value"] == pytest.approx(4 / 6)


def censored_at(cap, runs):
    cut = runs["stopping_time"] > cap
    return runs.assign(stopping_time=runs["stopping_time"].clip(upper=cap), censored=cut)


def area_below(times, censored, tau):
    """The restricted mean as the area below the Kaplan-Meier curve up to tau, by SciPy."""
    survival = stats.ecdf(stats.CensoredData.right_censored(times, censored)).sf
    steps = np.unique([0.0, *survival.quantiles[survival.quantiles < tau], tau])
    return float(np.sum(survival.evaluate(steps[:-1]) * np.diff(steps)))


def test_a_restricted_mean_is_the_area_below_the_survival_curve():
    rng = np.random.default_rng(0)
    one = censored_at(400, bai_runs("a", rng.geometric(1 / 300, 200), True))
    other = censored_at(700, bai_runs("b", rng.geometric(1 / 500, 200), True))
    row = compared(Results(with_users(one, other), CELL)).loc["stopping time"]
    assert row["tau"] == 400
    for runs, column in ((one, "first"), (other, "second")):
        area = area_below(runs["stopping_time"], runs["censored"], 400.0)
        assert row[column] == pytest.approx(area)


def test_nothing_rests_on_what_would_have_been_beyond_the_cap():
    one, other = (RUNS[RUNS["agent"] == name] for name in "ab")
    times = other["stopping_time"]
    longer = other.assign(stopping_time=times.where(times < 500, 10**6))
    cut = [pd.concat([censored_at(500, one), them]) for them in (other, longer)]
    found, again = (compared(Results(runs, CELL)) for runs in cut)
    pd.testing.assert_frame_equal(found, again)
    assert found.loc["P(stops sooner)", "value"] == (2 + 0.5 * 3) / 6  # three ties
    assert found.loc["success", "first"] == 3 / 6  # who was cut off has none


def test_over_a_horizon_regret_and_utility_are_compared():
    runs = with_users(play_runs("a", [9.0, 7.0, 5.0]), play_runs("b", [1.0, 2.0, 6.0]))
    found = compared(Results(runs, PLAY_CELL))
    assert list(found.index) == ["regret", "P(less regret)", "utility"]
    assert found.loc["regret", "value"] == pytest.approx(4.0)
    assert found.loc["P(less regret)", "value"] == pytest.approx(1 / 3)
    assert (found.loc["utility", "low"], found.loc["utility", "p_value"]) == (0.0, 1.0)


def test_a_line_up_is_compared_with_one_at_a_stated_family_wise_error():
    third = with_users(bai_runs("c", [50, 60, 70, 80, 90, 95], RIGHT))
    results = Results(pd.concat([RUNS, third], ignore_index=True), CELL)
    alone = [module.compare(results, name, "b", 0.975).frame() for name in "ac"]
    together = [each.frame() for each in results.compare_all("b").comparisons]
    columns = ["value", "low", "high"]
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(other[columns].to_numpy(float), one[columns].to_numpy(float))
        assert (other["p_value"] >= one["p_value"]).all()
    least, adjusted = (min(each["p_value"][0] for each in some) for some in (alone, together))
    assert adjusted == pytest.approx(2 * least)


def test_a_means_p_value_is_of_the_interval_that_ends_at_0():
    rng = np.random.default_rng(0)
    for shift in (-0.9, -1.3):
        for sign in (1.0, -1.0):
            values = sign * (rng.exponential(1.0, 60) + shift)
            low, high = mean_interval(values, 1.0 - mean_p_value(values))
            assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-9)
    assert mean_p_value(np.zeros(4)) == 1.0
    assert mean_p_value(np.ones(4)) == 0.0
    assert np.isnan(mean_p_value(np.ones(1)))


def test_mcnemars_test_is_exact():
    """Of 2^7 ways in which 7 unequal pairs could fall, those at least as uneven as 6 to 1."""
    first = np.array([True] * 6 + [False] + [True] * 5)
    second = np.array([False] * 6 + [True] + [True] * 5)
    uneven = [abs(2 * sum(way) - 7) >= 5 for way in product((0, 1), repeat=7)]
    found = paired_difference("success", module.AS_SHARES, first, second, 0.95)
    assert found.p_value == pytest.approx(np.mean(uneven))
    assert (found.first, found.second, found.value) == (11 / 12, 0.5, pytest.approx(5 / 12))
    assert (found.low, found.high) == of_pairs(6, 1, 12)
    assert paired_difference("success", module.AS_SHARES, first, first, 0.95).p_value == 1.0


def test_the_probability_of_less_counts_ties_half():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 6, 50), rng.integers(1, 7, 50)
    found = paired_difference("P", module.AS_PROBABILITY, first, second, 0.95)
    assert found.value == pytest.approx(np.mean((first < second) + 0.5 * (first == second)))
    less, more = int(np.sum(first < second)), int(np.sum(first > second))
    low, high = of_pairs(less, more, 50)
    assert (found.low, found.high) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert found.p_value == pytest.approx(stats.binomtest(less, less + more).pvalue)
    assert np.isnan(found.first)


def test_adjusted_p_values_are_those_of_the_closed_test():
    """Marcus, Peritz and Gabriel 1976: the worst Bonferroni p-value of all sets it belongs to."""
    rng = np.random.default_rng(2)
    for _ in range(9):
        values = rng.random((5, 30)) * rng.random((5, 1)) - 0.1
        zeros = np.zeros(30)
        family = [paired_difference("T", module.AS_MEANS, row, zeros, 0.95) for row in values]
        ps = [each.p_value for each in family]
        sets = list(chain.from_iterable(combinations(range(5), size) for size in range(1, 6)))
        closed = [
            min(1.0, max(len(some) * min(ps[i] for i in some) for some in sets if place in some))
            for place in range(5)
        ]
        assert [each.p_value for each in module.adjusted(family)] == pytest.approx(closed)


def test_over_trainings_and_users_errors_are_added_as_squares():
    apart = np.random.default_rng(6).normal((1.0, 1.5, 0.2, 3.0, 1.2), 1.0, (4, 5))
    of_trainings = stats.ttest_1samp(apart.mean(axis=1), 0.0).confidence_interval()
    halves = [(high - low) / 2 for low, high in (of_trainings, mean_interval(apart.mean(axis=0)))]
    found = crossed_difference("regret", apart + 9.0, np.full(5, 9.0))
    assert (found.first - 9.0, found.second) == (pytest.approx(found.value), 9.0)
    assert found.value == pytest.approx(apart.mean())
    half = np.linalg.norm(halves)
    assert (found.low, found.high) == pytest.approx((apart.mean() - half, apart.mean() + half))
    ends = crossed_difference("regret", apart, np.zeros(5), 1.0 - found.p_value)
    assert ends.low == pytest.approx(0.0, abs=1e-6)


def test_what_cannot_be_compared_is_refused(subtests):
    results, other = Results(RUNS, CELL), RUNS[RUNS["agent"] == "b"]
    alone = RUNS[RUNS["agent"] == "a"]
    strangers = Results(pd.concat([alone, other.assign(user_seed=range(6))]), CELL)
    rows = [
        (results.compare, ("a", "x"), "the argument second must be one of a, b"),
        (results.compare, ("x", "a"), "the argument first must be one of a, b"),
        (results.compare, ("a", "a"), "the argument second must be an agent other than a"),
        (strangers.compare, ("a", "b"), ".*with the same users as a"),
        (Results(alone, CELL).compare_all, ("a",), "the argument against must be one of two or"),
        (results.compare_all, ("x",), "the argument against must be one of a, b"),
        (crossed_difference, ("regret", np.zeros((1, 9)), np.zeros(9)), "trained must be"),
        (crossed_difference, ("regret", np.zeros((3, 9)), np.zeros(8)), "shape of the arg"),
    ]
    for entry, arguments, message in rows:
        with subtests.test(message), pytest.raises(InvalidArgumentError, match=f"^{message}"):
            entry(*arguments)

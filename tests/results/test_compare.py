"""Two agents beside each other, with the same users: against brute force and SciPy."""

from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.results.compare import (
    AS_MEANS,
    AS_PROBABILITY,
    AS_SHARES,
    Comparison,
    adjusted,
    crossed_difference,
    paired_difference,
)
from explorative_user_env.results.intervals import (
    mean_interval,
    mean_p_value,
    paired_difference_interval,
)
from explorative_user_env.results.results import Results


def with_users(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.assign(instance=range(len(runs)), user_seed=[7 * b for b in range(len(runs))])


def bai(**agents: tuple[list[int], list[bool]]) -> pd.DataFrame:
    frames = [with_users(bai_runs(name, times, right)) for name, (times, right) in agents.items()]
    return pd.concat(frames, ignore_index=True)


TIMES = [100, 250, 300, 420, 520, 700]
OTHERS = [90, 300, 310, 420, 600, 900]
RIGHT = [True, True, False, True, True, True]
RUNS = bai(a=(TIMES, RIGHT), b=(OTHERS, [not right for right in RIGHT]))


def figures(comparison: Comparison) -> pd.DataFrame:
    return comparison.frame().set_index("figure")


def test_users_are_paired_by_their_seeds_in_whatever_order_the_runs_are() -> None:
    found = Results(RUNS, CELL).compare("a", "b")
    shuffled = Results(RUNS.sample(frac=1.0, random_state=3), CELL).compare("a", "b")
    assert found.frame().equals(shuffled.frame())
    apart = np.array(TIMES) - np.array(OTHERS)
    row = figures(found).loc["stopping time"]
    assert (row["low"], row["high"]) == mean_interval(apart)
    assert row["value"] == apart.mean() == row["first"] - row["second"]
    assert figures(found).loc["P(stops sooner)", "value"] == (4 + 0.5) / 6
    assert figures(found).loc["success", "value"] == pytest.approx(4 / 6)
    assert (found.n_users, "up to" in str(found)) == (6, False)


def censored_at(cap: int, runs: pd.DataFrame) -> pd.DataFrame:
    """The runs as a step cap leaves them."""
    cut = runs["stopping_time"] > cap
    return runs.assign(stopping_time=runs["stopping_time"].clip(upper=cap), censored=cut)


def area_below(times: np.ndarray, censored: np.ndarray, tau: float) -> float:
    """The restricted mean as the area below the Kaplan-Meier curve up to tau, by SciPy."""
    data = stats.CensoredData.right_censored(times, censored)
    survival = stats.ecdf(data).sf
    steps = np.unique([0.0, *survival.quantiles[survival.quantiles < tau], tau])
    return float(np.sum(survival.evaluate(steps[:-1]) * np.diff(steps)))


def test_a_restricted_mean_is_the_area_below_the_survival_curve() -> None:
    rng = np.random.default_rng(0)
    right = [True] * 200
    drawn = {name: rng.geometric(1 / mean, 200) for name, mean in (("a", 300), ("b", 500))}
    runs = bai(**{name: (times.tolist(), right) for name, times in drawn.items()})
    one, other = (runs[runs["agent"] == name] for name in "ab")
    both = pd.concat([censored_at(400, one), censored_at(700, other)])
    found = Results(both, CELL).compare("a", "b")
    row = figures(found).loc["stopping time"]
    assert row["tau"] == 400
    for name, column in (("a", "first"), ("b", "second")):
        of = both[both["agent"] == name]
        area = area_below(of["stopping_time"].to_numpy(), of["censored"].to_numpy(), 400.0)
        assert row[column] == pytest.approx(area)
    assert found.censored == (float((drawn["a"] > 400).mean()), float((drawn["b"] > 700).mean()))


def test_nothing_rests_on_what_would_have_been_beyond_the_cap() -> None:
    """Where one agent's runs are cut off, the other's longer ones count no longer."""
    one, other = (RUNS[RUNS["agent"] == name] for name in "ab")
    times = other["stopping_time"]
    longer = other.assign(stopping_time=times.where(times < 500, 10**6))
    found = [
        Results(pd.concat([censored_at(500, one), them]), CELL).compare("a", "b").frame()
        for them in (other, longer)
    ]
    pd.testing.assert_frame_equal(*found)
    by_figure = found[0].set_index("figure")
    assert by_figure.loc["P(stops sooner)", "value"] == (2 + 0.5 * 3) / 6  # three ties
    assert by_figure.loc["success", "first"] == 3 / 6  # who was cut off has none


def test_settings_that_drop_censored_runs_do_not_drop_them_here() -> None:
    results = eu.evaluate(
        ["BAIR", "T&S"], setting="released", n_instances=60, max_steps=900, progress=False
    )
    found = results.compare("BAIR", "T&S")
    assert found.n_users == 60
    assert found.censored[1] > 0.1
    runs = results.runs[results.runs["agent"] == "T&S"]
    assert figures(found).loc["stopping time", "second"] == runs["stopping_time"].mean()
    assert results.summary()["stopping_time"][1] < runs["stopping_time"].mean()


def test_over_a_horizon_regret_and_utility_are_compared() -> None:
    runs = [
        with_users(play_runs("a", [9.0, 7.0, 5.0])),
        with_users(play_runs("b", [1.0, 2.0, 6.0])),
    ]
    found = figures(Results(pd.concat(runs), PLAY_CELL).compare("a", "b"))
    assert list(found.index) == ["regret", "P(less regret)", "utility"]
    assert found.loc["regret", "value"] == pytest.approx(4.0)
    assert found.loc["P(less regret)", "value"] == pytest.approx(1 / 3)
    assert (found.loc["utility", "low"], found.loc["utility", "p_value"]) == (0.0, 1.0)


def test_a_line_up_is_compared_with_one_at_a_stated_family_wise_error() -> None:
    three = pd.concat([RUNS, bai(c=([50, 60, 70, 80, 90, 95], RIGHT))], ignore_index=True)
    results = Results(three, CELL)
    found = results.compare_all("b")
    assert [(each.first, each.second) for each in found.comparisons] == [("a", "b"), ("c", "b")]
    assert found.comparisons[0].level == pytest.approx(0.975)
    alone = [figures(results.compare(name, "b")) for name in "ac"]
    together = [figures(each) for each in found.comparisons]
    for one, other in zip(alone, together, strict=True):
        assert (other["low"] < one["low"]).all()
        assert (other["p_value"] >= one["p_value"]).all()
        assert other["value"].equals(one["value"])
    least = min(one.loc["stopping time", "p_value"] for one in alone)
    assert min(one.loc["stopping time", "p_value"] for one in together) == pytest.approx(2 * least)
    assert "hold at once with 95% (Bonferroni)" in " ".join(str(found).split())
    assert len(found.frame()) == 6


def test_a_means_p_value_is_of_the_interval_that_ends_at_0() -> None:
    rng = np.random.default_rng(0)
    for shift in (-0.9, -1.3):
        for sign in (1.0, -1.0):
            values = sign * (rng.exponential(1.0, 60) + shift)
            low, high = mean_interval(values, 1.0 - mean_p_value(values))
            assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-9)
    assert mean_p_value(np.zeros(4)) == 1.0
    assert mean_p_value(np.ones(4)) == 0.0
    assert np.isnan(mean_p_value(np.ones(1)))


def test_mcnemars_test_is_exact() -> None:
    """Of 2^7 ways in which 7 unequal pairs could fall, those at least as uneven as 6 to 1."""
    first = np.array([True] * 6 + [False] + [True] * 5)
    second = np.array([False] * 6 + [True] + [True] * 5)
    uneven = [abs(2 * sum(way) - 7) >= 5 for way in product((0, 1), repeat=7)]
    found = paired_difference("success", AS_SHARES, first, second, 0.95)
    assert found.p_value == pytest.approx(np.mean(uneven))
    assert (found.first, found.second) == (11 / 12, 0.5)
    assert found.value == pytest.approx(5 / 12)
    assert (found.low, found.high) == paired_difference_interval(6, 1, 12)
    assert paired_difference("success", AS_SHARES, first, first, 0.95).p_value == 1.0


def test_the_probability_of_less_counts_ties_half() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 6, 50), rng.integers(1, 7, 50)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    found = paired_difference("P", AS_PROBABILITY, first, second, 0.95)
    assert found.value == pytest.approx(np.mean([(a < b) + 0.5 * (a == b) for a, b in pairs]))
    less, more = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    low, high = paired_difference_interval(less, more, 50)
    assert (found.low, found.high) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert found.p_value == pytest.approx(stats.binomtest(less, less + more).pvalue)
    assert np.isnan(found.first)
    turned = paired_difference("P", AS_PROBABILITY, second, first, 0.95)
    assert (turned.value, turned.high) == pytest.approx((1 - found.value, 1 - found.low))


def test_adjusted_p_values_are_those_of_the_closed_test() -> None:
    """Marcus, Peritz and Gabriel 1976: the worst Bonferroni p-value of all sets it belongs to."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        values = rng.random((5, 30)) * rng.random((5, 1)) - 0.1
        family = [paired_difference("time", AS_MEANS, row, np.zeros(30), 0.95) for row in values]
        ps = [each.p_value for each in family]
        sets = list(chain.from_iterable(combinations(range(5), size) for size in range(1, 6)))
        closed = [
            min(1.0, max(len(some) * min(ps[i] for i in some) for some in sets if place in some))
            for place in range(5)
        ]
        assert [each.p_value for each in adjusted(family)] == pytest.approx(closed)


LEVEL = 0.95


def differences(
    rng: np.random.Generator, shape: tuple[int, int], spreads: tuple[float, float, float]
) -> np.ndarray:
    """Return differences around 0: of trainings, of users, and of chance in a run."""
    of_training, of_user, of_run = spreads
    n_trainings, n_users = shape
    trainings = rng.normal(0.0, of_training, (n_trainings, 1))
    users = rng.normal(0.0, of_user, n_users)
    return trainings + users + rng.normal(0.0, of_run, shape)


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng, n_times = np.random.default_rng(3), 100
    least = LEVEL - 4.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / n_times)
    for spreads in ((0.0, 1.0, 1.0), (0.3, 1.0, 1.0), (3.0, 0.5, 1.0)):
        held, held_by_users = 0, 0
        for _ in range(n_times):
            apart = differences(rng, (3, 60), spreads)
            by_user = apart.mean(axis=0)
            found = crossed_difference("regret", apart, np.zeros(60), LEVEL)
            held += found.low <= 0.0 <= found.high
            low, high = mean_interval(by_user, LEVEL)
            held_by_users += low <= 0.0 <= high
        assert held / n_times > least
    assert held_by_users / n_times < 0.5  # users alone are too sure where trainings differ


def test_the_p_value_is_that_of_the_interval_that_ends_at_nothing() -> None:
    trained = 1.0 + differences(np.random.default_rng(6), (4, 50), (0.5, 1.0, 1.0))
    found = crossed_difference("regret", trained + 9.0, np.full(50, 9.0), LEVEL)
    assert (found.first - 9.0, found.second) == (pytest.approx(found.value), 9.0)  # type: ignore[comparison-overlap]
    assert found.value == pytest.approx(trained.mean())
    ends = crossed_difference("regret", trained, np.zeros(50), 1.0 - found.p_value)
    assert ends.low == pytest.approx(0.0, abs=1e-6)


def test_what_cannot_be_compared_is_refused(subtests: pytest.Subtests) -> None:
    results, other = Results(RUNS, CELL), RUNS[RUNS["agent"] == "b"]
    alone = RUNS[RUNS["agent"] == "a"]
    strangers = [
        Results(pd.concat([alone, each]), CELL)
        for each in (other.iloc[1:], other.assign(user_seed=range(6)))
    ]
    rows: list[tuple[Any, tuple[Any, ...], str]] = [
        (results.compare, ("a", "x"), "second must be one of a, b"),
        (results.compare, ("x", "a"), "first must be one of a, b"),
        (results.compare, ("a", "a"), "second must be another agent"),
        *((each.compare, ("a", "b"), ".*has met the same users as a") for each in strangers),
        (Results(alone, CELL).compare_all, ("a",), "against must be one of at least two"),
        (results.compare_all, ("x",), "against must be one of a, b"),
        *(
            (
                crossed_difference,
                ("regret", np.zeros(shape), np.zeros(shape[-1])),
                "trained must be a table of at least 2",
            )
            for shape in ((1, 9), (3, 1), (9,))
        ),
        (crossed_difference, ("regret", np.zeros((3, 9)), np.zeros(8)), "against must be one v"),
    ]
    for entry, arguments, message in rows:
        with subtests.test(message), pytest.raises(eu.InvalidArgumentError, match=f"^{message}"):
            entry(*arguments)

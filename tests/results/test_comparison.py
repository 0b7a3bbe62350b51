"""Two agents beside each other, with the same users."""

import re

import numpy as np
import pandas as pd
import pytest
from made_results import CELL, PLAY_CELL, bai_runs, play_runs
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.results.compare import Comparison
from explorative_user_env.results.intervals import mean_interval
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
    assert found.n_users == 6
    assert "up to" not in str(found)


def test_the_other_way_round_signs_and_ends_change_places() -> None:
    one, other = (figures(Results(RUNS, CELL).compare(*names)) for names in ("ab", "ba"))
    for figure in ("stopping time", "success"):
        assert one.loc[figure, "low"] == pytest.approx(-other.loc[figure, "high"])
        assert one.loc[figure, "p_value"] == pytest.approx(other.loc[figure, "p_value"])


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
    sooner = found[0].set_index("figure").loc["P(stops sooner)", "value"]
    assert sooner == (2 + 0.5 * 3) / 6  # 420 or 500 with both: three ties


def test_a_run_that_was_cut_off_is_no_success_and_is_told_of() -> None:
    runs = censored_at(500, RUNS)
    found = Results(runs, CELL).compare("a", "b")
    assert figures(found).loc["success", "first"] == pytest.approx(3 / 6)
    said = " ".join(str(found).split())
    assert "stopping time, up to 500" in said
    assert "The step cap ended 0.333 of a's and 0.333 of b's runs" in said
    assert "up to 500" in found._repr_html_()


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
    said = " ".join(str(found).split())
    assert "The 2 intervals of a figure hold at once with 95% (Bonferroni)" in said
    assert "[97.5%]" in str(found.comparisons[0])
    assert len(found.frame()) == 6


def test_in_a_line_up_each_is_compared_up_to_where_its_own_pair_was_cut_off() -> None:
    three = pd.concat([RUNS, censored_at(60, bai(c=([50, 60, 70, 80, 90, 95], RIGHT)))])
    found = Results(three, CELL).compare_all("b")
    table = str(found).splitlines()
    assert table[0].split()[:4] == ["minus", "b", "up", "to"]
    assert next(line for line in table if line.strip().startswith("c ")).split()[1] == "60"
    assert "0.667 of c's and 0.000 of b's" in str(found)
    assert not re.search("of a's", str(found))


def test_a_difference_that_is_one_users_doing_is_marked() -> None:
    n = 120
    times, right = list(range(100, 100 + n)), [True] * n
    runs = bai(a=(times, right), b=([50_000, *times[1:]], right))
    found = Results(runs, CELL).compare("a", "b")
    assert figures(found)["dominated"].tolist() == [True, False, False]
    said = " ".join(str(found).split())
    assert "one user has most of the variance of a minus b" in said
    assert re.search(r"-\d+\.\d\* \[", str(found))


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("a", "x"), "second must be one of a, b, got 'x'"),
        (("x", "a"), "first must be one of a, b, got 'x'"),
        (("a", "a"), "second must be another agent than the first, got 'a'"),
        (("a", 1), "second must be one of a, b, got 1"),
    ],
)
def test_what_is_no_pair_is_named(names: tuple[str, str], told: str) -> None:
    with pytest.raises(eu.InvalidArgumentError) as caught:
        Results(RUNS, CELL).compare(*names)
    assert str(caught.value) == told


def test_agents_that_met_other_users_are_not_compared() -> None:
    other = RUNS[RUNS["agent"] == "b"]
    for runs in (other.iloc[1:], other.assign(user_seed=range(6))):
        both = pd.concat([RUNS[RUNS["agent"] == "a"], runs])
        with pytest.raises(eu.InvalidArgumentError, match="that has met the same users as a"):
            Results(both, CELL).compare("a", "b")


def test_one_agent_has_nobody_to_be_compared_with() -> None:
    alone = Results(RUNS[RUNS["agent"] == "a"], CELL)
    with pytest.raises(eu.InvalidArgumentError, match="against must be one of at least two agents"):
        alone.compare_all("a")
    with pytest.raises(eu.InvalidArgumentError, match="against must be one of a, b, got 'x'"):
        Results(RUNS, CELL).compare_all("x")

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_results import CELL, bai_runs
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.display.plots import as_png, new_figure
from explorative_user_env.results import intervals
from explorative_user_env.results import plots as module
from explorative_user_env.results.intervals import mean_interval, proportion_interval
from explorative_user_env.results.plots import course_of, courses_of, figure_by_cell
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.theory import lower_bound
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

pytest.importorskip("matplotlib")


def legend_of_plot(axes):
    """What a legend calls each line, with the line's look."""
    legend = axes.get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    return dict(zip(names, legend.legend_handles, strict=True))


def line_of(axes, name):
    """The points of the line that a legend calls so, found by its colour and dashes."""
    handle = legend_of_plot(axes)[name]
    handle = handle.lines[0] if hasattr(handle, "lines") else handle
    look = handle.get_color(), handle.get_linestyle()
    lines = [each for each in axes.get_lines() if len(each.get_xdata()) > 0]
    (line,) = (each for each in lines if (each.get_color(), each.get_linestyle()) == look)
    return tuple(np.asarray(data, float).tolist() for data in line.get_data())


def corners_of(band):
    """The corners of what `fill_between` has drawn."""
    (path,) = band.get_paths()
    return {tuple(point) for point in np.asarray(path.vertices).tolist()}


@pytest.fixture(scope="module")
def bai():
    how = {"n_instances": 9, "n_arms": 3, "max_steps": 400, "check_theory": True}
    return eu.evaluate(["BAIR", "T&S", "UNI"], progress=False, **how)


@pytest.fixture(scope="module")
def plays():
    how = {"task": "regret", "horizon": 60, "n_instances": 4, "n_arms": 3}
    return eu.evaluate(["UCB1", "UNI"], compiled=False, progress=False, **how)


@pytest.fixture(scope="module")
def sweep():
    return sweep_of((0.1,), (5, 2), n_instances=8, check_theory=True)


def sweep_of(deltas, n_arms, **options):
    agents = options.pop("agents", ["BAIR", "UNI"])
    return eu.sweep(agents, deltas, n_arms, **{"n_instances": 2, "progress": False} | options)


def own_of(results, agent):
    return results.runs[results.runs["agent"] == agent]


def test_phase_1_is_shown_as_shares_of_runs_beside_its_bound(bai):
    checks = bai.checks[:4].assign(rounds=[5, 0, 2, 2], rounds_broken=[True, *[False] * 3])
    axes = replace(bai, checks=checks).plot("rounds")
    assert line_of(axes, "BAIR") == ([0, 0, 2, 2, 5], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert list(legend_of_plot(axes)) == ["BAIR", "bound: 25.0% of\nthe runs above"]
    (bound,) = (line for line in axes.get_lines() if list(line.get_ydata()) == [0, 1])
    assert np.asarray(bound.get_xdata()).tolist() == [bai.checks["rounds_bound"].iloc[0]] * 2


@pytest.mark.slow
def test_a_plot_is_a_picture_where_it_is_the_last_value_of_a_cell(bai):
    axes = bai.plot()
    assert axes._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(axes)).get_ylabel() == axes.get_ylabel()


def test_without_matplotlib_one_line_says_how_to_get_it(bai, monkeypatch):
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"^pictures need matplotlib: pip install"):
        bai.plot()


def intervals_in(axes, side):
    """The values and the ends of the intervals of each line: 0 along x, 1 along y."""
    found = []
    for points, _, (ranges,) in axes.containers:
        segments = [np.asarray(each) for each in ranges.get_segments()]
        ends = [each[:, side].tolist() if each.size else [np.nan] * 2 for each in segments]
        values = np.asarray(points.get_data()[side], float)
        found.append([(value, *end) for value, end in zip(values, ends, strict=True)])
    return found


def test_each_of_a_line_up_has_a_line_with_the_family_wise_interval(bai):
    compared = bai.compare_all("BAIR")
    for place, figure in enumerate(("stopping time", "P(stops sooner)")):
        axes = compared.plot(figure)
        names = [text.get_text().split("\n")[0] for text in axes.get_yticklabels()]
        assert names == ["T&S", "UNI"]
        own = [each.differences[place] for each in compared.comparisons]
        expected = [pytest.approx((each.value, each.low, each.high)) for each in own]
        assert intervals_in(axes, 0) == [expected]
        assert 0.5 * place in [line.get_xdata()[0] for line in axes.get_lines()]


def test_the_obvious_one_is_drawn_into_axes_that_are_given(bai, plays, sweep):
    labels = (
        "share of runs with success",
        "regret up to t",
        "stopping time T",
        "difference of means",
    )
    drawn = bai, plays, sweep, bai.compare("UNI", "BAIR")
    for results, label in zip(drawn, labels, strict=True):
        axes = new_figure(3, 2).subplots()
        assert results.plot(axes=axes) is axes
        assert not hasattr(axes, "_repr_png_")  # who gives axes shows them
        assert label in axes.get_ylabel() + axes.get_xlabel()


def test_what_cannot_be_drawn_is_refused(bai, plays, sweep, subtests):
    moving = replace(bai, population=replace(bai.population, behaviour="drifting"))
    same = Sweep([sweep.cells[0]] * 2)
    unchecked = Sweep([replace(each, checks=None) for each in sweep.cells])
    rows = [
        (bai, "pie", "kind must be one of success, .* for these results"),
        (plays, "success", "kind must be one of regret, .*success needs best-arm identification"),
        (plays, "regret_by_user", "kind must be one of .*needs the task population"),
        (sweep, "regret", "kind must be one of "),
        (unchecked, "rounds", "kind must be one of rejection_rate, stopping"),
        (same, "success", "cells must be cells that differ in K"),
        (replace(bai, line_up={}), "acceptances", "kind must be .*needs the code of an agent"),
        (moving, "regret", "kind must be .*users with constant means"),
        (bai.compare("BAIR", "UNI"), "regret", r"figure must be one of P\(stops sooner"),
    ]
    for drawn, kind, message in rows:
        with subtests.test(message), pytest.raises(InvalidArgumentError, match=f"^{message}"):
            drawn.plot(kind)


def test_each_agent_has_a_line_over_k_with_the_summarys_intervals(sweep):
    summary = sweep.summary()
    for figure in ("stopping_time", "rejection_rate"):
        axes = figure_by_cell(sweep, figure)
        for agent, line in zip(("BAIR", "UNI"), intervals_in(axes, 1), strict=True):
            own = summary[summary["agent"] == agent].sort_values("n_arms")
            rows = own[[figure, f"{figure}_low", f"{figure}_high"]].to_numpy()
            assert np.array(line) == pytest.approx(rows)
        assert list(legend_of_plot(axes)) == ["BAIR", "UNI"]
        assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "5"]


def test_over_one_over_delta_the_theorys_bounds_stand_beside_the_times():
    axes = figure_by_cell(sweep_of((0.2, 0.05, 0.1), (3,)))
    lower, _ = (name for name in legend_of_plot(axes) if "bound" in name)
    bounds = [lower_bound(delta, 0.5, c=0.25) for delta in (0.2, 0.1, 0.05)]
    assert line_of(axes, lower) == (pytest.approx([5, 10, 20]), pytest.approx(bounds))
    assert axes.get_xlabel() == "1/δ"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "10", "20"]


@pytest.mark.parametrize(("setting", "n1"), [("released", None), ("printed", 3)])
def test_the_upper_bound_is_of_bairs_own_options(setting, n1):
    options = {"agents": [BAIR(n1=n1)], "setting": setting, "check_theory": True}
    cells = sweep_of((0.2, 0.1), (3,), **options).cells
    (upper,) = (each for each in module.theory_curves(cells) if each.name.startswith("upper"))
    bounds = [np.mean(each.checks["recommendations_bound"]) for each in cells]
    assert upper.y.tolist() == pytest.approx(bounds)


def test_bounds_are_drawn_for_users_and_agents_whom_the_theorems_are_about():
    for users, expected in (
        ({"noise": 0.1}, []),
        ({"behaviour": "omniscient"}, []),
        ({"reward_law": "bounded"}, []),
        ({"agents": ["UNI"], "baseline_time": 9}, ["lower"]),
        ({"means": [0.1, 0.5, 0.9]}, ["upper"]),  # of no gap that is known
    ):
        curves = module.theory_curves(sweep_of((0.2, 0.1), (3,), compiled=False, **users).cells)
        assert [each.name.split()[0] for each in curves] == expected, users


def test_a_course_ends_with_what_the_rows_have(plays, bai):
    found = courses_of(plays, "regret")
    assert (found.times[0], found.times[-1]) == (0, 60)
    for agent, totals in found.totals.items():
        regrets = own_of(plays, agent)["regret"].tolist()
        assert totals[:, 0].tolist() == [0.0] * 4
        assert totals[:, -1].tolist() == pytest.approx(regrets, rel=1e-9)
    for agent, totals in courses_of(bai, "rejections").totals.items():
        own = own_of(bai, agent)
        ended = ~own["censored"].to_numpy()
        assert totals[ended, -1].tolist() == own["rejections"][ended].tolist()


def test_in_between_it_is_what_a_loop_over_the_steps_finds(bai):
    found = courses_of(bai, "regret")
    row = own_of(bai, "BAIR").iloc[3]
    env = eu.ExplorativeUserEnv(n_arms=3)
    env.reset(seed=int(row["user_seed"]))
    means = env.hidden_state().instance.means
    arms = bai.replay(row).arms
    for place in (1, 40, len(found.times) // 2):
        regrets = [max(means) - means[arm] for arm in arms[: found.times[place]]]
        assert found.totals["BAIR"][3, place] == pytest.approx(sum(regrets))


def test_nobody_knows_what_came_after_a_cap():
    line_up = [eu.agents.TrackAndStop(max_steps=100), "BAIR"]
    capped = eu.evaluate(line_up, n_instances=1, n_arms=3, progress=False)
    found = courses_of(capped, "rejections")
    assert np.isnan(found.totals["T&S"][0]).tolist() == (found.times > 100).tolist()
    assert np.isfinite(found.totals["BAIR"]).all()


@pytest.mark.slow
def test_a_line_is_the_mean_and_its_band_the_interval_at_each_time(bai):
    axes = module.mean_lines(bai, "regret", progress=False)
    found = courses_of(bai, "regret")
    times, middle = found.times.tolist(), len(found.times) // 2
    for place, (agent, totals) in enumerate(found.totals.items()):
        assert line_of(axes, agent) == (times, pytest.approx(np.mean(totals, axis=0)))
        ends = {(times[middle], end) for end in mean_interval(totals[:, middle])}
        assert ends <= corners_of(axes.collections[place])


def test_acceptances_of_each_arm_are_counted_up(bai):
    episode = bai.replay(0)
    axes = module.acceptances_by_arm(episode, 1)
    for arm, name in enumerate(("arm 0", "arm 1 (best)", "arm 2")):
        accepted = np.array(episode.accepted) & (np.array(episode.arms) == arm)
        times, counts = line_of(axes, name)
        assert times == list(range(episode.stopping_time + 1))
        assert counts == [0, *np.cumsum(accepted).tolist()]


def test_it_is_the_mean_regret_with_each_user_and_says_who_is_a_reference():
    users = {"task": "population", "n_users": 4, "horizon": 7, "n_arms": 3, "n_instances": 3}
    episodes = eu.evaluate(["UNI", "Full-information"], compiled=False, progress=False, **users)
    axes = episodes.plot()
    words = own_of(episodes, "UNI")["regret_by_user"]
    by_hand = np.mean([np.array(each.split(" "), float) for each in words], axis=0)
    assert line_of(axes, "UNI") == ([1, 2, 3, 4], pytest.approx(by_hand))
    assert list(legend_of_plot(axes)) == ["UNI", "Full-information†"]


def results_of(*frames, **cell):
    return Results(pd.concat(frames), CELL | cell, deltas={"A": 0.1, "slow": 0.1})


TIMES, RIGHT = [4, 7, 7, 9, 9, 20], [True, False, True, True, True, True]
MIXED = bai_runs("A", TIMES, RIGHT).assign(censored=[False] * 4 + [True, False])


def test_success_by_a_time_counts_who_has_stopped_and_is_right():
    course = course_of(MIXED, "success")
    assert course["time"].tolist() == [0, 4, 7, 9, 20]
    # At 7 one is wrong; the run that is cut off at 9 would have been right, and is no success.
    assert (6 * course["share"]).round(9).tolist() == [0, 1, 2, 3, 4]
    ends = [proportion_interval(count, 6) for count in (0, 1, 2, 3, 4)]
    assert list(zip(course["low"], course["high"], strict=True)) == ends


def test_intervals_that_hold_at_any_time_are_drawn_where_users_were_met_until_they_did():
    course = course_of(MIXED, "success", any_time=True)
    ends = course["low"].iloc[-1], course["high"].iloc[-1]
    assert ends == intervals.sequence_interval(4, 6, 0.05)
    axes = module.by_time(results_of(MIXED, until_width=0.9), "success")
    heights = {y for _, y in corners_of(axes.collections[0])}
    assert set(course["high"]) <= heights


@pytest.mark.parametrize("cut", [[False] * 6, [True, False] * 2 + [False] * 2, [True] * 6])
def test_the_share_still_going_is_kaplan_and_meiers(cut):
    course = course_of(MIXED.assign(censored=cut), "stopping_times")
    survival = stats.ecdf(stats.CensoredData.right_censored(TIMES, cut)).sf
    assert course["share"].to_numpy() == pytest.approx(survival.evaluate(course["time"]))
    first = min((time for time, gone in zip(TIMES, cut, strict=True) if gone), default=99)
    for row in course.to_dict("records"):
        going = sum(time > row["time"] for time in TIMES)
        ends = proportion_interval(going, 6) if row["time"] < first else (np.nan, np.nan)
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=0, rel=0, nan_ok=True)


def test_each_agent_has_a_line_as_far_as_its_success_is_known():
    slow = bai_runs("slow", [50, 90], True)
    axes = module.by_time(results_of(MIXED, slow), "success")
    assert list(legend_of_plot(axes)) == ["A\n(16.7% censored)", "slow", "1 - δ"]
    times, shares = line_of(axes, "slow")
    assert (times[-1], shares[-1]) == (90, 1.0)
    assert max(line_of(axes, "A\n(16.7% censored)")[0]) == 20  # nobody knows what came after 20
    quick = module.by_time(results_of(MIXED.assign(censored=False), slow), "success")
    assert max(line_of(quick, "A")[0]) == 90  # who has stopped stays so
    assert line_of(axes, "1 - δ")[1] == [0.9, 0.9]


@pytest.mark.slow
def test_of_many_runs_as_many_points_are_drawn_as_can_be_seen_and_each_is_exact():
    times = np.random.default_rng(0).integers(1, 100_000, 400)
    course = course_of(bai_runs("A", times, True), "stopping_times")
    assert len(course) == module.MOST_POINTS
    assert course["time"].iloc[-1] == times.max()
    for row in course.iloc[[1, 150, -1]].to_dict("records"):
        assert row["share"] == pytest.approx(np.mean(times > row["time"]))


@pytest.mark.exhaustive
def test_every_kind_of_plot_is_drawn_whoever_ran_and_however_it_ended():
    how = {"setting": "released", "check_theory": True, "max_steps": 500}
    found = sweep_of((0.2,), (2, 5), agents=["BAIR", "T&S", "UNI", BAIR(name="$a$")], **how)
    for kind in ("stopping_time", "success", "rejection_rate", *module.CHECKED):
        assert as_png(found.plot(kind))
    for kind in {*module.RUN_KINDS} - {"regret_by_user"}:
        assert as_png(found.cells[0].plot(kind, progress=False))

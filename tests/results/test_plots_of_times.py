"""When runs stop and who is right by then: the courses by hand, and what of them is drawn."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_results import CELL, bai_runs
from plots import corners_of, legend_of_plot, line_of

from explorative_user_env.results.intervals import proportion_interval, sequence_interval
from explorative_user_env.results.plots import MOST_POINTS, by_time, course_of
from explorative_user_env.results.results import Results

pytest.importorskip("matplotlib")


success_by_budget = partial(by_time, kind="success")


stopping_time_survival = partial(by_time, kind="stopping_times")


success_course = partial(course_of, kind="success")


survival_course = partial(course_of, kind="stopping_times")


def runs_of(
    times: list[int], correct: list[bool], censored: list[bool], agent: str = "A"
) -> pd.DataFrame:
    return bai_runs(agent, times, correct).assign(censored=censored)


def results_of(*frames: pd.DataFrame, **cell: Any) -> Results:
    names = [str(frame["agent"].iloc[0]) for frame in frames]
    runs = pd.concat(frames, ignore_index=True)
    return Results(runs, CELL | cell, deltas=dict.fromkeys(names, 0.1))


MIXED = runs_of(
    [4, 7, 7, 9, 9, 20], [True, False, True, True, True, True], [False] * 4 + [True, False]
)


def test_success_by_a_time_counts_who_has_stopped_and_is_right() -> None:
    course = success_course(MIXED)
    assert course["time"].tolist() == [0, 4, 7, 9, 20]
    # At 7 one is wrong; the run that is cut off at 9 would have been right, and is no success.
    assert (6 * course["share"]).round(9).tolist() == [0, 1, 2, 3, 4]
    ends = [proportion_interval(count, 6) for count in (0, 1, 2, 3, 4)]
    assert list(zip(course["low"], course["high"], strict=True)) == ends


def test_intervals_that_hold_at_any_time_are_drawn_where_users_were_met_until_they_did() -> None:
    course = success_course(MIXED, any_time=True)
    assert (course["low"].iloc[-1], course["high"].iloc[-1]) == sequence_interval(4, 6, 0.05)
    axes = success_by_budget(results_of(MIXED, until_width=0.9))
    heights = {y for _, y in corners_of(axes.collections[0])}
    assert set(course["high"]) <= heights


def kaplan_meier(times: list[int], cut: list[bool]) -> dict[int, float]:
    """The product over times of 1 - (who stops) / (who is still there), as it is defined."""
    share, found = 1.0, {0: 1.0}
    for time in sorted(set(times)):
        there = sum(each >= time for each in times)
        stops = sum(each == time and not gone for each, gone in zip(times, cut, strict=True))
        share *= 1.0 - stops / there
        found[time] = share
    return found


@pytest.mark.parametrize(
    "cut",
    [
        [False] * 6,
        [False] * 4 + [True, False],
        [True, False, False, True, False, False],
        [True] * 6,
    ],
    ids=["nobody", "one late", "two", "all"],
)
def test_the_share_still_going_is_kaplan_and_meiers(cut: list[bool]) -> None:
    times = [4, 7, 7, 9, 9, 20]
    course = survival_course(runs_of(times, [True] * 6, cut))
    expected = kaplan_meier(times, cut)
    assert course["time"].tolist() == list(expected)
    assert course["share"].tolist() == pytest.approx(list(expected.values()))
    first = min((time for time, gone in zip(times, cut, strict=True) if gone), default=99)
    for row in course.to_dict("records"):
        if row["time"] < first:
            going = sum(time > row["time"] for time in times)
            assert (row["low"], row["high"]) == proportion_interval(going, 6)
        else:
            assert np.isnan([row["low"], row["high"]]).all()


def test_each_agent_has_a_line_as_far_as_its_success_is_known() -> None:
    slow = runs_of([50, 90], [True, True], [False, False], "slow")
    axes = success_by_budget(results_of(MIXED, slow))
    assert list(legend_of_plot(axes)) == ["A\n(16.7% cut off)", "slow", "1 - δ"]
    times, shares = line_of(axes, "slow")
    assert (times[-1], shares[-1]) == (90, 1.0)
    assert max(line_of(axes, "A\n(16.7% cut off)")[0]) == 20  # nobody knows what came after 20
    quick = success_by_budget(results_of(MIXED.assign(censored=False), slow))
    assert max(line_of(quick, "A")[0]) == 90  # who has stopped stays so
    assert line_of(axes, "1 - δ")[1] == [0.9, 0.9]
    assert axes.get_ylabel() == "share stopped and right"
    assert axes.get_xlabel() == "time t, in recommendations"
    assert axes.get_title(loc="left") == "printed, K = 5, δ = 0.1, 6 users"


def test_strokes_mark_where_runs_were_cut_off() -> None:
    axes = stopping_time_survival(results_of(MIXED))
    strokes = [line for line in axes.get_lines() if line.get_marker() == "|"]
    (stroke,) = strokes
    assert np.asarray(stroke.get_xdata()).tolist() == [9]
    assert np.asarray(stroke.get_ydata()).tolist() == pytest.approx([3 / 6 * 2 / 3])
    times, shares = line_of(axes, "A\n(16.7% cut off)")
    assert dict(zip(times, shares, strict=True)) == pytest.approx(
        kaplan_meier([4, 7, 7, 9, 9, 20], [False] * 4 + [True, False])
    )


def test_of_many_runs_as_many_points_are_drawn_as_can_be_seen_and_each_is_exact() -> None:
    times = np.random.default_rng(0).integers(1, 100_000, 5000)
    course = survival_course(runs_of(times.tolist(), [True] * 5000, [False] * 5000))
    assert len(course) == MOST_POINTS
    assert course["time"].iloc[-1] == times.max()
    for row in course.iloc[[1, 150, -1]].to_dict("records"):
        assert row["share"] == pytest.approx(np.mean(times > row["time"]))

"""Plots over time show the means of the replayed runs, and say how many these are."""

from itertools import accumulate

import numpy as np
import pytest
from plots import corners_of, legend_of_plot, line_of

import explorative_user_env as eu
from explorative_user_env.display.plots import as_png
from explorative_user_env.results import plots as courses
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots import (
    ARMS_DRAWN,
    acceptances_by_arm,
    courses_of,
    mean_lines,
)
from explorative_user_env.results.results import Results
from explorative_user_env.runs.loop import Episode

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def results() -> Results:
    return eu.evaluate(["BAIR", "UNI"], n_instances=3, n_arms=3, progress=False)


@pytest.mark.parametrize("figure", ["rejections", "regret"])
def test_a_line_is_the_mean_and_its_band_the_interval_at_each_time(
    figure: str, results: Results
) -> None:
    axes = mean_lines(results, figure, progress=False)
    found = courses_of(results, figure)
    for place, (agent, totals) in enumerate(found.totals.items()):
        times, means = line_of(axes, agent)
        assert times == found.times.tolist()
        assert means == pytest.approx(np.mean(totals, axis=0).tolist())
        corners = corners_of(axes.collections[place])
        middle = len(times) // 2
        low, high = mean_interval(totals[:, middle])
        assert {(times[middle], low), (times[middle], high)} <= corners
    assert axes.get_ylabel() == f"{figure} up to t"
    assert axes.get_title(loc="left") == (
        "printed, K = 3, δ = 0.1, gap = 0.5, 3 users, all replayed"
    )


def test_the_title_says_how_many_of_the_users_and_who_is_left_out(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courses, "USERS_REPLAYED", 2)
    known = {"UNI": results.line_up["UNI"]}
    less = Results(results.runs, results.cell, results.population, results.deltas, line_up=known)
    axes = mean_lines(less, "rejections", progress=False)
    title = " ".join(axes.get_title(loc="left").split())
    assert title.endswith("3 users, 2 replayed; no code of BAIR")
    # Each agent looks as on every plot of these results.
    whole = legend_of_plot(mean_lines(results, "rejections", progress=False))
    assert legend_of_plot(axes)["UNI"].get_color() == whole["UNI"].get_color()


def test_one_run_has_a_line_without_a_band() -> None:
    one = eu.evaluate(["BAIR"], n_instances=1, progress=False)
    axes = mean_lines(one, "regret", progress=False)
    assert line_of(axes, "BAIR")[1] == courses_of(one, "regret").totals["BAIR"][0].tolist()
    assert not any(len(np.asarray(path.vertices)) for path in axes.collections[0].get_paths())


def test_whoever_waits_is_told_how_far_the_replays_are(results: Results) -> None:
    told: list[tuple[str, int, int]] = []
    mean_lines(results, "rejections", progress=lambda *what: told.append(what))
    assert told[-1] == ("replayed", 6, 6)


def test_acceptances_of_each_arm_are_counted_up(results: Results) -> None:
    row = results.runs.iloc[0]
    episode, best = results.replay(row), int(row["best_arm"])
    axes = acceptances_by_arm(episode, best)
    for arm in range(3):
        mine = [
            yes and here == arm for here, yes in zip(episode.arms, episode.accepted, strict=True)
        ]
        name = f"arm {arm} (best)" if arm == best else f"arm {arm}"
        times, counts = line_of(axes, name)
        assert times == list(range(episode.stopping_time + 1))
        assert counts == [0, *accumulate(mine)]
    assert f"{episode.seed}" in axes.get_title(loc="left")


def episode_of(arms: list[int], accepted: list[bool]) -> Episode:
    return Episode("A", 1, tuple(arms), tuple(accepted), (0.0,) * len(arms), 0, False)


def test_of_many_arms_the_most_accepted_and_the_best_have_lines_of_their_own() -> None:
    arms = [arm for arm in range(20) for _ in range(arm + 1)]
    axes = acceptances_by_arm(episode_of(arms, [True] * len(arms)), best_arm=2)
    most = range(20 - ARMS_DRAWN + 1, 20)
    names = ["arm 2 (best)", *(f"arm {arm}" for arm in most), "13 other arms"]
    assert list(legend_of_plot(axes)) == names
    assert len(axes.get_lines()) == 20
    unknown = acceptances_by_arm(episode_of(arms, [True] * len(arms)))
    assert "best" not in "".join(legend_of_plot(unknown))


def test_a_run_without_a_step_is_drawn_empty() -> None:
    axes = acceptances_by_arm(episode_of([], []))
    assert len(axes.get_lines()) == 0
    assert as_png(axes)

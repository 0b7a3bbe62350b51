"""What comes together over replayed runs is what the rows say, and is drawn so."""

from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from plots import corners_of, legend_of_plot, line_of
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.results import plots as courses
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots import (
    ARMS_DRAWN,
    acceptances_by_arm,
    courses_of,
    instance_met,
    mean_lines,
)
from explorative_user_env.results.results import Results
from explorative_user_env.runs.loop import Episode


def own_of(results: Results, agent: str) -> Any:
    return results.runs[results.runs["agent"] == agent]


@pytest.fixture(scope="module")
def plays() -> Results:
    return eu.evaluate(
        ["UCB1", "UNI", "Full-information"],
        task="regret",
        horizon=60,
        n_instances=7,
        n_arms=3,
        progress=False,
    )


@pytest.fixture(scope="module")
def bai() -> Results:
    return eu.evaluate(["BAIR", "T&S"], n_instances=9, n_arms=3, max_steps=400, progress=False)


def test_a_course_ends_with_what_the_rows_have(plays: Results, bai: Results) -> None:
    found = courses_of(plays, "regret")
    assert (found.times[0], found.times[-1]) == (0, 60)
    for agent, totals in found.totals.items():
        own = own_of(plays, agent)
        assert totals[:, 0].tolist() == [0.0] * 7
        assert totals[:, -1].tolist() == pytest.approx(own["regret"].tolist(), rel=1e-9)
        rejected = courses_of(plays, "rejections").totals[agent][:, -1]
        assert rejected.tolist() == (60 - own["acceptances"]).tolist()
    for agent, totals in courses_of(bai, "rejections").totals.items():
        own = own_of(bai, agent)
        whole = ~own["censored"].to_numpy()
        assert whole.any()
        assert totals[whole, -1].tolist() == own["rejections"][whole].tolist()


def test_in_between_it_is_what_a_loop_over_the_steps_finds(bai: Results) -> None:
    found = courses_of(bai, "regret")
    row = own_of(bai, "BAIR").iloc[3]
    env = eu.ExplorativeUserEnv(n_arms=3)
    env.reset(seed=int(row["user_seed"]))
    instance = env.hidden_state().instance
    assert instance_met(bai, int(row["user_seed"])) == instance
    arms = bai.replay(row).arms
    for place in (1, 40, len(found.times) // 2):
        time = int(found.times[place])
        gone = sum(max(instance.means) - instance.means[arm] for arm in arms[:time])
        assert found.totals["BAIR"][3, place] == pytest.approx(gone)


def test_nobody_knows_what_came_after_a_cap(bai: Results) -> None:
    runs = own_of(bai, "T&S").reset_index(drop=True)
    (cut, *_) = np.flatnonzero(runs["censored"])
    capped = eu.evaluate(
        [eu.agents.TrackAndStop(max_steps=100), "BAIR"], n_instances=9, n_arms=3, progress=False
    )
    found = courses_of(capped, "rejections")
    totals = found.totals["T&S"][int(cut)]
    assert np.isfinite(totals[found.times <= 100]).all()
    assert np.isnan(totals[found.times > 100]).all()
    assert np.isfinite(found.totals["BAIR"]).all()


pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def few() -> Results:
    return eu.evaluate(["BAIR", "UNI"], n_instances=3, n_arms=3, progress=False)


@pytest.mark.parametrize("figure", ["rejections", "regret"])
def test_a_line_is_the_mean_and_its_band_the_interval_at_each_time(
    figure: str, few: Results
) -> None:
    axes = mean_lines(few, figure, progress=False)
    found = courses_of(few, figure)
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
    few: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courses, "USERS_REPLAYED", 2)
    known = {"UNI": few.line_up["UNI"]}
    less = Results(few.runs, few.cell, few.population, few.deltas, line_up=known)
    axes = mean_lines(less, "rejections", progress=False)
    title = " ".join(axes.get_title(loc="left").split())
    assert title.endswith("3 users, 2 replayed; no code of BAIR")
    # Each agent looks as on every plot of these few.
    whole = legend_of_plot(mean_lines(few, "rejections", progress=False))
    assert legend_of_plot(axes)["UNI"].get_color() == whole["UNI"].get_color()


def test_acceptances_of_each_arm_are_counted_up(few: Results) -> None:
    row = few.runs.iloc[0]
    episode, best = few.replay(row), int(row["best_arm"])
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


pytest.importorskip("matplotlib")


HORIZON = 7


@pytest.fixture(scope="module")
def episodes() -> Results:
    users: dict[str, Any] = {"n_users": 4, "horizon": HORIZON, "n_arms": 3, "n_instances": 3}
    how: dict[str, Any] = {"compiled": False, "progress": False}
    return eu.evaluate(["UNI", "Full-information"], task="population", **users, **how)


def test_it_is_the_mean_regret_with_each_user_and_says_who_is_a_reference(
    episodes: Results,
) -> None:
    axes = episodes.plot()
    lines = [line for line in axes.get_lines() if len(np.asarray(line.get_xdata())) == 4]
    assert len(lines) == 2
    words = episodes.runs["regret_by_user"][episodes.runs["agent"] == "UNI"]
    by_hand = [sum(float(each.split(" ")[user]) for each in words) / 3 for user in range(4)]
    assert np.asarray(lines[0].get_ydata()).tolist() == pytest.approx(by_hand)
    assert np.asarray(lines[0].get_xdata()).tolist() == [1, 2, 3, 4]
    assert axes.get_ylabel() == f"regret over her {HORIZON} recommendations"
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["UNI", "Full-information†"]


def test_a_run_without_a_step_has_a_course_and_is_drawn_empty() -> None:
    results = eu.evaluate([scripted([])], n_instances=2, progress=False)
    found = courses_of(results, "rejections")
    assert next(iter(found.totals.values()))[:, -1].tolist() == [0.0, 0.0]
    assert not acceptances_by_arm(episode_of([], [])).get_lines()

"""Plots of results: which there are, that words have room on them, and paired differences."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from plots import legend_of_plot, line_of

import explorative_user_env as eu
from explorative_user_env import validation as extras
from explorative_user_env.agents import BAIR
from explorative_user_env.display.plots import new_figure
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots import CHECKED, RUN_KINDS
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def bai() -> Results:
    options: dict[str, Any] = {"n_instances": 4, "n_arms": 3, "alpha": 0.5, "progress": False}
    return eu.evaluate(["BAIR", "UNI"], check_theory=True, **options)


@pytest.fixture(scope="module")
def plays() -> Results:
    return eu.evaluate(["UNI"], task="regret", horizon=9, n_instances=3, progress=False)


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return eu.sweep(["BAIR"], n_arms=(2, 3), n_instances=3, progress=False)


LABELS = {
    "success": "share stopped and right",
    "stopping_times": "share still going",
    "regret": "regret up to t",
    "rejections": "rejections up to t",
    "acceptances": "acceptances up to t",
    "rounds": "share of runs with at most as many",
    "phase1_rejections": "share of runs with at most as many",
}


def test_each_kind_is_drawn_into_axes_that_are_given(bai: Results) -> None:
    assert {*LABELS, "regret_by_user"} == set(RUN_KINDS)
    for kind, label in LABELS.items():
        axes = new_figure(3, 2).subplots()
        assert bai.plot(kind, axes, progress=False) is axes
        assert axes.get_ylabel() == label
        assert axes.get_xlabel()


@pytest.mark.parametrize("figure", ["rounds", "phase1_rejections"])
def test_phase_1_is_shown_as_shares_of_runs_beside_its_bound(figure: str, bai: Results) -> None:
    assert bai.checks is not None
    checks = bai.checks.assign(**{figure: [5, 0, 2, 2], f"{figure}_broken": [True, *[False] * 3]})
    axes = replace(bai, checks=checks).plot(figure)
    assert line_of(axes, "BAIR") == ([0, 0, 2, 2, 5], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert list(legend_of_plot(axes)) == ["BAIR", "its bound: 25.0%\nof the runs above"]
    (bound,) = (line for line in axes.get_lines() if list(line.get_ydata()) == [0, 1])  # type: ignore[arg-type]
    assert np.asarray(bound.get_xdata()).tolist() == [bai.checks[f"{figure}_bound"].iloc[0]] * 2


def test_a_plot_is_a_picture_where_it_is_the_last_value_of_a_cell(bai: Results) -> None:
    axes: Any = bai.plot()
    assert axes._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(axes)).get_ylabel() == axes.get_ylabel()
    given = new_figure(3, 2).subplots()
    bai.plot(axes=given)
    assert not hasattr(given, "_repr_png_")  # it is somebody's, who shows it


def test_without_matplotlib_one_line_says_how_to_get_it(
    bai: Results, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    for draw in (bai.plot, partial(bai.plot, "acceptances"), sweep.plot):
        with pytest.raises(MissingExtraError, match=r"^pictures need matplotlib: pip install"):
            draw()


@pytest.fixture(scope="module")
def trio() -> Results:
    return eu.evaluate(["BAIR", "T&S", "UNI"], n_instances=30, n_arms=3, progress=False)


def drawn(axes: object) -> list[tuple[float, float, float]]:
    """The value and the ends of the interval of each line."""
    ((points, _, (ranges,)),) = axes.containers  # type: ignore[attr-defined]
    segments = [np.asarray(segment) for segment in ranges.get_segments()]
    ends = [each[:, 0].tolist() if each.size else [np.nan] * 2 for each in segments]
    values = np.asarray(points.get_xdata(), float).tolist()
    return [(value, *end) for value, end in zip(values, ends, strict=True)]


def test_a_difference_is_the_mean_of_the_differences_of_each_pair(trio: Results) -> None:
    axes = trio.compare("T&S", "BAIR").plot()
    runs = trio.runs.set_index("user_seed")
    times = {name: own["stopping_time"] for name, own in runs.groupby("agent")}
    apart = (times["T&S"] - times["BAIR"]).to_numpy(float)
    (line,) = drawn(axes)
    assert line == pytest.approx((apart.mean(), *mean_interval(apart)))
    assert axes.get_xlabel() == "difference of means, in recommendations"
    assert axes.get_title(loc="left") == ("stopping time, minus BAIR: 30 users, 95% intervals")


def test_each_of_a_line_up_has_a_line_with_the_family_wise_interval(trio: Results) -> None:
    compared = trio.compare_all("BAIR")
    for place, own in enumerate(
        zip(*(each.differences for each in compared.comparisons), strict=True)
    ):
        figure = compared.comparisons[0].differences[place].figure
        axes = compared.plot(figure)
        assert [text.get_text() for text in axes.get_yticklabels()] == ["T&S", "UNI"]
        assert drawn(axes) == [pytest.approx((each.value, each.low, each.high)) for each in own]
        nothing = 0.5 if figure == "P(stops sooner)" else 0.0
        assert nothing in [line.get_xdata()[0] for line in axes.get_lines()]  # type: ignore[index]
        assert "97.5% intervals" in axes.get_title(loc="left")


def test_it_is_said_up_to_when_times_are_compared() -> None:
    capped = eu.evaluate(["BAIR", "T&S"], n_instances=20, max_steps=300, progress=False)
    axes = capped.compare("BAIR", "T&S").plot()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["BAIR\nup to 300"]


LONG = "BAIR with a name that says all of its many options"


MANY: list[Any] = ["T&S", "UNI", "EXP3", "UCB1", "Thompson", "SE", "Full-information"]


WHOLE: dict[str, Any] = {"progress": False, "max_steps": 1500, "check_theory": True}


ODD: dict[str, Any] = {"alpha": 0.75, "gap": 0.125, "noise": 0.125, "setting": "released"}


def words_of(axes: Any) -> list[Any]:
    """All words that are seen on a plot."""
    legend = axes.get_legend()
    found = [*(legend.get_texts() if legend else []), axes._left_title, axes.xaxis.label]
    found.append(axes.yaxis.label)
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        found += [label for place, label in ticks if low <= place <= high]
    return [text for text in found if text.get_text()]


def assert_has_room(axes: Any) -> None:
    """Make sure that all words are on the picture, and none on another or on the plot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = axes.figure
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    whole, plot = figure.bbox, axes.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in words_of(axes)]
    for words, box in boxes:
        assert whole.x0 - 1 <= box.x0 < box.x1 <= whole.x1 + 1, words
        assert whole.y0 - 1 <= box.y0 < box.y1 <= whole.y1 + 1, words
        assert not box.padded(-2).overlaps(plot.padded(-2)), words
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.padded(-1).overlaps(another.padded(-1)), (one, other)


KINDS = [kind for kind in RUN_KINDS if kind != "regret_by_user"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "company",
    [
        {"agents": ["BAIR", *MANY, BAIR(n1=30, name=LONG)], "n_instances": 2},
        {"agents": ["BAIR", "T&S"], "n_instances": 9, "max_steps": 500, **ODD},
        {"agents": ["BAIR"], "n_instances": 1, "n_arms": 100},
    ],
    ids=["nine", "cut off", "one"],
)
def test_plots_of_runs_and_differences_have_room_for_their_words(company: dict[str, Any]) -> None:
    results = eu.evaluate(**WHOLE | company)
    for kind in KINDS:
        assert_has_room(results.plot(kind, progress=False))
    first, *others = results.deltas
    if others:
        compared = results.compare_all(first)
        for each in compared.comparisons[0].differences:
            assert_has_room(compared.plot(each.figure))
        assert_has_room(results.compare(others[-1], first).plot())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deltas", "n_arms"), [((0.1,), (2, 5, 20, 100)), ((0.2, 0.1), (2, 3, 4, 5))]
)
def test_plots_over_cells_have_room_for_their_words(
    deltas: tuple[float, ...], n_arms: tuple[int, ...]
) -> None:
    agents = [BAIR(), "UNI", BAIR(n1=30, name=LONG)]
    found = eu.sweep(agents, deltas, n_arms, n_instances=2, **WHOLE, **ODD)
    for kind in ("stopping_time", "success", "rejection_rate", *CHECKED):
        assert_has_room(found.plot(kind))


def test_regret_by_user_and_over_cells_has_room_for_its_words() -> None:
    users: dict[str, Any] = {"n_users": 20, "horizon": 9, "n_arms": 5, "compiled": False}
    how: dict[str, Any] = {"n_instances": 3, "progress": False}
    found = eu.evaluate(["SE-transfer", *MANY], task="population", **users, **how)
    assert_has_room(found.plot("regret_by_user"))
    assert_has_room(
        eu.sweep(["BAIR", *MANY], n_arms=(2, 5), task="regret", horizon=30, **how).plot()
    )


def test_the_obvious_one_is_drawn_into_axes_that_are_given(
    bai: Results, plays: Results, sweep: Sweep
) -> None:
    draws: list[tuple[Callable[..., Any], str]] = [
        (bai.plot, "share stopped and right"),
        (partial(plays.plot, progress=False), "regret up to t"),
        (sweep.plot, "stopping time T"),
        (bai.compare("UNI", "BAIR").plot, "difference of means"),
        (bai.compare_all("BAIR").plot, "difference of means"),
    ]
    for draw, label in draws:
        axes = new_figure(3, 2).subplots()
        assert draw(axes=axes) is axes
        words = axes.get_ylabel() + axes.get_xlabel()
        assert label in words


def test_what_cannot_be_drawn_is_refused(
    bai: Results, plays: Results, sweep: Sweep, subtests: pytest.Subtests
) -> None:
    moving = eu.evaluate(["BAIR"], behaviour="drifting", n_instances=2, progress=False)
    cell = sweep.cells[0]
    no_code = Results(bai.runs, bai.cell, bai.population, bai.deltas)
    rows: list[tuple[Callable[..., Any], str, str]] = [
        (bai.plot, "pie", "kind must be one of .*stopping_times"),
        (plays.plot, "success", "kind must be one of regret, .* best-arm identification only"),
        (plays.plot, "regret_by_user", "kind must be one of .* population only"),
        (sweep.plot, "regret", "kind must be one of rejection_rate, stopping"),
        (sweep.plot, "rounds", "kind must be one of"),
        (Sweep([cell, cell]).plot, "success", "cells must be cells that differ in K"),
        (no_code.plot, "acceptances", "kind must be .*no agent's code is at hand"),
        (moving.plot, "regret", "kind must be .*users whose means stay"),
        (bai.compare("BAIR", "UNI").plot, "regret", r"figure must be one of P\(stops sooner"),
    ]
    for draw, kind, message in rows:
        with subtests.test(message), pytest.raises(InvalidArgumentError, match=f"^{message}"):
            draw(kind)

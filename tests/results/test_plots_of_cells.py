"""Figures over cells stand where the summary has them, and bounds where theory does."""

from typing import Any

import numpy as np
import pytest
from plots import legend_of_plot, line_of

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots import figure_by_cell, theory_curves
from explorative_user_env.results.results import Sweep
from explorative_user_env.theory import lower_bound

pytest.importorskip("matplotlib")


SMALL: dict[str, Any] = {"n_instances": 8, "progress": False}


def sweep_of(deltas: tuple[float, ...], n_arms: tuple[int, ...], **options: Any) -> Sweep:
    return eu.sweep(options.pop("agents", ["BAIR", "UNI"]), deltas, n_arms, **SMALL | options)


def measured(axes: Any) -> list[list[tuple[float, float, float]]]:
    """The values of each line with errors, and the ends of these."""
    found = []
    for bars in axes.containers:
        point, _, (ranges,) = bars
        ends = [np.asarray(segment)[:, 1].tolist() for segment in ranges.get_segments()]
        values = np.asarray(point.get_ydata(), float)
        found.append([(value, *end) for value, end in zip(values, ends, strict=True)])
    return found


@pytest.mark.parametrize("figure", ["stopping_time", "success", "rejection_rate"])
def test_each_agent_has_a_line_over_k_with_the_summarys_intervals(figure: str) -> None:
    sweep = sweep_of((0.1,), (5, 2))
    axes, summary = figure_by_cell(sweep, figure), sweep.summary()
    for agent, line in zip(("BAIR", "UNI"), measured(axes), strict=True):
        own = summary[summary["agent"] == agent].sort_values("n_arms")
        rows = own[[figure, f"{figure}_low", f"{figure}_high"]].to_numpy().tolist()
        assert np.array(line) == pytest.approx(np.array(rows))
    assert list(legend_of_plot(axes)) == ["BAIR", "UNI"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "5"]
    assert axes.get_xlabel() == "number of arms K"
    assert axes.get_title(loc="left") == "printed, δ = 0.1, gap = 0.5, 8 users"


def test_where_both_vary_a_delta_has_its_dashes_and_an_agent_its_colour_and_mark() -> None:
    axes = figure_by_cell(sweep_of((0.2, 0.1), (2, 5)))
    named = legend_of_plot(axes)
    assert list(named) == ["BAIR", "UNI", "δ = 0.2", "δ = 0.1"]
    looks = [(bars[0].get_color(), bars[0].get_marker()) for bars in axes.containers]
    assert looks[0] == looks[1] != looks[2] == looks[3]
    dashes = [bars[0].get_linestyle() for bars in axes.containers]
    assert dashes == [named[f"δ = {delta}"].get_linestyle() for delta in (0.2, 0.1)] * 2
    assert dashes[0] != dashes[1]


def test_over_one_over_delta_the_theorys_bounds_stand_beside_the_times() -> None:
    sweep = sweep_of((0.2, 0.05, 0.1), (3,))
    axes = figure_by_cell(sweep)
    lower, upper = (name for name in legend_of_plot(axes) if "bound" in name)
    expected = [lower_bound(delta, 0.5, c=0.25) for delta in (0.2, 0.1, 0.05)]
    places, values = line_of(axes, lower)
    assert places == pytest.approx([5, 10, 20])
    assert values == pytest.approx(expected)
    # The upper bound is the one that runs are held against.
    checked = sweep_of((0.2, 0.1, 0.05), (3,), agents=["BAIR"], check_theory=True)
    bounds = [np.mean(each.checks["recommendations_bound"]) for each in checked.cells]  # type: ignore[index]
    assert line_of(axes, upper)[1] == pytest.approx(bounds)
    assert axes.get_xlabel() == "1/δ"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "10", "20"]


@pytest.mark.parametrize("setting", ["printed", "released"])
@pytest.mark.parametrize("n1", [None, 3])
def test_the_upper_bound_is_of_bairs_own_options(setting: str, n1: int | None) -> None:
    options: dict[str, Any] = {"agents": [BAIR(n1=n1)], "setting": setting, "check_theory": True}
    checked = sweep_of((0.2, 0.1), (3,), **options)
    curve = next(each for each in theory_curves(checked.cells) if each.name.startswith("upper"))
    bounds = [np.mean(each.checks["recommendations_bound"]) for each in checked.cells]  # type: ignore[index]
    assert curve.y.tolist() == pytest.approx(bounds)


@pytest.mark.parametrize("figure", ["rounds", "phase1_rejections"])
def test_phase_1_stands_below_what_is_proved(figure: str) -> None:
    sweep = sweep_of((0.1,), (2, 5), agents=["BAIR"], check_theory=True)
    axes = figure_by_cell(sweep, figure)
    checks: list[Any] = [each.checks for each in sweep.cells]
    values = [np.array(each[figure], float) for each in checks]
    expected = [(own.mean(), *mean_interval(own)) for own in values]
    assert np.array(measured(axes)[0]) == pytest.approx(np.array(expected))
    bounds = [each[f"{figure}_bound"].iloc[0] for each in checks]
    assert line_of(axes, "at most, as proved")[1] == pytest.approx(bounds)


@pytest.mark.parametrize(
    ("users", "there"),
    [
        ({"noise": 0.1}, []),
        ({"behaviour": "omniscient"}, []),
        ({"reward_law": "bounded"}, []),
        ({"agents": ["UNI"], "baseline_time": 9}, ["lower"]),
        ({"means": [0.1, 0.5, 0.9]}, ["upper"]),  # of no gap that is known
    ],
)
def test_bounds_are_drawn_for_users_and_agents_whom_the_theorems_are_about(
    users: dict[str, Any], there: list[str]
) -> None:
    curves = theory_curves(sweep_of((0.2, 0.1), (3,), **users).cells)
    assert [each.name.split()[0] for each in curves] == there


def test_who_has_no_runs_or_none_that_ended_leaves_a_gap() -> None:
    first, second = sweep_of((0.1,), (2, 5), setting="released").cells
    bair = second.runs[second.runs["agent"] == "BAIR"]
    broken_off = eu.Results(
        bair.assign(censored=True), second.cell, second.population, {"BAIR": 0.1}
    )
    axes = figure_by_cell(Sweep([first, broken_off]))
    assert [len(line) for line in measured(axes)] == [1, 1]

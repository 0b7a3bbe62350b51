"""Figures over cells stand where the summary has them, and bounds where theory does."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from plots import legend_of_plot, line_of

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.plots import figure_by_cell, theory_curves
from explorative_user_env.results.results import Sweep
from explorative_user_env.theory import lower_bound
from explorative_user_env.validation import InvalidArgumentError

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


def test_over_a_horizon_it_is_the_regret() -> None:
    sweep = sweep_of((0.1,), (2, 5), task="regret", horizon=20)
    axes, summary = figure_by_cell(sweep, "regret"), sweep.summary()
    values = [[value for value, _, _ in line] for line in measured(axes)]
    assert values == [
        pytest.approx(summary.loc[summary["agent"] == agent, "regret"].tolist())
        for agent in ("BAIR", "UNI")
    ]


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


@pytest.mark.parametrize(
    "users",
    [{"noise": 0.1}, {"behaviour": "omniscient"}, {"reward_law": "bounded"}],
    ids=["noise", "behaviour", "law"],
)
def test_no_bound_is_drawn_for_users_whom_the_theorems_are_not_about(
    users: dict[str, Any],
) -> None:
    assert theory_curves(sweep_of((0.2, 0.1), (3,), **users).cells) == []


def test_there_is_no_upper_bound_without_bair_and_no_lower_one_without_a_gap() -> None:
    others = theory_curves(sweep_of((0.2, 0.1), (3,), agents=["UNI"], baseline_time=9).cells)
    assert [each.name.split()[0] for each in others] == ["lower"]
    given = theory_curves(sweep_of((0.2, 0.1), (3,), means=[0.1, 0.5, 0.9]).cells)
    assert [each.name.split()[0] for each in given] == ["upper"]


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


def test_cells_that_differ_in_nothing_or_in_something_else_are_refused() -> None:
    (one,) = sweep_of((0.1,), (2,)).cells
    for cells in ([one], [one, one]):
        with pytest.raises(InvalidArgumentError, match="cells must be cells that differ in K"):
            figure_by_cell(Sweep(cells))
    pair = sweep_of((0.1,), (2, 5))
    for kind in ("rounds", "regret"):
        with pytest.raises(InvalidArgumentError, match="kind must be one of"):
            figure_by_cell(pair, kind)


def test_a_cell_that_has_not_all_agents_yet_is_drawn_with_those_it_has() -> None:
    first, second = sweep_of((0.1,), (2, 5)).cells
    runs = second.runs[second.runs["agent"] == "BAIR"]
    broken_off = eu.Results(runs, second.cell, second.population, {"BAIR": 0.1})
    axes = figure_by_cell(Sweep([first, broken_off]))
    assert [len(line) for line in measured(axes)] == [2, 1]


def test_an_agent_none_of_whose_runs_ended_leaves_a_gap() -> None:
    sweep = sweep_of((0.1,), (2, 5), setting="released", agents=["BAIR"])
    first, second = sweep.cells
    cut = second.runs.assign(censored=True)
    without = Sweep([first, eu.Results(cut, second.cell, second.population, second.deltas)])
    assert pd.isna(without.summary()["stopping_time"].iloc[1])
    assert len(measured(figure_by_cell(without))[0]) == 1

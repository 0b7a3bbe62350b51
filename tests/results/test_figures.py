"""`plot` shows the obvious one, draws into axes that are given, and names the kinds there are."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plots import legend_of_plot, line_of

import explorative_user_env as eu
from explorative_user_env import validation as extras
from explorative_user_env.display.plots import new_figure
from explorative_user_env.results.plots import RUN_KINDS
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


def test_the_obvious_one_is_success_or_regret_or_the_time_over_cells(
    bai: Results, plays: Results, sweep: Sweep
) -> None:
    assert bai.plot().get_ylabel() == "share stopped and right"
    assert plays.plot(progress=False).get_ylabel() == "regret up to t"
    assert sweep.plot().get_ylabel().startswith("stopping time T")
    assert bai.compare("UNI", "BAIR").plot().get_xlabel().startswith("difference of means")


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


def test_a_sweep_and_a_comparison_are_drawn_into_axes_that_are_given(
    sweep: Sweep, bai: Results
) -> None:
    draws: list[Callable[[Any], Any]] = [
        lambda axes: sweep.plot("success", axes),
        lambda axes: bai.compare("UNI", "BAIR").plot("success", axes),
        lambda axes: bai.compare_all("BAIR").plot(axes=axes),
    ]
    for draw in draws:
        axes = new_figure(3, 2).subplots()
        assert draw(axes) is axes


def test_a_kind_that_there_is_none_of_is_refused_with_those_there_are(
    bai: Results, plays: Results, sweep: Sweep
) -> None:
    with pytest.raises(InvalidArgumentError, match=r"kind must be one of .*stopping_times.*'pie'"):
        bai.plot("pie")
    with pytest.raises(
        InvalidArgumentError,
        match=r"kind must be one of regret, rejections, acceptances for these results "
        r"\(it is of best-arm identification only\), got 'success'",
    ):
        plays.plot("success")
    with pytest.raises(InvalidArgumentError, match="kind must be one of rejection_rate, stopping"):
        sweep.plot("regret")
    no_code = Results(bai.runs, bai.cell, bai.population, bai.deltas)
    with pytest.raises(InvalidArgumentError, match="no agent's code is at hand"):
        no_code.plot("acceptances")


def test_acceptances_are_those_of_the_first_run_with_the_best_arm_named(bai: Results) -> None:
    row = bai.runs.iloc[0]
    axes = bai.plot("acceptances")
    assert f"arm {row['best_arm']} (best)" in legend_of_plot(axes)
    assert str(row["user_seed"]) in axes.get_title(loc="left")


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
    draws: list[Callable[[], Any]] = [partial(bai.plot, kind, progress=False) for kind in LABELS]
    for draw in [*draws, sweep.plot]:
        with pytest.raises(MissingExtraError, match=r"^pictures need matplotlib: pip install"):
            draw()


@pytest.mark.slow
def test_plots_need_no_pyplot_and_results_no_matplotlib(tmp_path: Path) -> None:
    script = (
        "import sys, explorative_user_env as eu\n"
        "results = eu.evaluate(['UNI'], baseline_time=9, n_instances=2, progress=False)\n"
        "print(results, 'matplotlib' in sys.modules)\n"
        "results.plot()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    printed = done.stdout.split()
    assert (printed[-2], printed[-1]) == ("False", "False")

"""The paper's Table 2, as the released code made it and as the text describes it.

Seeds are fixed. A tolerance is stated with each claim; with 1000 users a cell the standard error of
a mean stopping time is 1 to 2%, that of a success rate at most .016.
"""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from reported import verdict_rows

import explorative_user_env as eu
from explorative_user_env.display.progress import silent
from explorative_user_env.studies.paper import (
    TABLE2,
    TABLE5,
    compared,
    published_figures,
    run_experiment,
    with_entrants,
)
from explorative_user_env.studies.paper_report import figure_with_interval, verdicts

pytestmark = pytest.mark.slow

OUT_OF_REACH = {(0.05, 5): 741, (0.05, 20): 2125, (0.02, 5): 772, (0.02, 20): 2425}
"""Cells whose published BAIR time no reading of the released code gives, and what it does give."""


def table2(n_arms: tuple[int, ...], deltas: tuple[float, ...], n_instances: int) -> pd.DataFrame:
    """Run cells of Table 2 under `released`, Track-and-Stop apart."""
    cells = replace(with_entrants(TABLE2, ["bair", "uni", "exp3"]), deltas=deltas, n_arms=n_arms)
    options: dict[str, Any] = {"n_instances": n_instances, "workers": 2, "progress": silent}
    results = run_experiment(cells, "released", **options)
    return compared(results, published_figures(cells))


@pytest.fixture(scope="module")
def released() -> pd.DataFrame:
    return table2((2, 5, 20), (0.1, 0.05, 0.02, 0.01, 0.005), 1000)


def of(agent: str, summary: pd.DataFrame) -> pd.DataFrame:
    return summary[summary["agent"] == agent].set_index(["delta", "n_arms"])


def test_bair_stops_when_the_published_one_does(released: pd.DataFrame) -> None:
    bair = of("BAIR", released).drop(index=list(OUT_OF_REACH))
    assert len(bair) == 11
    assert bair["stopping_time_difference"].abs().max() <= 0.04
    assert bair["rejection_rate_difference"].abs().max() <= 0.002
    assert bair["success"].min() >= 0.998


def test_the_committed_report_has_the_same_figures(released: pd.DataFrame) -> None:
    shown = {
        (float(row["δ"]), int(row["K"]), row["agent"], row["figure"]): row["released"]
        for row in verdict_rows()
        if row["experiment"] == "table2"
    }
    n_checked = 0
    for row in released.to_dict("records"):
        for figure in ("stopping_time", "rejection_rate", "success"):
            place = (row["delta"], row["n_arms"], row["agent"], figure)
            if place in shown:  # the times of UNI and EXP3 are inputs
                assert shown[place] == figure_with_interval(figure, figure, row), place
                n_checked += 1
    assert n_checked == 15 * (3 + 2 + 2)


def test_the_cells_out_of_reach_are_where_the_released_code_puts_them(
    released: pd.DataFrame,
) -> None:
    bair = of("BAIR", released)
    for cell, time in OUT_OF_REACH.items():
        assert bair.loc[cell, "stopping_time"] == pytest.approx(time, rel=0.04)
        assert bair.loc[cell, "stopping_time_difference"] < -0.05


def test_a_hundred_arms(released: pd.DataFrame) -> None:
    bair = of("BAIR", table2((100,), (0.01, 0.005), 40))
    assert bair["stopping_time_difference"].abs().max() <= 0.04
    assert bair["success"].min() == 1.0


def test_uniform_and_exp3_succeed_as_often_as_published(released: pd.DataFrame) -> None:
    uniform = of("UNI", released)["success_difference"].abs() <= 0.05
    exp3 = of("EXP3", released)["success_difference"].abs() <= 0.06
    assert uniform.sum() >= 13  # of 15; (.05, 20) and (.005, 2) are out of reach
    assert exp3.sum() >= 13


def test_track_and_stop_stops_when_the_published_one_does(bench: pd.DataFrame) -> None:
    tracking = of("T&S", bench)
    for arms in (2, 5):
        assert abs(tracking.loc[(0.1, arms), "stopping_time_difference"]) <= 0.06
    assert tracking["wrong"].max() <= 0.005  # what it lacks in success is censored, not wrong
    assert tracking.loc[(0.1, 20), "censored"] == pytest.approx(0.04, abs=0.02)


@pytest.mark.parametrize(("n_arms", "time"), [(2, 390), (5, 570), (20, 966), (100, 2440)])
def test_bair_as_printed(n_arms: int, time: int) -> None:
    results = eu.evaluate(["bair"], n_arms=n_arms, n_instances=1000, workers=2, progress=False)
    (row,) = results.summary().to_dict("records")
    assert row["stopping_time"] == pytest.approx(time, rel=0.05)
    assert row["success"] >= 0.998


@pytest.mark.parametrize("n_arms", [2, 5])
def test_track_and_stop_as_printed_is_never_wrong(n_arms: int) -> None:
    results = eu.evaluate(["tas"], n_arms=n_arms, n_instances=1000, workers=2, progress=False)
    (row,) = results.summary().to_dict("records")
    assert (row["wrong"], row["censored"]) == (0.0, 0.0)


def test_bair_with_more_willing_users() -> None:
    bair = with_entrants(TABLE5, ["bair"])
    cells = replace(bair, n_arms=(2, 5, 20))
    options: dict[str, Any] = {"n_instances": 2000, "workers": 2, "progress": silent}
    summary = compared(run_experiment(cells, "released", **options), published_figures(cells))
    found = verdicts(cells, {"released": summary})
    times = found[found["figure"] == "stopping_time"].set_index(["delta", "n_arms"])
    # Times grow with 1/delta in the table, and not here. Of K = 100, left out for its time, one
    # cell of five agrees.
    differing = {(0.01, 2), (0.005, 2), (0.005, 5)}
    assert set(times.index[times["verdict"] != "agrees"]) == differing

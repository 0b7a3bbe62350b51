"""The paper's figures: as the released code made them, as the text says, and as the report has.

Seeds are fixed. A tolerance is stated with each claim; with 1000 users a cell the standard error of
a mean stopping time is 1 to 2%, that of a success rate at most .016.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.display.progress import silent
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    TABLE2,
    TABLE5,
    compared,
    published_figures,
    quick_form,
    run_experiment,
    run_ladder,
    with_entrants,
)
from explorative_user_env.studies.paper_report import (
    NAMES,
    REASONS,
    figure_with_interval,
    is_given,
    number,
    of_experiment,
    of_ladder,
    reproduce,
    verdicts,
)
from explorative_user_env.users.population import DIFFERENCES

REPORT = Path(__file__).parents[1] / "examples" / "reproduction" / "report.md"
PAGE = REPORT.read_text(encoding="utf-8")
TITLES = {
    "Stopping time": "stopping_time",
    "Rejection rate": "rejection_rate",
    "Probability of success": "success",
}
QUIET: dict[str, Any] = {"workers": 2, "progress": silent}
OF_REPORT = QUIET | {"n_instances": 1000, "seed": 0}


def rows_of(page: str) -> list[dict[str, str]]:
    """The rows of the first table of a page, by its headings."""
    (table,) = re.findall(r"(?:^\|.*\n?)+", page, re.M)[:1]
    lines = table.splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def parts_of(section: str) -> dict[str, list[dict[str, str]]]:
    """The tables of a section of the report, by what they are about."""
    parts = section.split("\n### ")[1:]
    return {
        TITLES[part.splitlines()[0]]: rows_of(part)
        for part in parts
        if part.splitlines()[0] in TITLES
    }


ROWS = [
    {"experiment": f"table{n}", "figure": figure} | row
    for n, section in re.findall(r"^## Table (\d):(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    for figure, rows in parts_of(section).items()
    for row in rows
]
"""All rows of the report's tables of verdicts."""
JUDGED = [row for row in ROWS if row["verdict"]]

OUT_OF_REACH = {(0.05, 5): 741, (0.05, 20): 2125, (0.02, 5): 772, (0.02, 20): 2425}
"""Cells whose published BAIR time no reading of the released code gives, and what it does give."""


# What the committed report says


def test_the_report_has_every_published_figure_that_is_a_finding_and_judges_it_by_z() -> None:
    shown = {
        (row["experiment"], row["δ"], row["K"], row["agent"], row["figure"]): row["paper"]
        for row in ROWS
    }
    expected = {}
    for name, experiment in EXPERIMENTS.items():
        if experiment.drawn or experiment.data is None:
            continue
        for row in published_figures(experiment).to_dict("records"):
            for figure, beside in PUBLISHED.items():
                if row[beside] == row[beside] and not is_given(row["agent"], figure):
                    place = (f"{row['delta']:g}", str(row["n_arms"]), row["agent"], figure)
                    expected[(name, *place)] = number(figure, row[beside])
    assert shown == expected
    assert len(shown) == len(ROWS)
    assert len(JUDGED) == 738
    for row in JUDGED:
        z = abs(float(row["z"]))
        assert (row["verdict"] == "agrees") == (z <= 3.0) or z == 3.0, row
        assert row["verdict"] in ("agrees", "differs", *(f"cannot: {key}" for key in REASONS))
    said = re.search(r"(\d+\.\d) of the 738 would differ .* simulation (\d+\.\d) did", PAGE)
    assert said is not None
    assert float(said[1]) == pytest.approx(0.0027 * 738, abs=0.06)
    assert float(said[2]) <= 2 * float(said[1])
    assert {*NAMES} == {*TITLES.values()}


def test_the_released_code_gives_the_published_figures() -> None:
    for name, agent, figure, least, of in [
        ("table2", "BAIR", "stopping_time", 14, 20),
        ("table2", "UNI", "success", 15, 20),
        ("table2", "EXP3", "success", 16, 20),
        ("table5", "BAIR", "stopping_time", 13, 20),
        ("table6", "BAIR", "stopping_time", 11, 15),
        ("table7", "N_1 full", "success", 2, 2),
    ]:
        place = (name, agent, figure)
        own = [row for row in JUDGED if (row["experiment"], row["agent"], row["figure"]) == place]
        assert len(own) == of
        assert sum(row["verdict"] == "agrees" for row in own) >= least


def test_consecutive_rejections_find_the_best_arm_of_users_with_click_noise() -> None:
    own = [row for row in ROWS if row["agent"] == "BAIR(m) consecutive"]
    for setting in ("released", "printed"):
        successes = [float(row[setting].split()[0]) for row in own if row["figure"] == "success"]
        assert len(successes) == 8
        assert min(successes) >= 0.99


# What the code finds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("table3", ["BAIR(m) printed", "BAIR(m) consecutive"]),
        ("table4", ["BAIR"]),
        ("table6", ["BAIR"]),
        ("table7", ["N_1 full", "N_1 = K"]),
    ],
)
def test_the_code_finds_the_reports_figures(name: str, agents: list[str]) -> None:
    experiment = quick_form(with_entrants(EXPERIMENTS[name], agents))
    (found,) = reproduce([experiment], ["released"], **OF_REPORT)
    whole = parts_of(PAGE.split(f"## {experiment.title}\n")[1].split("\n## ")[0])
    n_checked = 0
    for figure, rows in parts_of(of_experiment(found, {})).items():
        for row in rows:
            assert any(row.items() <= other.items() for other in whole[figure]), row
            n_checked += 1
    assert n_checked >= len(experiment.deltas) * len(experiment.n_arms) * len(agents)


@pytest.mark.slow
def test_the_code_finds_the_reports_ladder_for_bair() -> None:
    page = of_ladder(run_ladder(agents=["bair"], **OF_REPORT), {}, agents=["BAIR"])
    shown, found = (rows_of(each.split("in the paper's text.")[1]) for each in (PAGE, page))
    assert [row["step"] for row in found][1:] == [one.point for one in DIFFERENCES]
    for row, other in zip(found, shown, strict=True):
        assert row.items() <= other.items()


def table2(n_arms: tuple[int, ...], deltas: tuple[float, ...], n_instances: int) -> pd.DataFrame:
    """Run cells of Table 2 under `released`, Track-and-Stop apart."""
    cells = replace(with_entrants(TABLE2, ["bair", "uni", "exp3"]), deltas=deltas, n_arms=n_arms)
    results = run_experiment(cells, "released", n_instances=n_instances, **QUIET)
    return compared(results, published_figures(cells))


@pytest.fixture(scope="module")
def released() -> pd.DataFrame:
    return table2((2, 5, 20), (0.1, 0.05, 0.02, 0.01, 0.005), 1000)


def of(agent: str, summary: pd.DataFrame) -> pd.DataFrame:
    return summary[summary["agent"] == agent].set_index(["delta", "n_arms"])


@pytest.mark.slow
def test_table_2_comes_out_as_published_and_as_the_report_has_it(released: pd.DataFrame) -> None:
    bair = of("BAIR", released).drop(index=list(OUT_OF_REACH))
    assert len(bair) == 11
    assert bair["stopping_time_difference"].abs().max() <= 0.04
    assert bair["rejection_rate_difference"].abs().max() <= 0.002
    assert bair["success"].min() >= 0.998
    for cell, time in OUT_OF_REACH.items():
        row = of("BAIR", released).loc[cell]
        assert row["stopping_time"] == pytest.approx(time, rel=0.04)
        assert row["stopping_time_difference"] < -0.05
    # Of 15 each; (.05, 20) and (.005, 2) are out of reach.
    assert (of("UNI", released)["success_difference"].abs() <= 0.05).sum() >= 13
    assert (of("EXP3", released)["success_difference"].abs() <= 0.06).sum() >= 13
    shown = {
        (float(row["δ"]), int(row["K"]), row["agent"], row["figure"]): row["released"]
        for row in ROWS
        if row["experiment"] == "table2"
    }
    n_checked = 0
    for row in released.to_dict("records"):
        for figure in TITLES.values():
            place = (row["delta"], row["n_arms"], row["agent"], figure)
            if place in shown:  # the times of UNI and EXP3 are inputs
                assert shown[place] == figure_with_interval(figure, figure, row), place
                n_checked += 1
    assert n_checked == 15 * (3 + 2 + 2)


@pytest.mark.slow
def test_a_hundred_arms() -> None:
    bair = of("BAIR", table2((100,), (0.01, 0.005), 40))
    assert bair["stopping_time_difference"].abs().max() <= 0.04
    assert bair["success"].min() == 1.0


@pytest.mark.slow
def test_track_and_stop_stops_when_the_published_one_does(bench: pd.DataFrame) -> None:
    tracking = of("T&S", bench)
    for arms in (2, 5):
        assert abs(tracking.loc[(0.1, arms), "stopping_time_difference"]) <= 0.06
    assert tracking["wrong"].max() <= 0.005  # what it lacks in success is censored, not wrong
    assert tracking.loc[(0.1, 20), "censored"] == pytest.approx(0.04, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("n_arms", "time"), [(2, 390), (5, 570), (20, 966), (100, 2440)])
def test_agents_as_printed(n_arms: int, time: int) -> None:
    agents = ["bair", "tas"] if n_arms <= 5 else ["bair"]
    results = eu.evaluate(agents, n_arms=n_arms, n_instances=1000, workers=2, progress=False)
    row, *tracking = results.summary().to_dict("records")
    assert row["stopping_time"] == pytest.approx(time, rel=0.05)
    assert row["success"] >= 0.998
    assert all((one["wrong"], one["censored"]) == (0.0, 0.0) for one in tracking)


@pytest.mark.slow
def test_bair_with_more_willing_users() -> None:
    cells = replace(with_entrants(TABLE5, ["bair"]), n_arms=(2, 5, 20))
    results = run_experiment(cells, "released", n_instances=2000, **QUIET)
    found = verdicts(cells, {"released": compared(results, published_figures(cells))})
    times = found[found["figure"] == "stopping_time"].set_index(["delta", "n_arms"])
    # Times grow with 1/delta in the table, and not here. Of K = 100, left out for its time, one
    # cell of five agrees.
    differing = {(0.01, 2), (0.005, 2), (0.005, 5)}
    assert set(times.index[times["verdict"] != "agrees"]) == differing

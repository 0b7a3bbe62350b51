from dataclasses import replace

import pandas as pd
import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    TABLE2,
    compared,
    published_figures,
    run_experiment,
    with_entrants,
    z_of,
)
from explorative_user_env.studies.paper_report import Reproduction, counted, explained, verdicts


@pytest.mark.slow
def test_there_is_a_verdict_on_every_published_figure_that_is_a_finding(
    table2: Reproduction,
) -> None:
    found = table2.found
    assert len(found) == 2 * (3 + 2)  # UNI is told its time
    assert set(found["verdict"]) <= {"agrees", "cannot", "differs"}
    figures = found.set_index(["delta", "agent", "figure"])["published"]
    assert figures.loc[(0.005, "BAIR", "stopping_time")] == 512
    assert figures.loc[(0.005, "UNI", "success")] == 0.992


@pytest.mark.slow
def test_figures_stand_beside_their_intervals_under_each_setting(table2: Reproduction) -> None:
    for setting, summary in table2.summaries.items():
        own = summary.set_index(["delta", "agent"])
        for row in table2.found.to_dict("records"):
            place = (row["delta"], row["agent"])
            for end in ("", "_low", "_high"):
                assert row[f"{setting}{end}"] == own.loc[place, f"{row['figure']}{end}"]


@pytest.mark.slow
def test_the_verdict_is_that_of_the_released_code(table2: Reproduction) -> None:
    bair = table2.found[
        table2.found["agent"].eq("BAIR") & table2.found["figure"].eq("stopping_time")
    ]
    assert bair["verdict"].tolist() == ["agrees", "agrees"]
    assert bair["released_z"].abs().max() <= 3
    assert bair.set_index("delta").loc[0.1, "released_near"]
    assert bair.set_index("delta").loc[0.005, "printed_z"] > 3  # 813 for 512
    assert not bair.set_index("delta").loc[0.005, "printed_near"]


@pytest.mark.slow
def test_alone_another_setting_decides(table2: Reproduction) -> None:
    found = verdicts(table2.experiment, {"printed": table2.summaries["printed"]})
    bair = found[found["agent"].eq("BAIR") & found["figure"].eq("stopping_time")]
    assert bair["verdict"].tolist() == ["agrees", "differs"]
    assert "released" not in found


@pytest.mark.slow
def test_z_is_how_many_errors_of_both_apart_the_figures_are(table2: Reproduction) -> None:
    own = table2.summaries["released"].set_index(["delta", "agent"])
    for row in table2.found.to_dict("records"):
        cell = own.loc[(row["delta"], row["agent"])]
        assert row["released_z"] == z_of(row["figure"], cell, row["published"], 300)
        assert (row["verdict"] == "agrees") == (abs(row["released_z"]) <= 3)


@pytest.mark.slow
def test_n1_stands_beside_a_time_of_which_it_is_most(table2: Reproduction) -> None:
    n1 = table2.found.set_index(["delta", "agent", "figure"])["n1"]
    assert n1.loc[(0.005, "BAIR", "stopping_time")] == pytest.approx(400.0)  # of 512
    assert n1.loc[(0.1, "BAIR", "stopping_time")] == 0.0  # 20 of 405
    assert set(n1.drop((0.005, "BAIR", "stopping_time"))) == {0.0}


def test_one_run_is_no_ground_for_a_verdict() -> None:
    cells = replace(with_entrants(TABLE2, ["bair"]), deltas=(0.1,), n_arms=(2,))
    results = run_experiment(cells, "released", progress=silent, n_instances=1)
    found = verdicts(cells, {"released": compared(results, published_figures(cells))})
    said = found.set_index("figure")["verdict"]
    assert said.to_dict() == {"stopping_time": "", "rejection_rate": "", "success": "agrees"}


@pytest.mark.slow
def test_a_cell_without_published_figures_has_no_verdict(table2: Reproduction) -> None:
    summary = table2.summaries["released"].drop(
        columns=[name for name in published_figures(table2.experiment) if "published" in name]
    )
    assert verdicts(table2.experiment, {"released": summary}).empty


def test_verdicts_are_counted(found: pd.DataFrame) -> None:
    counts = counted(found, ["experiment", "figure"]).set_index(["experiment", "figure"])
    columns = ["agrees", "cannot", "differs", "cells"]
    assert counts.loc[("table2", "stopping_time"), columns].tolist() == [1, 0, 1, 2]
    assert counts.loc[("table6", "success"), columns].tolist() == [0, 1, 0, 1]


@pytest.mark.slow
def test_what_differs_differs_where_no_reason_holds(table2: Reproduction) -> None:
    uniform = table2.found[table2.found["agent"].eq("UNI") & table2.found["delta"].eq(0.005)]
    assert uniform["verdict"].tolist() == ["differs", "differs"]
    assert uniform["reason"].tolist() == ["", ""]


def test_a_reason_that_holds_is_the_verdict() -> None:
    columns = ["experiment", "delta", "n_arms", "agent", "figure", "published", "verdict"]
    rows = [
        ["table2", 0.05, 20, "BAIR", "stopping_time", 2421.0, "differs"],
        ["table2", 0.1, 20, "BAIR", "stopping_time", 2113.0, "differs"],
        ["table2", 0.05, 20, "BAIR", "rejection_rate", 0.015, "agrees"],
    ]
    found, evidence = explained(TABLE2, pd.DataFrame(rows, columns=columns).assign(reason=""))
    assert found["verdict"].tolist() == ["cannot", "differs", "agrees"]
    assert found["reason"].tolist() == ["arithmetic", "", ""]
    assert evidence["arithmetic"]["explained"].tolist() == [True, False]
    assert list(evidence) == ["arithmetic"]


@pytest.mark.parametrize("setting", ["printed", "released"])
def test_every_published_figure_has_at_most_one_verdict(setting: str) -> None:
    n_judged = 0
    for experiment in EXPERIMENTS.values():
        if experiment.data is None or experiment.drawn:
            continue
        columns = {"horizon": 0, "n_runs": 1000, "stopping_time_error": 0.1}
        columns |= {"stopping_time_published_error": 0.1, "rejection_rate_error": 0.1}
        summary = published_figures(experiment).assign(
            **columns, rejection_rate_published_error=0.1
        )
        for figure, beside in PUBLISHED.items():
            for end in ("", "_low", "_high"):
                summary[f"{figure}{end}"] = summary[beside]
        found = verdicts(experiment, {setting: summary})
        n_judged += (found["verdict"] != "").sum()
    # 766 with Table 3's BAIR(m) twice, and with Table 6's BAIR once more in Table 7.
    assert n_judged == 766 - 8 * 3 - 2 * 2


@pytest.mark.slow
def test_who_is_not_judged_stands_beside_the_figures_and_is_not_counted(
    table2: Reproduction,
) -> None:
    bair, uniform = table2.experiment.entrants
    experiment = replace(table2.experiment, entrants=(bair, replace(uniform, judged=False)))
    found = verdicts(experiment, table2.summaries)
    assert len(found) == len(table2.found)
    assert set(found.loc[found["agent"].eq("UNI"), "verdict"]) == {""}
    assert set(counted(found, ["agent"])["agent"]) == {"BAIR"}

"""The reasons for which a published figure cannot be had: what they concern, and their tests."""

import math
from typing import Any

import pytest

from explorative_user_env.evaluation import evaluate
from explorative_user_env.studies.paper import EXPERIMENTS, Experiment
from explorative_user_env.studies.paper_report import REASONS, reasons_for

COUNTED = ("stopping_time", "rejection_rate")
CONCERNS = {
    "arithmetic": {(f"table{n}", "BAIR", figure) for n in (2, 5, 6) for figure in COUNTED}
    | {(f"table{n}", "T&S", figure) for n in (2, 3, 4, 5, 6) for figure in COUNTED},
    "digits": {
        ("table4", "BAIR", "stopping_time"),
        ("table4", "BAIR", "rejection_rate"),
        ("table4", "T&S", "stopping_time"),
    },
}


def cell(delta: float, n_arms: int, agent: str, figure: str, published: float) -> dict[str, Any]:
    place = {"delta": delta, "n_arms": n_arms, "agent": agent}
    return {**place, "figure": figure, "published": published}


def first_cell(experiment: Experiment, agent: str, figure: str) -> dict[str, Any]:
    return cell(experiment.deltas[0], experiment.n_arms[0], agent, figure, 1.0)


def reasons(name: str, row: dict[str, Any]) -> dict[str, tuple[float, str, bool]]:
    """What each test gives that may concern a figure."""
    found = reasons_for(EXPERIMENTS[name], row | {"experiment": name})
    return {key: (figure, at, holds) for key, figure, at, holds in found}


@pytest.mark.parametrize("key", CONCERNS)
def test_a_reason_concerns_its_figures_and_no_others(key: str) -> None:
    concerned = {
        (name, entrant.name, figure)
        for name, experiment in EXPERIMENTS.items()
        for entrant in experiment.entrants
        for figure in (*COUNTED, "success")
        if key in reasons(name, first_cell(experiment, entrant.name, figure))
    }
    assert concerned == CONCERNS[key]
    assert list(REASONS) == list(CONCERNS)


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (cell(0.02, 5, "BAIR", "stopping_time", 479.0), True),  # 879 - 400
        (cell(0.02, 2, "BAIR", "stopping_time", 372.0), False),  # 422 - 100 would be 322
        (cell(0.02, 5, "BAIR", "rejection_rate", 0.012), True),  # as in Table 2
        (cell(0.01, 20, "T&S", "stopping_time", 3223.0), True),  # as in Table 2
        (cell(0.01, 5, "T&S", "stopping_time", 413.0), False),
    ],
)
def test_table_4s_time_of_bair_is_table_2s_less_an_arithmetic_phase_1(
    row: dict[str, Any], holds: bool
) -> None:
    assert reasons("table4", row)["digits"][2] is holds


@pytest.mark.parametrize(
    ("name", "delta", "n_arms", "agent", "room", "fewest"),
    [
        ("table2", 0.05, 20, "BAIR", 37.5, 39),
        ("table5", 0.1, 100, "BAIR", 170.7, 199),
        ("table5", 0.02, 20, "BAIR", 36.4, 39),
        ("table4", 0.02, 100, "T&S", 97.5, 99),
        ("table2", 0.1, 20, "BAIR", 41.2, 39),  # which is possible
    ],
)
def test_some_published_pairs_leave_no_room_for_the_rejections_there_must_be(
    name: str, delta: float, n_arms: int, agent: str, room: float, fewest: int
) -> None:
    row = cell(delta, n_arms, agent, "rejection_rate", math.nan)
    found, at, holds = reasons(name, row)["arithmetic"]
    assert found == pytest.approx(room, abs=0.07)
    assert at == f"rejections at most, of at least {fewest}"
    assert holds is (room < fewest)


@pytest.mark.slow
def test_no_run_has_fewer_rejections_than_that() -> None:
    results = evaluate(
        ["bair", "tas"], n_arms=4, setting="released", n_instances=200, progress=False
    )
    runs = results.runs[~results.runs["censored"]]
    least = runs.groupby("agent")["rejections"].min()
    assert least["BAIR"] == 7  # 2 K - 1, and some have no more
    assert least["T&S"] >= 3

from typing import Any

import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.results.results import Sweep


def test_cells_run_in_order_with_progress_over_all() -> None:
    told: list[tuple[str, int, int]] = []
    results = run_cells(
        ["bair"],
        [0.2, 0.1],
        [2, 3],
        progress=lambda *what: told.append(what),
        n_instances=3,
    )
    assert [(cell.cell["delta"], cell.cell["n_arms"]) for cell in results] == [
        (0.2, 2),
        (0.2, 3),
        (0.1, 2),
        (0.1, 3),
    ]
    assert told[0] == ("delta=0.2 K=2 BAIR", 0, 12)
    assert told[-1] == ("delta=0.1 K=3 BAIR", 12, 12)


FEW: dict[str, Any] = {"n_instances": 4, "seed": 3, "progress": False}


def test_a_sweep_is_an_evaluation_of_each_cell() -> None:
    found = eu.sweep(["BAIR", "UNI"], [0.2, 0.1], (2, 3), alpha=2.0, **FEW)
    alone = [
        eu.evaluate(["BAIR", "UNI"], delta=delta, n_arms=arms, alpha=2.0, **FEW)
        for delta in (0.2, 0.1)
        for arms in (2, 3)
    ]
    for cell, other in zip(found.cells, alone, strict=True):
        pd.testing.assert_frame_equal(cell.runs, other.runs)
        assert cell.cell == other.cell
    summaries = pd.concat([other.summary() for other in alone], ignore_index=True)
    pd.testing.assert_frame_equal(found.summary(), summaries)
    assert len(found.runs) == 4 * 2 * 4
    assert found.runs.groupby(["delta", "n_arms", "agent"]).ngroups == 8


def test_a_sweep_may_make_its_agents_for_each_cell() -> None:
    found = eu.sweep(lambda delta, arms: [BAIR(n1=arms, delta=delta)], n_arms=[2, 3], **FEW)
    assert [cell.cell["agents"]["BAIR"]["n1"] for cell in found.cells] == [2, 3]


def test_cells_of_several_tasks_are_shown_in_a_table_each_with_its_own_figures() -> None:
    bai = eu.evaluate(["UNI"], baseline_time=4, **FEW)
    regret = eu.evaluate(["UNI"], task="regret", horizon=4, **FEW)
    found = Sweep([bai, regret])
    assert str(found) == f"{bai}\n\n{regret}"
    assert found._repr_html_() == bai._repr_html_() + regret._repr_html_()
    (scores,) = found.to_rliable().values()
    expected = np.hstack([each.to_rliable()["UNI"] for each in (bai, regret)])
    assert np.array_equal(scores, expected)
    with pytest.raises(eu.InvalidArgumentError, match="score must be one of regret, utility"):
        found.to_rliable("cost")

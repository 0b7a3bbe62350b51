from typing import Any

import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.results.results import Sweep
from explorative_user_env.validation import InvalidArgumentError


def test_a_wrong_cell_is_refused_before_any_runs() -> None:
    told: list[str] = []
    with pytest.raises(InvalidArgumentError, match="delta must be"):
        run_cells(["bair"], [0.1, 2.0], [2], progress=lambda *what: told.append(what[0]))
    assert told == []


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


def test_a_sweep_is_shown_as_one_table_and_in_one_line() -> None:
    found = eu.sweep(["BAIR"], [0.2], [2, 3], **FEW)
    assert str(found).count(" BAIR ") == 2
    assert found._repr_html_().count("<td>BAIR</td>") == 2
    assert repr(found).startswith("Sweep(2 cells, the first Results(task='bai', ")
    assert "\n" not in repr(found)


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


def test_cells_of_other_users_are_shown_apart_and_say_in_what_they_differ() -> None:
    noises = [0.0, 0.0, 0.25]
    cells = [
        eu.evaluate(["UNI"], baseline_time=4, noise=noise, **FEW | {"n_arms": n_arms})
        for noise, n_arms in zip(noises, [2, 3, 2], strict=True)
    ]
    shown = str(Sweep(cells))
    one, other = shown.split("noise=0.25")
    assert [one.count(" UNI "), other.count(" UNI ")] == [2, 1]
    assert one.splitlines()[0].strip() == "noise=0"
    assert Sweep(cells)._repr_html_().count("<caption>noise=0") == 2
    assert "noise" not in str(Sweep(cells[:2]))


@pytest.mark.parametrize("name", ["deltas", "n_arms"])
@pytest.mark.parametrize("wrong", [[], 5, "12"])
def test_a_sweep_without_cells_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{name} must be a list of at least one"):
        eu.sweep(["BAIR"], **{name: wrong}, **FEW)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"n_arms": [2, 10_000_000]}, "^n_arms must be at most 1000000, .*, got 10000000$"),
        ({"deltas": [0.1, 1.0]}, r"^delta must be a number in \(0, 1\), got 1\.0$"),
    ],
)
def test_a_cell_that_cannot_be_is_refused_before_any_runs(
    cells: dict[str, list[float]], message: str
) -> None:
    told: list[str] = []
    options = FEW | cells | {"progress": lambda what, done, total: told.append(what)}
    with pytest.raises(InvalidArgumentError, match=message):
        eu.sweep(["BAIR"], **options)
    assert told == []

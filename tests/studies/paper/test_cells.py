from dataclasses import replace
from typing import Any

import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation.grid import run_cells
from explorative_user_env.population import Population
from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    PUBLISHED_CELLS,
    TABLE2,
    Experiment,
    published_figures,
    published_for,
    run_experiment,
    with_entrants,
)
from explorative_user_env.validation import InvalidArgumentError


def test_published_figures_are_the_papers() -> None:
    figures = published_figures(TABLE2).set_index(["delta", "n_arms", "agent"])
    assert len(figures) == 80
    bair = figures.loc[(0.1, 20, "BAIR")]
    assert tuple(bair) == (2113.0, pytest.approx(0.019), 1.0)
    tracking = figures.loc[(0.005, 100, "T&S")]
    assert tuple(tracking) == (37931.0, pytest.approx(0.16), 0.97)
    assert figures.loc[(0.01, 5, "UNI")]["published_stopping_time"] == 940  # BAIR's
    assert figures.loc[(0.01, 5, "EXP3")]["published_success"] == 0.604


@pytest.mark.parametrize("experiment", PUBLISHED_CELLS, ids=lambda experiment: experiment.name)
def test_every_published_cell_is_there_with_shares_in_range(experiment: Experiment) -> None:
    figures = published_figures(experiment)
    cells = {(delta, arms) for delta in experiment.deltas for arms in experiment.n_arms}
    assert set(zip(figures["delta"], figures["n_arms"], strict=True)) == cells
    assert figures["published_success"].between(0.02, 1).all()
    assert figures["published_rejection_rate"].between(0.0005, 0.93).all()


def test_published_figures_are_found_by_the_users_they_are_of() -> None:
    table2 = published_for(Population())
    assert table2 is not None
    assert table2.equals(published_figures(TABLE2))
    noisy = published_for(Population(gap=0.5, noise=0.1))
    assert noisy is not None
    assert len(noisy) == 32
    for users in ({"alpha": 1.5}, {"rho": 1.0}, {"means": "uniform"}, {"behaviour": "drifting"}):
        assert published_for(Population(**users)) is None


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


def test_released_baselines_run_to_the_published_time_and_printed_ones_to_bairs() -> None:
    small = replace(TABLE2, deltas=(0.1,), n_arms=(2,))
    options: dict[str, Any] = {"n_instances": 5, "progress": silent}
    (released,) = run_experiment(small, "released", **options)
    exp3 = released.runs[released.runs["agent"] == "EXP3"]
    assert set(exp3["stopping_time"]) == {405}
    (printed,) = run_experiment(small, "printed", **options)
    mean = printed.runs.groupby("agent")["stopping_time"].mean()
    assert mean["EXP3"] == round(mean["BAIR"])


def test_uniform_alone_still_runs_to_the_published_time_of_bair() -> None:
    alone = with_entrants(replace(TABLE2, deltas=(0.1,), n_arms=(2,)), ["exp3"])
    (cell,) = run_experiment(alone, "released", n_instances=3, progress=silent)
    assert set(cell.runs["stopping_time"]) == {405}


def test_bairs_phase_2_can_be_had_without_the_others() -> None:
    alone = with_entrants(replace(EXPERIMENTS["table4"], deltas=(0.02,), n_arms=(2,)), ["bair"])
    (cell,) = run_experiment(alone, "released", n_instances=3, progress=silent)
    assert set(cell.runs["agent"]) == {"BAIR"}
    assert cell.runs["stopping_time"].max() < 1000

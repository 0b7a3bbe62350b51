import math
from typing import Any

import pytest

from explorative_user_env.studies.paper import (
    EXPERIMENTS,
    PUBLISHED_CELLS,
    TABLE2,
    Experiment,
    published_figures,
    published_for,
)
from explorative_user_env.users.population import Population

PAPERS = ["BAIR", "T&S", "UNI", "EXP3"]


def test_published_figures_of_table_2_are_the_papers() -> None:
    figures = published_figures(TABLE2).set_index(["delta", "n_arms", "agent"])
    assert len(figures) == 80
    bair = figures.loc[(0.1, 20, "BAIR")]
    assert tuple(bair) == (2113.0, pytest.approx(0.019), 1.0)
    tracking = figures.loc[(0.005, 100, "T&S")]
    assert tuple(tracking) == (37931.0, pytest.approx(0.16), 0.97)
    assert figures.loc[(0.01, 5, "UNI")]["published_stopping_time"] == 940  # BAIR's
    assert figures.loc[(0.01, 5, "EXP3")]["published_success"] == 0.604


def test_published_figures_of_the_other_tables_are_the_papers() -> None:
    def figures(name: str, delta: float, n_arms: int, agent: str) -> tuple[Any, ...]:
        table = published_figures(EXPERIMENTS[name]).set_index(["delta", "n_arms", "agent"])
        return tuple(table.loc[(delta, n_arms, agent)])

    assert figures("table3", 0.05, 20, "T&S") == (10097.0, pytest.approx(0.102), 0.97)
    assert figures("table3", 0.1, 2, "BAIR(m) printed") == (470.0, pytest.approx(0.09), 0.994)
    assert figures("table4", 0.02, 100, "T&S") == (4151.0, pytest.approx(0.023), 0.203)
    assert figures("table4", 0.01, 5, "UNI") == (140.0, pytest.approx(0.012), 0.43)
    assert figures("table5", 0.005, 100, "EXP3") == (25537.0, pytest.approx(0.094), 0.532)
    assert figures("table6", 0.01, 20, "BAIR") == (29895.0, pytest.approx(0.002), 1.0)
    time, rate, success = figures("table7", 0.1, 100, "N_1 of log K")
    assert (time, success) == (8603.0, 0.999)
    assert math.isnan(rate)
    assert published_figures(EXPERIMENTS["figure1b"]).empty


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

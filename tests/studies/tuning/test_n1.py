from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_tuning import SMALL, USERS

from explorative_user_env import InvalidArgumentError, evaluate
from explorative_user_env.seeding import tuning_seed
from explorative_user_env.studies.tuning import Candidate, NoneFoundError, Tuning, grid, tune_n1
from explorative_user_env.users.model import constant
from explorative_user_env.users.population import RELEASED, Population


def test_the_search_begins_at_the_papers_lower_bound_and_ends_at_its_n1(tuning: Tuning) -> None:
    assert tuning.candidates[0].n1 == 5  # 1 / delta
    assert tuning.tuned.paper_n1 == 30  # 2 K / delta
    assert tuning.tuned.n1 == min(c.n1 for c in tuning.candidates if c.decision == "good")
    assert tuning.tuned.interval[1] == tuning.tuned.n1
    assert tuning.tuned.n_runs == sum(c.n_runs for c in tuning.candidates)
    words = Population(n_arms=3, gap=0.4, setting=RELEASED).words()
    assert dict(tuning.tuned.cell) == words | {"delta": 0.2, "rho": None}
    assert words["means"] == "uniform"


@pytest.mark.slow
def test_alpha_and_rho_0_enter_both_ends() -> None:
    found = tune_n1(**SMALL | {"alpha": 2.0, "rho": constant(1.1)})
    assert found.candidates[0].n1 == 3  # (1 / .2)^(1/2) / 1.1 = 2.03
    assert found.tuned.paper_n1 == 5  # 30^(1/2) / 1.1 = 4.98
    assert found.tuned.cell["rho"] == "1.1"


def test_the_confirmation_is_an_evaluation_that_anyone_can_repeat(tuning: Tuning) -> None:
    repeated = evaluate(
        [tuning.tuned.agent()], n_instances=80, seed=tuning_seed(0, 2), progress=False, **USERS
    )
    row = repeated.summary().iloc[0]
    assert tuning.tuned.n_fresh == 80
    assert tuning.tuned.censored == row["censored"]
    for name in ("success", "stopping_time"):
        figure = getattr(tuning.tuned, name)
        assert [figure.value, figure.low, figure.high] == [
            row[name],
            row[f"{name}_low"],
            row[f"{name}_high"],
        ]


def test_without_a_confirmation_the_figures_are_the_frontiers() -> None:
    found = tune_n1(**SMALL | {"confirm": 0})
    row = found.frontier[found.frontier["n1"] == found.tuned.n1].iloc[0]
    assert found.tuned.n_fresh == 40
    assert found.tuned.success.value == row["success"]
    assert found.tuned.stopping_time.value == row["stopping_time"]


def test_the_frontier_has_the_papers_n1_and_the_one_found(tuning: Tuning) -> None:
    rows = tuning.frontier
    assert rows["n1"].is_monotonic_increasing
    assert rows["n1"].is_unique
    assert {0, 1, 3, tuning.tuned.n1, 30} <= set(rows["n1"])
    assert rows.iloc[-1]["stopping_time"] == tuning.tuned.paper_stopping_time.value
    assert set(rows["n_runs"]) == {40}


def test_the_grid_is_geometric_and_keeps_to_the_papers_n1() -> None:
    points = grid(137, 20, 10_000)
    assert points == [0, 1, 3, 8, 20, 22, 60, 137, 167, 464, 1292, 3594, 10_000]
    assert grid(1, 20, 2) == [0, 1, 2]


def test_of_those_that_succeed_the_fastest_is_named(tuning: Tuning) -> None:
    def fastest(rows: Sequence[tuple[int, float, float]]) -> int:
        frontier = pd.DataFrame(rows, columns=["n1", "stopping_time", "success_low"])
        return Tuning(tuning.tuned, [], frontier).fastest

    n1 = tuning.tuned.n1
    assert fastest([(n1, 90.0, 0.7), (50, 80.0, 0.8), (60, 70.0, 0.79)]) == 50
    assert fastest([(n1, 90.0, 0.7), (50, 95.0, 0.9)]) == n1


@pytest.mark.slow
def test_workers_change_nothing(tuning: Tuning) -> None:
    parallel = tune_n1(**SMALL | {"workers": 2})
    assert parallel.tuned == tuning.tuned
    assert parallel.candidates == tuning.candidates
    pd.testing.assert_frame_equal(parallel.frontier, tuning.frontier)


def test_the_seed_changes_the_users(tuning: Tuning) -> None:
    other = tune_n1(**SMALL | {"seed": 1}).frontier
    assert list(other["stopping_time"]) != list(tuning.frontier["stopping_time"])


def test_a_run_that_the_cap_ends_is_no_success() -> None:
    with pytest.raises(NoneFoundError) as none:
        tune_n1(**SMALL | {"max_steps": 3})
    assert {candidate.success for candidate in none.value.candidates} == {0.0}
    assert none.value.candidates[-1].n1 == 30


@pytest.mark.slow
def test_what_goes_on_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    candidates: list[Candidate] = []
    found = tune_n1(
        **SMALL | {"progress": lambda *event: told.append(event)}, on_candidate=candidates.append
    )
    assert candidates == found.candidates
    assert told[0] == ("N_1 = 5", 0, 600)
    assert told[-1] == ("BAIR-tuned", 80, 80)


def normal_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal(n_arms)


@pytest.mark.parametrize(
    ("means", "words"),
    [("normal", "normal"), ([0.0, 1.0, 0.5], [0.0, 1.0, 0.5]), (normal_means, "normal_means")],
)
def test_any_law_of_the_means_will_do(means: Any, words: Any) -> None:
    assert tune_n1(**SMALL | {"means": means}).tuned.cell["means"] == words


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_arms", 1),
        ("delta", 0.0),
        ("delta", 1.0),
        ("alpha", 0.0),
        ("gap", -0.5),
        ("noise", 2.0),
        ("setting", "text"),
        ("means", "cauchy"),
        ("rho", -1.0),
        ("error", 0.0),
        ("error", 1.0),
        ("n_instances", 0),
        ("confirm", -1),
        ("seed", -1),
        ("max_steps", 0),
        ("workers", 0),
    ],
)
def test_a_wrong_option_is_named(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{name} "):
        tune_n1(**SMALL | {name: value})
